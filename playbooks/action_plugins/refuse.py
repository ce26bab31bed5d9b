"""Judges all rules of a role at once, and fails with every refusal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from ansible import constants
from ansible._internal._datatag._tags import Origin
from ansible.errors import AnsibleActionFail, AnsibleTemplateError
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import become_loader, connection_loader, shell_loader
from ansible.vars.plugins import get_vars_from_inventory_sources, get_vars_from_path

from assay.preflight import unread

KEYS = {"that", "when", "each", "key", "value", "allowed"}
"""Keys of a rule: see `ActionModule`."""

REPOSITORY = Path(__file__).parents[2]

SPECS = {
    path.parents[1].name: path
    for path in (
        *REPOSITORY.glob("roles/*/meta/argument_specs.yml"),
        REPOSITORY / "playbooks/meta/argument_specs.yml",
    )
}
"""The variables of each role, and of the playbooks."""

_PARSED = {".yml", ".yaml", ".json"}


class ActionModule(ActionBase):
    """Fails if any rule does not hold; `refusals` of its result has key, value and what is allowed.

    Options:
        rules: a list. Of each rule `that` (an expression or a list of them) has to hold if `when`
            (likewise) does, for each `item` of the list `each`, if it has one. `key`, `value` and
            `allowed` say what is refused; they are templated only if it is.
        arguments_of: names of roles, or `playbooks`, whose `argument_specs.yml` the host's
            variables have to fit. `misfits` of the result names the roles that they do not fit.
        unread_of: the groups whose hosts the playbooks deploy. If it is given, variables, groups
            and files of the inventory that nothing reads are refused.
    """

    _requires_connection = False
    _VALID_ARGS = frozenset({"rules", "arguments_of", "unread_of"})

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
        deployed = self._task.args.get("unread_of", ())
        refusals = [
            *(self._unread(deployed) if deployed else ()),
            *(refusal for misfits in by_role.values() for refusal in misfits),
            *(refusal for rule in rules for refusal in self._refusals(rule, variables)),
        ]
        # A variable that several roles have is refused once.
        refusals = [each for n, each in enumerate(refusals) if each not in refusals[:n]]
        # What the inventory says as a whole is of no host.
        host = "" if deployed else f"{variables['inventory_hostname']}: "
        return result | {
            "changed": False,
            "failed": bool(refusals),
            "msg": "\n".join(f"{host}{_sentence(refusal)}" for refusal in refusals),
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
        options = _specs(role)["main"].get("options", {})
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

    def _unread(self, deployed: Sequence[str]) -> Iterator[dict[str, Any]]:
        """What the inventory, or the command line, has that nothing reads."""
        manager = self._task.get_variable_manager()
        inventory = manager._inventory
        entries = {
            **{f"the group {group.name}": group for group in inventory.groups.values()},
            **{f"the host {host.name}": host for host in inventory.hosts.values()},
        }
        given = [unread.GivenVariable(name, v, "-e") for name, v in manager.extra_vars.items()]
        for where, entry in entries.items():
            # As the vars plugins read them, of which facts and registered results are no part.
            of_files = get_vars_from_inventory_sources(
                self._loader, inventory._sources, [entry], "all"
            )
            beside_playbook = get_vars_from_path(
                self._loader, self._loader.get_basedir(), [entry], "all"
            )
            given += (
                unread.GivenVariable(name, value, _origin(value) or where)
                for variables in (entry.vars, of_files, beside_playbook)
                for name, value in variables.items()
            )
        options = {
            name
            for role in SPECS
            for entry_point in _specs(role).values()
            for name in entry_point.get("options", {})
        }
        hosts = {group.name: group.get_hosts() for group in inventory.groups.values()}
        sources = [Path(source) for source in inventory._sources if "," not in source]
        for problem in (
            *unread.variables(
                given, options | _of_ansible(), [f"{role}_" for role in SPECS] + ["assay_"]
            ),
            *unread.groups(hosts, deployed),
            *unread.keys(dict(self._inventories(sources))),
            *unread.files(sources, hosts, inventory.hosts),
        ):
            yield _refusal(problem.key, problem.value, problem.allowed)

    def _inventories(self, sources: Sequence[Path]) -> Iterator[tuple[Path, Any]]:
        """What is in the files that Ansible's inventory plugin `yaml` has read."""
        for source in sources:
            for path in sorted(source.iterdir()) if source.is_dir() else [source]:
                if path.suffix in _PARSED and path.is_file() and not path.name.startswith("."):
                    yield path, self._loader.load_from_file(str(path), cache="none")


def _of_ansible() -> set[str]:
    """What says how hosts are reached: a slip of such a name would reach them in another way."""
    names = {name for same in constants.MAGIC_VARIABLE_MAPPING.values() for name in same}
    options = [*constants.config.get_configuration_definitions().values()]
    for loader, plugin in (
        (connection_loader, "ssh"),
        (become_loader, "su"),
        (become_loader, "sudo"),
        (shell_loader, "sh"),
    ):
        loader.get(plugin, class_only=True)  # which makes its options known
        options += constants.config.get_configuration_definitions(loader.type, plugin).values()
    return names | {each["name"] for option in options for each in option.get("vars", ())}


def _origin(value: Any) -> str | None:
    """The file and the line of a value; Ansible keeps none of `true`, `false` and `null`."""
    origin = Origin.get_tag(value)
    if origin is None or origin.path is None:
        return None
    path, here = Path(origin.path), Path.cwd()
    shown = str(path.relative_to(here) if path.is_relative_to(here) else path)
    return f"{shown}:{origin.line_num}" if origin.line_num else shown


def _specs(role: str) -> dict[str, Any]:
    """The entry points of a role, with their options."""
    text = SPECS[role].read_text(encoding="utf-8")
    loaded = yaml.load(text, yaml.CSafeLoader)  # safe, and ten times as fast as in Python
    specs: dict[str, Any] = loaded["argument_specs"]
    return specs


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
