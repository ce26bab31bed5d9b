#!/usr/bin/python
"""Asks the programs of DAOS for their versions, unless others than root may change them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.trusted import NotRunError, require_trusted, run_trusted

DOCUMENTATION = r"""
module: daos_programs
short_description: Ask the programs of DAOS for their versions
description:
  - Runs each program with its word, unless others than root may change it. Changes nothing.
  - A program without a word is not run; the libraries that it lacks are named.
options:
  programs:
    type: dict
    required: true
    description: The word by which each program prints its version, or an empty one, by path.
  library_path:
    type: list
    elements: path
    default: []
    description: Directories in which ld.so will look for libraries, too.
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


LDD = "/usr/bin/ldd"


def answer(program: str, word: str, library_path: Sequence[str] = ()) -> str:
    """What a program answers, in one line, or why it was not asked; empty if all is well."""
    try:
        if not word:
            require_trusted(program)
            return _lacks(program, library_path)
        asked = run_trusted(program, word, limit_s=ANSWER_S)
    except NotRunError as reason:
        return str(reason)
    printed = " ".join((asked.stdout + asked.stderr).split())
    return f"{program} {word} exits with {asked.returncode} and prints {printed}"


def _lacks(program: str, library_path: Sequence[str]) -> str:
    """The libraries that a program lacks, in one line."""
    if not os.path.exists(LDD):
        return ""
    # Not that of whoever deploys: a daemon has none, and a setuid program would not heed it.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
    environment["LD_LIBRARY_PATH"] = ":".join(library_path)
    listed = run_trusted(LDD, program, limit_s=ANSWER_S, environment=environment).stdout
    lacking = dict.fromkeys(
        line.split()[0] for line in listed.splitlines() if line.endswith("=> not found")
    )
    if not lacking:
        return ""
    return (
        f"{program} lacks {', '.join(lacking)} (daos_library_path names directories of libraries)"
    )


def main() -> None:
    """Run the module."""
    spec: dict[str, dict[str, Any]] = {
        "programs": {"type": "dict", "required": True},
        "library_path": {"type": "list", "elements": "path", "default": []},
    }
    module = AnsibleModule(spec, supports_check_mode=True)
    programs, path = module.params["programs"], module.params["library_path"]
    lines = [answer(program, word, path) for program, word in programs.items()]
    module.exit_json(changed=False, stdout="\n".join(filter(None, lines)))


if __name__ == "__main__":
    main()
