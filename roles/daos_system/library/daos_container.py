#!/usr/bin/python
"""Creates a container in a DAOS pool, or checks that the existing one is as required."""

from __future__ import annotations

import pwd
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.daos.daos_answer import Answer, read_answer
from ansible.module_utils.daos.pools import (
    LABEL,
    LABELS_ALLOWED,
    OPTIONS,
    container_create,
    container_differences,
)

DOCUMENTATION = r"""
module: daos_container
short_description: Create a container in a DAOS pool
description:
  - Creates the container if it is missing, with C(daos -j), which needs an agent on the host.
  - Fails if an existing container of this label differs. The message names both values. Nothing is
    changed, since DAOS fixes all values when a container is created.
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
    description: Object class of files and directories. DAOS chooses classes that are not given.
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
    description: The account that creates the container, so that it owns it and its root directory.
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
    description: Time limit of daos for an answer, in seconds.
  make_limit_s:
    type: int
    default: 900
    description: Time limit of daos for the creation of the container, in seconds.
attributes:
  check_mode:
    support: full
    description: A pool or an agent that does not answer counts as not deployed yet.
  diff_mode:
    support: full
author: the daos-assay founders
"""
EXAMPLES = r"""
- name: Create a container for files
  daos_container:
    pool: tank
    name: posix
    file_oclass: EC_2P1GX
    dir_oclass: RP_2GX
    properties: {rd_fac: 1}
"""
RETURN = r"""
uuid:
  description: UUID of the container; absent in check mode if it does not exist.
  returned: the container exists
  type: str
"""

NO_PERM = "DER_NO_PERM"
"""DAOS's error if the access control list does not allow the user."""

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
    """The required container, compared with the answers of daos."""

    def __init__(self, module: AnsibleModule) -> None:
        self._module = module
        self._pool: str = module.params["pool"]
        self._name: str = module.params["name"]
        self._layout = {key: module.params[key] for key in OPTIONS if module.params[key]}
        self._properties: dict[str, Any] = module.params["properties"]

    def ensure(self) -> None:
        """Create the container or check the existing one; fail if it differs."""
        if not LABEL.match(self._name):
            self._fail(f"this is not a label; {LABELS_ALLOWED}")
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
            self._fail(f"daos did not create it: {made.error}")
        self._module.exit_json(changed=True, diff=diff, uuid=made.response.get("container_uuid"))

    def _compare(self) -> None:
        query = self._ask("query")
        differences = container_differences(
            self._layout, self._properties, query, self._ask("get-prop")
        )
        if differences:
            self._fail(
                f"{'; '.join(map(str, differences))}. It was not changed: correct the inventory, or"
                " destroy it with daos"
            )
        self._module.exit_json(changed=False, uuid=query.get("container_uuid"))

    def _ask(self, word: str) -> Any:
        """The response of daos; no response fails the module."""
        answer = self._run(["container", word, self._pool, self._name])
        if answer.error:
            user = self._module.params["user"]
            whose = f". It must belong to {user}: daos container set-owner --user={user}"
            self._fail(
                f"daos container {word}: {answer.error}"
                f"{whose if NO_PERM in answer.error else self._health()}"
            )
        return answer.response

    def _health(self) -> str:
        """How to mend a container that cannot be used because of its health."""
        place = f"{self._pool} {self._name}"
        asked = self._run(["container", "get-prop", *place.split(), "--properties=status"])
        values = [each.get("value") for each in asked.response or [] if isinstance(each, dict)]
        if "UNCLEAN" not in values:
            return ""
        return (
            ". It is UNCLEAN: more servers were lost at once than its redundancy allows. Once they"
            " are back, and if its data may be lost or is known to be whole: daos container"
            f" set-prop {place} --properties=status:healthy"
        )

    def _run(self, arguments: list[str], limit: str = "answer_limit_s") -> Answer:
        options = self._module.params
        # If an engine is dead, daos may hang for minutes, and libdaos then ignores TERM.
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
    """The start of a command that runs as a user, whom the agent reports to DAOS.

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
