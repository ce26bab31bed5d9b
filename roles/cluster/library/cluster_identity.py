#!/usr/bin/python
"""What a host is made of, for its fingerprint."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.host_identity import read_identity

DOCUMENTATION = r"""
module: cluster_identity
short_description: Read firmware, serial numbers, drivers and tuning of a host
description:
  - Reads sysfs, and what dmidecode, ethtool, nvme-cli and smartmontools print where they are there.
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
  description: What was found, as it was printed.
  returned: always
  type: dict
"""


def main() -> None:
    """Run the module."""
    module = AnsibleModule({}, supports_check_mode=True)
    module.exit_json(changed=False, identity=read_identity(Path("/")))


if __name__ == "__main__":
    main()
