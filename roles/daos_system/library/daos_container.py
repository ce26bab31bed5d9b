#!/usr/bin/python
"""Make a container in a pool of DAOS, or see that the one there is the required one."""

from __future__ import annotations

import pwd
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.daos_answer import Answer, read_answer
from ansible.module_utils.pools import (
    LABEL,
    LABELS_ALLOWED,
    OPTIONS,
    container_create,
    container_differences,
)

DOCUMENTATION = r"""
module: daos_container
short_description: Make a container in a pool of DAOS
description:
  - Makes the container where it is missing, by C(daos -j), which needs an agent on the host.
  - Fails where a container of this label differs. The message names both values. DAOS fixes all of
    it when the container is made, so nothing is ever changed.
  - Never destroys a container.
options:
  pool:
    type: str
    required: true
    description: Label of the pool.
  name:
    type: str
    required: true
    description: Label of the container.
  type:
    type: str
    default: POSIX
    description: Layout of the container.
  oclass:
    type: str
    description: Object class of files and directories. What is not given is left to DAOS.
  file_oclass:
    type: str
    description: Object class of files.
  dir_oclass:
    type: str
    description: Object class of directories.
  chunk_size:
    type: str
    description: Chunk size of files, such as V(1MiB).
  properties:
    type: dict
    default: {}
    description: Properties by DAOS's names, such as C(rd_fac) and C(cksum).
  user:
    type: str
    default: root
    description: The account that makes the container, and so owns it and its root directory.
  daos:
    type: path
    default: daos
    description: The program.
  system:
    type: str
    default: daos_server
    description: Name of the DAOS system.
  answer_limit_s:
    type: int
    default: 60
    description: Seconds that daos may take to answer a question.
  make_limit_s:
    type: int
    default: 900
    description: Seconds that it may take to make the container.
attributes:
  check_mode:
    support: full
    description: A pool or an agent that does not answer is taken for one yet to be deployed.
  diff_mode:
    support: full
author: the daos-assay founders
"""
EXAMPLES = r"""
- name: Make a container for files
  daos_container:
    pool: tank
    name: posix
    file_oclass: EC_2P1GX
    dir_oclass: RP_2GX
    properties: {rd_fac: 1}
"""
RETURN = r"""
uuid:
  description: UUID of the container; absent where it was not made, in check mode.
  returned: the container is there
  type: str
"""

NO_PERM = "DER_NO_PERM"
"""What DAOS says where the access control list does not let a user in."""

ARGUMENTS: dict[str, dict[str, Any]] = {
    "pool": {"type": "str", "required": True},
    "name": {"type": "str", "required": True},
    "type": {"type": "str", "default": "POSIX"},
    "oclass": {"type": "str"},
    "file_oclass": {"type": "str"},
    "dir_oclass": {"type": "str"},
    "chunk_size": {"type": "str"},
    "properties": {"type": "dict", "default": {}},
    "user": {"type": "str", "default": "root"},
    "daos": {"type": "path", "default": "daos"},
    "system": {"type": "str", "default": "daos_server"},
    "answer_limit_s": {"type": "int", "default": 60},
    "make_limit_s": {"type": "int", "default": 900},
}


class Container:
    """The required container, and what daos says of it."""

    def __init__(self, module: AnsibleModule) -> None:
        self._module = module
        self._pool: str = module.params["pool"]
        self._name: str = module.params["name"]
        self._layout = {key: module.params[key] for key in OPTIONS if module.params[key]}
        self._properties: dict[str, Any] = module.params["properties"]

    def ensure(self) -> None:
        """Make the container, or fail."""
        if not LABEL.match(self._name):
            self._fail(f"this is no label; {LABELS_ALLOWED}")
        listed = self._run(["container", "list", self._pool])
        if listed.error and not self._module.check_mode:
            self._fail(f"daos does not list the containers: {listed.error}. Does daos_agent run?")
        if self._name in [container.get("label") for container in listed.response]:
            self._compare()
        else:
            self._make()

    def _make(self) -> None:
        diff = {"before": {}, "after": {**self._layout, "properties": self._properties}}
        if self._module.check_mode:
            self._module.exit_json(changed=True, diff=diff)
        arguments = container_create(self._pool, self._name, self._layout, self._properties)
        made = self._run(arguments, "make_limit_s")
        if made.error:
            self._fail(f"daos did not make it: {made.error}")
        self._module.exit_json(changed=True, diff=diff, uuid=made.response.get("container_uuid"))

    def _compare(self) -> None:
        query = self._ask("query")
        found = container_differences(self._layout, self._properties, query, self._ask("get-prop"))
        if found:
            self._fail(
                f"{'; '.join(map(str, found))}. It was not changed: correct what is required of"
                " it, or destroy it with daos"
            )
        self._module.exit_json(changed=False, uuid=query.get("container_uuid"))

    def _ask(self, word: str) -> Any:
        """The response of daos; no response fails the module."""
        answer = self._run(["container", word, self._pool, self._name])
        if answer.error:
            user = self._module.params["user"]
            whose = f". It must belong to {user}: daos container set-owner --user={user}"
            self._fail(
                f"daos container {word}: {answer.error}{whose if NO_PERM in answer.error else ''}"
            )
        return answer.response

    def _run(self, arguments: list[str], limit: str = "answer_limit_s") -> Answer:
        options = self._module.params
        # daos may hang for minutes where an engine is dead, and libdaos then heeds no TERM.
        timeout = ["timeout", "--kill-after=5", str(options[limit])]
        daos = [options["daos"], "--json", f"--sys-name={options['system']}"]
        try:
            as_user = _as(options["user"])
        except KeyError:
            return Answer({}, f"there is no user {options['user']} on this host")
        status, stdout, stderr = self._module.run_command([*timeout, *as_user, *daos, *arguments])
        return read_answer(stdout, stderr, status)

    def _fail(self, why: str) -> None:
        self._module.fail_json(msg=f"container {self._pool}/{self._name}: {why}")


def _as(user: str) -> list[str]:
    """The beginning of a command that runs as a user; the agent reports that user to DAOS.

    Raises:
        KeyError: there is no such user.
    """
    if user == "root":
        return []
    group = str(pwd.getpwnam(user).pw_gid)
    return ["setpriv", f"--reuid={user}", f"--regid={group}", "--init-groups", "--no-new-privs"]


def main() -> None:
    """Run the module."""
    Container(AnsibleModule(ARGUMENTS, supports_check_mode=True)).ensure()


if __name__ == "__main__":
    main()
