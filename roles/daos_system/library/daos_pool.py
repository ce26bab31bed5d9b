#!/usr/bin/python
"""Make a pool of DAOS, or see that the one there is the required one."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.daos_answer import Answer, read_answer
from ansible.module_utils.pools import (
    LABEL,
    LABELS_ALLOWED,
    POOL_SIZE,
    SIZES_ALLOWED,
    Difference,
    pool_allow,
    pool_allows,
    pool_create,
    pool_differences,
    pool_set,
)

DOCUMENTATION = r"""
module: daos_pool
short_description: Make a pool of DAOS
description:
  - Makes the pool where it is missing, by C(dmg -j).
  - Sets properties that C(dmg pool set-prop) changes for all that is in the pool, such as
    C(reclaim), C(self_heal) and C(space_rb).
  - Fails where the pool has another size, or another value of a property that is fixed when the
    pool is made, such as C(rd_fac). The message names both values. Nothing is changed then.
  - Never destroys, shrinks or extends a pool.
options:
  name:
    type: str
    required: true
    description: Label of the pool.
  size:
    type: str
    required: true
    description:
      - Size of all ranks together, such as V(2TB) or V(1.5TiB), or a share of what is free, such as
        V(90%).
      - A pool that is there may differ from it by 5 %, since DAOS rounds. A share is not compared.
  properties:
    type: dict
    default: {}
    description: Properties by DAOS's names. What is not given may be anything.
  user:
    type: str
    default: root
    description:
      - An account that may use the pool. Where the access control list does not let it read and
        write, an entry for it is put there. Entries of others stay as they are.
      - V(root) gets no entry, since what dmg makes is root's.
  dmg:
    type: path
    default: dmg
    description: The program.
  config:
    type: path
    default: /etc/daos/daos_control.yml
    description: Its configuration.
  answer_limit_s:
    type: int
    default: 60
    description: Seconds that dmg may take to answer a question.
  make_limit_s:
    type: int
    default: 900
    description: Seconds that it may take to make the pool.
attributes:
  check_mode:
    support: full
    description: A system that does not answer is taken for one that is yet to be deployed.
  diff_mode:
    support: full
author: the daos-assay founders
"""
EXAMPLES = r"""
- name: Make a pool that survives the loss of one engine
  daos_pool:
    name: tank
    size: 90%
    properties: {rd_fac: 1, ec_cell_sz: 64KiB, reclaim: lazy}
"""
RETURN = r"""
uuid:
  description: UUID of the pool; absent where it was not made, in check mode.
  returned: the pool is there
  type: str
"""

ARGUMENTS: dict[str, dict[str, Any]] = {
    "name": {"type": "str", "required": True},
    "size": {"type": "str", "required": True},
    "properties": {"type": "dict", "default": {}},
    "user": {"type": "str", "default": "root"},
    "dmg": {"type": "path", "default": "dmg"},
    "config": {"type": "path", "default": "/etc/daos/daos_control.yml"},
    "answer_limit_s": {"type": "int", "default": 60},
    "make_limit_s": {"type": "int", "default": 900},
}


class Pool:
    """The required pool, and what dmg says of it."""

    def __init__(self, module: AnsibleModule) -> None:
        self._module = module
        self._name: str = module.params["name"]
        self._size: str = module.params["size"]
        self._properties: dict[str, Any] = module.params["properties"]

    def ensure(self) -> None:
        """Make the pool, or change it, or fail."""
        if not LABEL.match(self._name):
            self._fail(f"this is no label; {LABELS_ALLOWED}")
        if not POOL_SIZE.match(self._size):
            self._fail(f"its size is {self._size}; {SIZES_ALLOWED}")
        listed = self._run(["pool", "list", "--no-query"])
        if listed.error and not self._module.check_mode:
            self._fail(f"dmg does not list the pools: {listed.error}")
        labels = [pool.get("label") for pool in _pools(listed)]
        if self._name in labels:
            self._compare()
        else:
            self._make()

    def _make(self) -> None:
        diff = {"before": {}, "after": {"size": self._size, "properties": self._properties}}
        if self._module.check_mode:
            self._module.exit_json(changed=True, diff=diff)
        made = self._run(pool_create(self._name, self._size, self._properties), "make_limit_s")
        if made.error:
            self._fail(f"dmg did not make it: {made.error}")
        self._allow()
        self._module.exit_json(changed=True, diff=diff, uuid=made.response.get("uuid"))

    def _compare(self) -> None:
        query = self._ask(["pool", "query", self._name])
        known = self._ask(["pool", "get-prop", self._name])
        if not query.get("tier_stats"):
            self._fail("dmg pool query does not report its size")
        found = pool_differences(self._size, self._properties, query, known)
        fixed = [difference for difference in found if not difference.changeable]
        if fixed:
            self._fail(
                f"{'; '.join(map(str, fixed))}. It was not changed: correct what is required of"
                " it, or change or destroy it with dmg"
            )
        if found and not self._module.check_mode:
            self._ask(pool_set(self._name, found), "make_limit_s")
        found += self._allow()
        self._module.exit_json(changed=bool(found), diff=_diff(found), uuid=query.get("uuid"))

    def _allow(self) -> list[Difference]:
        """Let the user use the pool; nothing where that one may already."""
        user = self._module.params["user"]
        if user == "root" or pool_allows(self._ask(["pool", "get-acl", self._name]), user):
            return []
        if not self._module.check_mode:
            self._ask(pool_allow(self._name, user))
        return [Difference(f"access of {user}", "none, or less", "read and write")]

    def _ask(self, arguments: list[str], limit: str = "answer_limit_s") -> Any:
        """The response of dmg; no response fails the module."""
        answer = self._run(arguments, limit)
        if answer.error:
            self._fail(f"dmg {' '.join(arguments[:2])}: {answer.error}")
        return answer.response

    def _run(self, arguments: list[str], limit: str = "answer_limit_s") -> Answer:
        options = self._module.params
        # dmg may hang for minutes where an engine is dead.
        timeout = ["timeout", "--kill-after=5", str(options[limit])]
        dmg = [options["dmg"], f"--config-path={options['config']}", "--json"]
        status, stdout, stderr = self._module.run_command([*timeout, *dmg, *arguments])
        return read_answer(stdout, stderr, status)

    def _fail(self, why: str) -> None:
        self._module.fail_json(msg=f"pool {self._name}: {why}")


def _pools(listed: Answer) -> list[dict[str, Any]]:
    return (listed.response.get("pools") if isinstance(listed.response, dict) else None) or []


def _diff(found: list[Difference]) -> dict[str, dict[str, Any]]:
    return {
        "before": {difference.key: difference.actual for difference in found},
        "after": {difference.key: difference.wanted for difference in found},
    }


def main() -> None:
    """Run the module."""
    Pool(AnsibleModule(ARGUMENTS, supports_check_mode=True)).ensure()


if __name__ == "__main__":
    main()
