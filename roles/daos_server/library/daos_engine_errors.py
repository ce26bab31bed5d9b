#!/usr/bin/python
"""Reads the errors that the engines of a server logged."""

from __future__ import annotations

import os
from itertools import islice
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.daos_log import begins_before, errors_since
from ansible.module_utils.redaction import without_secrets

DOCUMENTATION = r"""
module: daos_engine_errors
short_description: Read the errors that engines logged
description:
  - Reads the end of each log, and returns its errors since a time. Changes nothing.
  - A log that is missing or unreadable has no errors, but a reason.
  - Keys, certificates and passwords in a message are replaced by C([removed]).
options:
  logs:
    type: list
    elements: path
    required: true
    description: The logs of the server's engines, by index.
  since:
    type: float
    required: true
    description: Seconds since the epoch.
author: the daos-assay founders
"""
EXAMPLES = r"""
- name: Read the errors of the last hour
  daos_engine_errors:
    logs: [/var/log/daos/daos_engine.0.log]
    since: "{{ now().timestamp() - 3600 }}"
  register: __daos_server_errors
"""
RETURN = r"""
engines:
  description: >-
    For each engine, by index: the errors (seconds since the epoch, facility, message), whether
    there are more, and why nothing was read.
  returned: always
  type: list
  elements: dict
"""

MOST_BYTES = 32 * 2**20
"""Bytes that are read of a log, from its end; 100,000 errors are 20 MB."""

MOST = 200
"""Errors of an engine that are returned, the first of them."""

MOST_CHARACTERS = 200
"""Characters of a message that are returned."""


def printable(text: str) -> str:
    """The text with a space for each character that a report cannot show, such as a tab."""
    return "".join(each if each.isprintable() else " " for each in text)


def errors(path: str, since: float) -> dict[str, Any]:
    """The errors of a log since a time."""
    try:
        with open(path, "rb") as log:
            skipped = max(os.fstat(log.fileno()).st_size - MOST_BYTES, 0)
            log.seek(skipped)
            text = log.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError as error:
        return {"errors": [], "cut": False, "unread": str(error)}
    logged = list(islice(errors_since(text, since), MOST + 1))
    return {
        "errors": [
            (at, printable(facility), printable(without_secrets(message))[:MOST_CHARACTERS])
            for at, facility, message in logged[:MOST]
        ],
        "cut": len(logged) > MOST or (skipped > 0 and not begins_before(text, since)),
        "unread": "",
    }


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        {
            "logs": {"type": "list", "elements": "path", "required": True},
            "since": {"type": "float", "required": True},
        },
        supports_check_mode=True,
    )
    since = module.params["since"]
    module.exit_json(changed=False, engines=[errors(log, since) for log in module.params["logs"]])


if __name__ == "__main__":
    main()
