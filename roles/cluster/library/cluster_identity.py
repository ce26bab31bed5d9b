#!/usr/bin/python
"""Reads the parts of a host, for its fingerprint."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.host_identity import read_identity

DOCUMENTATION = r"""
module: cluster_identity
short_description: Read firmware, serial numbers, drivers and tuning of a host
description:
  - Reads sysfs, and the output of dmidecode, ethtool, nvme-cli and smartmontools if installed.
  - Changes nothing.
options: {}
author: the daos-assay founders
"""
EXAMPLES = r"""
- name: Read what the host is made of
  cluster_identity:
  register: __cluster_identity
"""
RETURN = r"""
identity:
  description: The facts of the host, unparsed.
  returned: always
  type: dict
"""


def main() -> None:
    """Run the module."""
    module = AnsibleModule({}, supports_check_mode=True)
    module.exit_json(changed=False, identity=read_identity(Path("/")))


if __name__ == "__main__":
    main()
