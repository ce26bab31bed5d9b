#!/usr/bin/python
"""Asks the programs of DAOS for their versions, unless others than root may change them."""

from __future__ import annotations

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.trusted import NotRunError, require_trusted, run_trusted

DOCUMENTATION = r"""
module: daos_programs
short_description: Ask the programs of DAOS for their versions
description:
  - Runs each program with its word, unless others than root may change it. Changes nothing.
options:
  programs:
    type: dict
    required: true
    description: The word by which each program prints its version, or an empty one, by path.
author: the daos-assay founders
"""
EXAMPLES = r"""
- name: Ask dmg for its version
  daos_programs:
    programs: {/usr/bin/dmg: version, /usr/bin/daos_engine: ""}
  register: __daos_versions
"""
RETURN = r"""
stdout_lines:
  description: A line for each program that was run, or why it was not.
  returned: always
  type: list
"""

ANSWER_S = 60
"""Time limit of a program, in seconds; the first start from a shared directory is slow."""


def answer(program: str, word: str) -> str:
    """What a program answers, in one line, or why it was not asked; empty if all is well."""
    try:
        if not word:
            require_trusted(program)
            return ""
        asked = run_trusted(program, word, limit_s=ANSWER_S)
    except NotRunError as reason:
        return str(reason)
    printed = " ".join((asked.stdout + asked.stderr).split())
    return f"{program} {word} exits with {asked.returncode} and prints {printed}"


def main() -> None:
    """Run the module."""
    spec = {"programs": {"type": "dict", "required": True}}
    module = AnsibleModule(spec, supports_check_mode=True)
    lines = [answer(program, word) for program, word in module.params["programs"].items()]
    module.exit_json(changed=False, stdout="\n".join(filter(None, lines)))


if __name__ == "__main__":
    main()
