#!/usr/bin/python
"""Creates a DAOS pool, or checks that the existing one is as required."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.daos.daos_answer import Answer, read_answer
from ansible.module_utils.daos.pools import (
    LABEL,
    LABELS_ALLOWED,
    POOL_SIZE,
    SIZES_ALLOWED,
    Difference,
    excluded,
    pool_allow,
    pool_allows,
    pool_create,
    pool_differences,
    pool_set,
)

DOCUMENTATION = r"""
module: daos_pool
short_description: Create a DAOS pool
description:
  - Creates the pool if it is missing, with C(dmg -j).
  - Sets properties that C(dmg pool set-prop) can change with effect on existing containers, such as
    C(reclaim), C(self_heal) and C(space_rb).
  - Fails if targets of the pool are excluded, and says how they come back.
  - Fails if the pool has another size, or another value of a property that is fixed at creation,
    such as C(rd_fac). The message names both values. Nothing is changed then.
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
      - Size on all ranks together, such as V(2TB) or V(1.5TiB), or a share of the free space, such
        as V(90%).
      - An existing pool may differ from it by 5 %, since DAOS rounds. A share is not compared.
  properties:
    type: dict
    default: {}
    description: Properties by DAOS's names. Properties that are not given may have any value.
  user:
    type: str
    default: root
    description:
      - An account that may use the pool. If the access control list does not let it read and write,
        an entry for it is added. Entries of others stay unchanged.
      - V(root) gets no entry, since pools that dmg creates belong to root.
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
    description: Time limit of dmg for an answer, in seconds.
  make_limit_s:
    type: int
    default: 900
    description: Time limit of dmg for the creation of the pool, in seconds.
attributes:
  check_mode:
    support: full
    description: A system that does not answer counts as not deployed yet.
  diff_mode:
    support: full
author: the daos-assay founders
"""
EXAMPLES = r"""
- name: Create a pool that survives the loss of one engine
  daos_pool:
    name: tank
    size: 90%
    properties: {rd_fac: 1, ec_cell_sz: 64KiB, reclaim: lazy}
"""
RETURN = r"""
uuid:
  description: UUID of the pool; absent in check mode if it does not exist.
  returned: the pool exists
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
    """The required pool, compared with the answers of dmg."""

    def __init__(self, module: AnsibleModule) -> None:
        self._module = module
        self._name: str = module.params["name"]
        self._size: str = module.params["size"]
        self._properties: dict[str, Any] = module.params["properties"]

    def ensure(self) -> None:
        """Create the pool or change the existing one; fail if that is impossible."""
        if not LABEL.match(self._name):
            self._fail(f"this is not a label; {LABELS_ALLOWED}")
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
            self._fail(f"dmg did not create it: {made.error}")
        self._allow()
        self._module.exit_json(changed=True, diff=diff, uuid=made.response.get("uuid"))

    def _compare(self) -> None:
        query = self._ask(["pool", "query", self._name])
        known = self._ask(["pool", "get-prop", self._name])
        if not query.get("tier_stats"):
            self._fail("dmg pool query does not report its size")
        if why := excluded(self._name, query):
            self._fail(why)
        differences = pool_differences(self._size, self._properties, query, known)
        fixed = [difference for difference in differences if not difference.changeable]
        if fixed:
            self._fail(
                f"{'; '.join(map(str, fixed))}. It was not changed: correct the inventory, or"
                " change or destroy it with dmg"
            )
        if differences and not self._module.check_mode:
            self._ask(pool_set(self._name, differences), "make_limit_s")
        differences += self._allow()
        self._module.exit_json(
            changed=bool(differences), diff=_diff(differences), uuid=query.get("uuid")
        )

    def _allow(self) -> list[Difference]:
        """Let the user use the pool, unless the user already may."""
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
        # If an engine is dead, dmg may hang for minutes.
        timeout = ["timeout", "--kill-after=5", str(options[limit])]
        dmg = [options["dmg"], f"--config-path={options['config']}", "--json"]
        status, stdout, stderr = self._module.run_command([*timeout, *dmg, *arguments])
        return read_answer(stdout, stderr, status)

    def _fail(self, why: str) -> None:
        self._module.fail_json(msg=f"pool {self._name}: {why}")


def _pools(listed: Answer) -> list[dict[str, Any]]:
    return (listed.response.get("pools") if isinstance(listed.response, dict) else None) or []


def _diff(differences: list[Difference]) -> dict[str, dict[str, Any]]:
    return {
        "before": {difference.key: difference.actual for difference in differences},
        "after": {difference.key: difference.wanted for difference in differences},
    }


def main() -> None:
    """Run the module."""
    Pool(AnsibleModule(ARGUMENTS, supports_check_mode=True)).ensure()


if __name__ == "__main__":
    main()
