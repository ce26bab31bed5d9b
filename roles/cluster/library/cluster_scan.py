#!/usr/bin/python
"""Asks dmg for the SSDs of all servers, which the kernel does not see while SPDK drives them."""

from __future__ import annotations

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.trusted import NotRunError, run_trusted

DOCUMENTATION = r"""
module: cluster_scan
short_description: List the SSDs of all servers with dmg
description:
  - Runs C(dmg -j storage scan --verbose), unless others than root may change dmg. Changes nothing.
  - The output is empty where DAOS is not deployed or does not answer.
options:
  dmg:
    type: path
    required: true
    description: The path of dmg.
author: the daos-assay founders
"""
EXAMPLES = r"""
- name: List the SSDs of all servers
  cluster_scan:
    dmg: /usr/bin/dmg
  register: __cluster_scanned
"""
RETURN = r"""
stdout:
  description: What dmg printed.
  returned: always
  type: str
"""

ANSWER_S = 20
"""Time limit of dmg, in seconds; it may hang where a server does not answer."""


def scan(dmg: str) -> str:
    """What `dmg -j storage scan --verbose` prints; empty if it does not run, or answer in time.

    Without `--verbose` servers leave out model, serial number and firmware (`GetBasic` in
    src/control/server/ctl_storage_rpc.go of DAOS 2.8).
    """
    try:
        return run_trusted(dmg, "-j", "storage", "scan", "--verbose", limit_s=ANSWER_S).stdout
    except NotRunError:
        return ""


def main() -> None:
    """Run the module."""
    module = AnsibleModule({"dmg": {"type": "path", "required": True}}, supports_check_mode=True)
    module.exit_json(changed=False, stdout=scan(module.params["dmg"]))


if __name__ == "__main__":
    main()
