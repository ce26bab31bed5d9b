"""What an inventory says that nothing reads: a name with a typing error looks like a setting."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assay.problems import Problem

SAME_BUT_FOR_A_SLIP = 0.9
"""Similarity from which a name without our prefix is taken for one of ours (own choice): two
letters of 20 differ."""

SLIP_IN_A_GROUP = 0.8
"""The same for groups, whose names are shorter: `server` for `servers` (own choice)."""

_OF_A_GROUP = ("hosts", "children", "vars")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_READ_BY_ANSIBLE = {"", ".yml", ".yaml", ".json"}


class GivenVariable(NamedTuple):
    """A variable that an inventory, or the command line, sets."""

    name: str
    value: Any
    where: str
    """The file and the line, a group, or the command line."""


def variables(
    given: Collection[GivenVariable], known: Collection[str], prefixes: Collection[str]
) -> Iterator[Problem]:
    """Refuse variables that nothing reads.

    Args:
        given: all that is set, whose values may read further variables of the site's own.
        known: the variables that roles and playbooks read, and those that Ansible does.
        prefixes: the beginnings of names that are ours, such as `daos_`.
    """
    near_by_name = {
        name: difflib.get_close_matches(name, known, n=1)
        for name in sorted({each.name for each in given} - {*known})
        if name.startswith(tuple(prefixes))
        or difflib.get_close_matches(name, known, n=1, cutoff=SAME_BUT_FOR_A_SLIP)
    }
    if not near_by_name:
        return
    read = set().union(*(_words(each.value) - {each.name} for each in given))
    for name, near in near_by_name.items():
        if name in read:
            continue
        where = ", ".join(dict.fromkeys(each.where for each in given if each.name == name))
        hint = f"did you mean {near[0]}?" if near else "give a variable of your own another name"
        yield Problem(None, name, None, f"nothing reads it: {hint} (set in {where})")


def _words(value: Any) -> set[str]:
    """The identifiers in a value, in which the names of the variables are that it reads."""
    if isinstance(value, str):
        return set(_WORD.findall(value)) if "{" in value else set()
    if isinstance(value, Mapping):
        return set().union(*map(_words, value.values()))
    return set().union(*map(_words, value)) if isinstance(value, list) else set()


def groups(hosts: Mapping[str, Collection[str]], known: Collection[str]) -> Iterator[Problem]:
    """Refuse a group that is called nearly as one of ours, if it takes the place of that.

    That has no host then, or the hosts of the group are in none of ours. `clients2` and
    `clients_old` may be the site's own.

    Args:
        hosts: the hosts of each group of the inventory.
        known: the groups whose hosts the playbooks deploy.
    """
    idle = [name for name in known if not hosts.get(name)]
    deployed = {host for name in known for host in hosts.get(name, ())}
    for name in sorted(hosts.keys() - {*known}):
        left_out = hosts[name] and not deployed.intersection(hosts[name])
        others = [each for each in known if left_out and not name.startswith(each)]
        for possible, why in ((idle, ", which has no host?"), (others, "?")):
            if near := difflib.get_close_matches(name, possible, n=1, cutoff=SLIP_IN_A_GROUP):
                allowed = f"nothing reads this group: did you mean {near[0]}{why}"
                yield Problem(None, name, None, allowed)
                break


def keys(inventories: Mapping[Path, Any]) -> Iterator[Problem]:
    """Refuse what a group has beside hosts, children and variables; Ansible warns and goes on.

    Args:
        inventories: what the YAML files of the inventories have, by their paths.
    """
    for path, inventory in inventories.items():
        if isinstance(inventory, Mapping) and "plugin" not in inventory:
            for key in _keys_of_groups(inventory):
                allowed = f"nothing reads it: a group has {', '.join(_OF_A_GROUP)} (set in {path})"
                yield Problem(None, key, None, allowed)


def _keys_of_groups(groups: Any) -> Iterator[str]:
    for name, group in groups.items() if isinstance(groups, Mapping) else ():
        if isinstance(group, Mapping):
            yield from (f"{name}.{key}" for key in group if key not in _OF_A_GROUP)
            yield from _keys_of_groups(group.get("children"))


def files(
    sources: Iterable[Path], groups: Collection[str], hosts: Collection[str]
) -> Iterator[Problem]:
    """Refuse files of variables whose group or host the inventory does not have.

    Args:
        sources: the inventories: directories or files.
        groups: the names of all groups.
        hosts: the names of all hosts.
    """
    directories = dict.fromkeys(source if source.is_dir() else source.parent for source in sources)
    for directory in directories:
        for kind, names in (("group", groups), ("host", {*hosts, "localhost"})):
            below = directory / f"{kind}_vars"
            for file in sorted(below.iterdir()) if below.is_dir() else ():
                name = file.name if file.is_dir() or file.name in names else file.stem
                suffix = "" if file.is_dir() or file.name in names else file.suffix
                if file.name.startswith(".") or suffix not in _READ_BY_ANSIBLE or name in names:
                    continue
                near = difflib.get_close_matches(name, names, n=1)
                # Such as README, and what an editor keeps.
                if not file.is_dir() and not suffix and (not near or name.endswith("~")):
                    continue
                hint = f" (did you mean {near[0]}?)" if near else ""
                allowed = f"should have the name of a {kind} of the inventory{hint}"
                yield Problem(None, f"{below.name}/{file.name}", None, allowed)
