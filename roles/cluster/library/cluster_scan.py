#!/usr/bin/python
"""Asks dmg for the SSDs of all servers, which the kernel does not see while SPDK drives them."""

from __future__ import annotations

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.trusted import NotRunError, run_trusted

DOCUMENTATION = r"""
module: cluster_scan
short_description: List the SSDs of all servers with dmg
description:
  - Runs C(dmg -j storage scan), unless others than root may change dmg. Changes nothing.
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
    """What `dmg -j storage scan` prints; empty if it is not run, or does not answer in time."""
    try:
        return run_trusted(dmg, "-j", "storage", "scan", limit_s=ANSWER_S).stdout
    except NotRunError:
        return ""


def main() -> None:
    """Run the module."""
    module = AnsibleModule({"dmg": {"type": "path", "required": True}}, supports_check_mode=True)
    module.exit_json(changed=False, stdout=scan(module.params["dmg"]))


if __name__ == "__main__":
    main()
