"""Judges all rules of a role at once, and fails with every refusal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from ansible.errors import AnsibleActionFail, AnsibleTemplateError
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.plugins.action import ActionBase

KEYS = {"that", "when", "each", "key", "value", "allowed"}
"""Keys of a rule: see `ActionModule`."""

ROLES = Path(__file__).parents[2] / "roles"


class ActionModule(ActionBase):
    """Fails if any rule does not hold; `refusals` of its result has key, value and what is allowed.

    Options:
        rules: a list. Of each rule `that` (an expression or a list of them) has to hold if `when`
            (likewise) does, for each `item` of the list `each`, if it has one. `key`, `value` and
            `allowed` say what is refused; they are templated only if it is.
        arguments_of: names of roles, whose `argument_specs.yml` the host's variables have to fit.
            `misfits` of the result names the roles that they do not fit.
    """

    _requires_connection = False
    _VALID_ARGS = frozenset({"rules", "arguments_of"})

    @classmethod
    def finalize_task_arg(cls, name: str, value: Any, templar: Any, context: Any) -> Any:
        """Leave rules as they are written: most of what they would say is never said."""
        if name == "rules":
            return value
        return super().finalize_task_arg(name, value, templar, context)

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        """Judge, and fail with a line for each refusal."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        variables = task_vars or {}
        by_role = {
            role: list(self._misfits(role, variables))
            for role in self._task.args.get("arguments_of", ())
        }
        rules = self._task.args.get("rules", ())
        refusals = [
            *(refusal for misfits in by_role.values() for refusal in misfits),
            *(refusal for rule in rules for refusal in self._refusals(rule, variables)),
        ]
        host = variables["inventory_hostname"]
        return result | {
            "changed": False,
            "failed": bool(refusals),
            "msg": "\n".join(f"{host}: {_sentence(refusal)}" for refusal in refusals),
            "refusals": refusals,
            "misfits": [role for role, misfits in by_role.items() if misfits],
        }

    def _refusals(
        self, rule: Mapping[str, Any], variables: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """What a rule refuses. One that cannot be judged is refused, too, and hides no other."""
        if not isinstance(rule, Mapping) or not {"that", "key", "allowed"} <= rule.keys() <= KEYS:
            raise AnsibleActionFail(f"a rule has that, key, allowed, value, when, each; not {rule}")
        try:
            if not self._holds(rule.get("when", True), self._templar):
                return
            for templar in self._templars(rule, variables):
                if not self._holds(rule["that"], templar):
                    parts = (templar.template(rule.get(key)) for key in ("key", "value", "allowed"))
                    yield _refusal(*parts)
        except AnsibleTemplateError as error:
            yield _refusal(str(rule["key"]), None, f"could not be judged: {error}")

    def _templars(self, rule: Mapping[str, Any], variables: Mapping[str, Any]) -> Iterator[Any]:
        """One for each item of a rule, or the task's own."""
        if "each" not in rule:
            yield self._templar
            return
        for item in self._templar.template(rule["each"]):
            known = {**variables, "item": item}
            yield self._templar.copy_with_new_env(available_variables=known)

    @staticmethod
    def _holds(condition: Any, templar: Any) -> bool:
        """Whether an expression, or each of a list of them, is true."""
        several = isinstance(condition, Sequence) and not isinstance(condition, str)
        return all(map(templar.evaluate_conditional, condition if several else [condition]))

    def _misfits(self, role: str, variables: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Variables of the inventory that have not the type or a choice of the role's."""
        specs = (ROLES / role / "meta/argument_specs.yml").read_text(encoding="utf-8")
        loaded = yaml.load(specs, yaml.CSafeLoader)  # safe, and ten times as fast as in Python
        options = loaded["argument_specs"]["main"].get("options", {})
        for name in sorted(options.keys() & variables.keys()):
            try:
                value = self._templar.template(variables[name])
            except AnsibleTemplateError:
                continue  # made of variables that only the role has
            validator = ArgumentSpecValidator({name: options[name]})
            validation = validator.validate({name: value}, validate_role_argument_spec=True)
            for message in validation.error_messages:
                shown = value if isinstance(value, str | int | float | bool) else None
                yield _refusal(name, shown, _in_words(options[name], shown, message))


_KINDS = {
    "bool": "true or false",
    "dict": "keys and values",
    "float": "a number",
    "int": "a whole number",
    "list": "a list, such as [a, b]",
}


def _in_words(option: Mapping[str, Any], shown: object, message: str) -> str:
    """What an option allows; of something within it, Ansible's own message."""
    if shown is None:
        return f"should fit the role: {message}"
    if "choices" in option:
        return f"should be one of {', '.join(map(str, option['choices']))}"
    kind = option.get("type", "str")
    return f"should be {_KINDS[kind]}" if kind in _KINDS else f"should fit the role: {message}"


def _refusal(key: str, value: object, allowed: str) -> dict[str, Any]:
    shown = None if value is None else str(value)
    return {"key": key, "value": shown, "allowed": " ".join(str(allowed).split())}


def _sentence(refusal: Mapping[str, Any]) -> str:
    value = "" if refusal["value"] is None else f" is {refusal['value']}"
    return f"{refusal['key']}{value}; {refusal['allowed']}"
