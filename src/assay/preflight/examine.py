"""Examines the description of a cluster and reports everything that is wrong with it."""

from __future__ import annotations

import contextlib
import copy
import difflib
import functools
import math
import sys
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from assay.checks.plan import CHECKS
from assay.cluster import releases
from assay.cluster.daos import Deployed
from assay.cluster.description import Cluster, Groups, Host, Site
from assay.foreign import files, limits
from assay.foreign.documents import MOST, from_json, misfits
from assay.foreign.files import ForeignError
from assay.foreign.text import one_line
from assay.preflight.populations import populations
from assay.preflight.refusals import KEYS, refusals
from assay.preflight.rules import rules_of_host, rules_of_site
from assay.preflight.rules.engines.daos_keys import daos_key_rules
from assay.preflight.rules.site.groups import group_rules
from assay.problems import Problem, from_pydantic, variable
from assay.units import UnitError, parse

_AnyModel = TypeVar("_AnyModel", bound=BaseModel)

STDIN = Path("-")


class ClusterError(ValueError):
    """The description cannot be used; `problems` has everything that is wrong with it."""

    def __init__(self, source: str, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{one_line(source)}: {problem}" for problem in self.problems))


def load(path: Path) -> Cluster:
    """Read and validate a ``cluster.json``.

    Raises:
        ClusterError: naming every host, key and value that is wrong, and what is allowed.
    """
    return validated(path, read(path))


def validated(path: Path, document: Any) -> Cluster:
    """The cluster of a description that was read from a file.

    Raises:
        ClusterError: naming every host, key and value that is wrong, and what is allowed.
    """
    cluster, problems = examine(document)
    if cluster is None:
        raise ClusterError(str(path), problems)
    return cluster


def read(path: Path) -> Any:
    """Read a description, which must be JSON, without validating it. ``-`` is standard input.

    Raises:
        ClusterError: it cannot be read or is not JSON.
    """
    try:
        if path == STDIN:
            content = files.read_stream(sys.stdin.buffer, "standard input", limits.CLUSTER_BYTES)
        else:
            content = files.read(path, limits.CLUSTER_BYTES)
        return from_json(content)
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    except ForeignError as error:
        problem = files.wrong_with(path, error)
    raise ClusterError(str(path), [Problem(None, "", None, problem)])


def examine(
    document: Any, version: releases.Version | None = None
) -> tuple[Cluster | None, list[Problem]]:
    """Validate a description and report everything that is wrong with it.

    Each host is validated separately, so that one bad host hides neither the problems of others nor
    those between hosts.

    Args:
        document: the description.
        version: the release whose keys are allowed, if the description does not say it.

    Returns:
        The cluster, or None, and the problems. With a cluster, all problems are warnings.
    """
    if not isinstance(document, dict):
        return None, [Problem(None, "", type(document).__name__, "must be a JSON object")]
    problems = [Problem(None, *misfit) for misfit in islice(misfits(document), MOST)]
    if problems:
        return None, problems
    refused = list(refusals(document))
    problems = list(refused)
    if problems and document.keys() <= set(KEYS):
        return None, problems  # which kept the roles from describing it
    unseen = {problem.host for problem in problems if problem.host is not None}
    document = {key: value for key, value in document.items() if key not in KEYS}
    site = _validated(Site, {k: v for k, v in document.items() if k != "hosts"}, None, problems)
    described = document.get("hosts")
    if not isinstance(described, dict) or not (described or unseen):
        problems.append(Problem(None, "hosts", described, "must be an object: name to host"))
        described = {}
    hosts: dict[str, Host] = {}
    versions = _versions(document.get("daos"))
    system = _system_name(document.get("daos"))
    release = version or _release(document.get("daos"))
    provider = None if site is None else site.provider
    for name, entry in described.items():
        reported = list(daos_key_rules(name, entry, release))
        problems += reported
        host = _validated(Host, entry, name, problems, {problem.key for problem in reported})
        if host is not None:
            hosts[name] = host
            problems.extend(rules_of_host(name, host, versions.get(name), system, provider))
    known = {**dict.fromkeys(unseen), **described}
    groups = {key: document[key] for key in Groups.model_fields if key in document}
    with contextlib.suppress(ValidationError):
        problems.extend(group_rules(Groups.model_validate(groups), known))
    if site is not None:
        problems.extend(rules_of_site(site, hosts, known))
        problems.extend(_floors(site))
        problems.extend(populations(site, known))
        problems.extend(_commitments(site))
    others = [each for each in problems[len(refused) :] if not _is_among(each, refused)]
    problems = [each for each in refused if not _is_told_better(each, others)] + others
    if site is None or any(problem.severity == "error" for problem in problems):
        return None, problems
    values = {key: getattr(site, key) for key in Site.model_fields}
    return Cluster(**values, hosts=hosts), problems


def _is_among(problem: Problem, refused: Iterable[Problem]) -> bool:
    """Whether a role has refused the same value, by the name that the inventory has for it."""
    return any(
        each.key == variable(problem.key)
        and str(each.value) == str(problem.value)
        and problem.host in (None, each.host)
        for each in refused
    )


def _is_told_better(refusal: Problem, others: Iterable[Problem]) -> bool:
    """Whether an error names the very entry of a list that a role has refused as a whole."""
    if refusal.value is not None:
        return False
    for each in others:
        place = variable(each.key)
        wrong = place.rpartition(".")[2] if each.value is None else str(each.value)
        is_of_list = each.severity == "error" and place.startswith(f"{refusal.key}[")
        if is_of_list and wrong and wrong in refusal.allowed:
            return True
    return False


def _floors(site: Site) -> Iterator[Problem]:
    """Refuse a site's floor for an unknown metric, since it would never be checked."""
    known = {f"{check.name}.{metric.name}" for check in CHECKS.values() for metric in check.metrics}
    for key in site.floors.keys() - known:
        near = difflib.get_close_matches(key, known, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ", such as SsdFio.read_1m"
        yield Problem(None, "floors", key, f"should name a check and its metric{hint}")


def _commitments(site: Site) -> Iterator[Problem]:
    """Require that a commitment names a metric, with a figure above zero in a fitting unit."""
    units = {
        f"{check.name}.{metric.name}": metric.unit
        for check in CHECKS.values()
        for metric in check.metrics
    }
    for commitment in site.commitments:
        figure = commitment.metric.partition(" on ")[0]
        if figure not in units:
            near = difflib.get_close_matches(figure, units, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ", such as IorEasy.write"
            allowed = f"should name a check and its metric{hint}"
            yield Problem(None, "commitments", commitment.metric, allowed)
            continue
        allowed = f"should be a figure above zero with a unit, such as 20 {units[figure]}"
        try:
            value = parse(commitment.figure).to(units[figure]).value
        except UnitError:
            value = math.nan
        if not 0 < value < math.inf:
            yield Problem(None, f"commitments, {commitment.metric}", commitment.figure, allowed)


def _versions(daos: Any) -> dict[str, releases.Version]:
    """The version of DAOS on each of its servers, even if the system has other problems."""
    entries = daos if isinstance(daos, dict) else {}
    known = {key: entries[key] for key in Deployed.model_fields if key in entries}
    try:
        deployed = Deployed.model_validate(known)
    except ValidationError:
        return {}
    return dict.fromkeys(deployed.servers, deployed.version)


def _system_name(daos: Any) -> str | None:
    name = daos.get("name") if isinstance(daos, dict) else None
    return name if isinstance(name, str) else None


def _release(daos: Any) -> releases.Version:
    """The release whose keys are allowed: the deployed one, or else the newest."""
    described = daos.get("version") if isinstance(daos, dict) else None
    return described if described in releases.names() else releases.newest()


def _validated(
    model: type[_AnyModel],
    part: Any,
    host: str | None,
    problems: list[Problem],
    reported: Collection[str] = (),
) -> _AnyModel | None:
    """Validate a part of the description. If only unknown keys are wrong, the rest is returned.

    Args:
        model: the model of this part.
        part: the part to validate.
        host: the host that it describes, if any.
        problems: the problems so far; those of this part are added.
        reported: the keys of this host whose problems are already reported.
    """
    try:
        return model.model_validate(part)
    except ValidationError as error:
        problems.extend(p for p in from_pydantic(error, model, host) if p.key not in reported)
        unknown = [e["loc"] for e in error.errors() if e["type"] == "extra_forbidden"]
        if len(unknown) < error.error_count():
            return None
        return model.model_validate(_without(part, unknown))


def _without(part: Any, unknown: Iterable[tuple[int | str, ...]]) -> Any:
    rest = copy.deepcopy(part)
    for *parents, last in unknown:
        del functools.reduce(lambda inner, key: inner[key], parents, rest)[last]
    return rest
