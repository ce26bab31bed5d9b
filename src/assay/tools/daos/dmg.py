"""dmg, DAOS's administration tool: whether the system and its pools can be measured.

`dmg` exits 0 even if ranks are dead, and may wait for minutes if no engine answers. So its JSON is
read, and it runs under a time limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from assay.foreign.text import quoted
from assay.tools.contract import OF_DAOS, Contract
from assay.tools.daos.daos_answer import Answer, read_answer
from assay.tools.json_output import json_objects, no_answer
from assay.tools.output import Parsed, Sample
from assay.tools.text import first_error

TOOL = "dmg"

KNOWS = Contract(TOOL, OF_DAOS, "the JSON answers of `dmg -j system query` and `dmg -j pool query`")

CONTROL = "/etc/daos/daos_control.yml"
"""Its configuration; the role `daos_admin` writes it."""

POOL_LIMIT_S = 600
"""Time limit in seconds of a command that makes or destroys a pool: that which dmg itself gives the
making of one (`PoolCreateTimeout` in DAOS 2.8's src/control/lib/control/pool.go). Engines on cores
that others use took 76 s for 1 GiB."""

_ADDRESS = re.compile(r"[^:]*://(.+:\d+)$")

FULL = 0.9
"""Share of a pool's fullest target above which performance suffers and writes start to fail.

DAOS's aggregation and its reserves need room; the share is this project's own choice. A small pool
may be full earlier: one of 600 MB of SCM refused writes at 88 %.
"""

PRESSED = 0.6
"""Share of a target from which on DAOS 2.8 gives the reclaiming of space priority over updates, the
more so the fuller it is (`pressure_gauge` in its src/engine/sched.c)."""


def system_query(config: str | None = None) -> list[str]:
    """Command line that reports every rank's state; `config` is the path of daos_control.yml."""
    return [*begin(config), "system", "query"]


def pool_query(pool: str, config: str | None = None) -> list[str]:
    """Command line that reports a pool's free space, targets and rebuild."""
    return [*begin(config), "pool", "query", pool]


def pool_properties(pool: str, config: str | None = None) -> list[str]:
    """Command line that reports the properties of a pool."""
    return [*begin(config), "pool", "get-prop", pool]


def pool_query_of_user(pool: str) -> list[str]:
    """Command line that reports the same to a user who may read the pool."""
    return ["daos", "-j", "pool", "query", pool]


def pool_list(config: str | None = None) -> list[str]:
    """Command line that reports the same of every pool."""
    return [*begin(config), "pool", "list"]


def pool_create(
    label: str, rank: int, size: str, owner: str, config: str | None = None
) -> list[str]:
    """Command line that makes a pool on one rank, without redundancy, for a user.

    `size` is as dmg reads it; a percentage would be of all ranks.
    """
    made = ["--ranks", str(rank), "--size", size, "--user", f"{owner}@"]
    properties = ["--properties", "rd_fac:0,space_rb:0"]
    return [*begin(config), "pool", "create", *made, *properties, label]


def pool_destroy(label: str, config: str | None = None) -> list[str]:
    """Command line that destroys a pool with its containers, even if a client has it open."""
    return [*begin(config), "pool", "destroy", "--recursive", "--force", label]


def begin(config: str | None) -> list[str]:
    """The beginning of a command line, with JSON as its output."""
    return ["dmg", "-j", *(["-o", config] if config else [])]


_EXCLUDED = "its engine ended, or waits for a format (format required, in its daos_server.log)"
"""What dmg does not report of an engine that others have given up."""


class Member(BaseModel):
    """A rank, as the management service reports it."""

    rank: int
    addr: str
    """Host and port of its server."""
    state: str
    fabric_uri: str = ""
    fault_domain: str = ""
    incarnation: int | None = None
    info: str = ""

    def problem(self) -> str | None:
        """Why the rank is not in service; None if it is."""
        if self.state.lower() == "joined":
            return None
        why = self.info or (_EXCLUDED if self.state.lower() == "excluded" else "")
        return f"rank {self.rank} at {self.addr} is {self.state}" + (f": {why}" if why else "")


class _System(BaseModel):
    members: list[Member]


class _Rebuild(BaseModel):
    state: str
    derived_state: str = ""
    status: int = 0
    degraded: bool = False

    @property
    def runs(self) -> bool:
        """Whether data moves, for a rebuild or to reclaim the space that one left behind.

        DAOS 2.8 reports both as busy (`ds_rebuild_query` in its src/rebuild/srv.c).
        """
        return (self.derived_state or self.state) in ("busy", "stopping", "failing")

    def problem(self) -> str | None:
        state = self.derived_state or self.state
        if state not in ("idle", "done"):
            return f"its rebuild is {state}; wait until it ends, or find out why it does not"
        if self.status:
            return f"its last rebuild failed with {self.status}"
        if self.degraded:
            return "it is degraded: part of its data has lost redundancy"
        return None


class _Tier(BaseModel):
    media: str = Field(alias="media_type")
    total: int
    free: int
    least: int = Field(alias="min")
    """Free bytes of the fullest target."""

    def used(self, targets: int) -> float:
        """Used share of the fullest target."""
        return 1 - self.least * targets / self.total if self.total else 0.0


class _Pool(BaseModel):
    uuid: str = ""
    version: int = 0
    """Of its map, which grows when targets are excluded, reintegrated or added."""
    state: str = "Ready"
    total_targets: int
    active_targets: int
    rebuild: _Rebuild | None = None
    tiers: list[_Tier] = Field(alias="tier_stats", min_length=1)

    def problems(self) -> Iterator[str]:
        if self.state not in ("Ready", "TargetsExcluded"):
            yield f"its state is {self.state}"
        if self.active_targets < self.total_targets:
            gone = self.total_targets - self.active_targets
            yield f"{gone} of {self.total_targets} targets are excluded"
        if self.rebuild and (problem := self.rebuild.problem()):
            yield problem
        for tier in self.tiers:
            if (used := tier.used(self.active_targets)) > FULL:
                yield (
                    f"its fullest {tier.media} target is {used:.0%} full, all together"
                    f" {1 - tier.free / tier.total:.0%}; above {FULL:.0%} figures suffer: remove"
                    " what earlier runs left"
                )


class _Listed(BaseModel):
    uuid: str
    label: str = ""
    rebuild: _Rebuild | None = None


class _Pools(BaseModel):
    pools: list[_Listed] | None


class _Answer(BaseModel):
    error: str | None
    response: _System | _Pool | None


def parse(text: str, *, expected_ranks: int | None = None, program: str = TOOL) -> Parsed:
    """Read the JSON of `dmg -j system query`, or of the query of a pool by `dmg` or `daos`.

    Every problem is a reason not to measure, or not to trust what was measured in the meantime. The
    samples are a pool's `free` bytes, labelled `media`; a system has no samples.

    Args:
        text: standard output.
        expected_ranks: required number of ranks of the system.
        program: what was asked.
    """
    objects, invalid = json_objects(text)
    if invalid or len(objects) != 1:
        return Parsed(TOOL, (), (f"no answer from {program}: {no_answer(text, invalid)}",))
    try:
        answer = _Answer.model_validate(objects[0])
    except ValidationError as error:
        return _not_understood(objects[0], error)
    match answer.response:
        case _System(members=members):
            return Parsed(TOOL, (), tuple(_system_problems(members, expected_ranks)))
        case _Pool() as pool:
            samples = tuple(
                Sample("free", float(tier.free), "B", {"media": tier.media})
                for tier in pool.tiers
                if tier.total
            )
            problems = tuple(f"the pool: {problem}" for problem in pool.problems())
            return Parsed(TOOL, samples, problems)
        case _:
            why = answer.error or "it gave no response"
            return Parsed(TOOL, (), (f"{program} failed: {why}",))


def _not_understood(answer: dict[str, Any], error: ValidationError) -> Parsed:
    response = answer.get("response")
    if not isinstance(response, dict):
        why = f"the query of the system or pool was not answered: {first_error(error)}"
        return Parsed(TOOL, (), (why,))
    of = _System if "members" in response else _Pool if "total_targets" in response else None
    if of is not None:
        # The error of a union is that of its first member.
        try:
            of.model_validate(response)
        except ValidationError as its:
            why = f"the answer about the {of.__name__[1:].lower()} has an unexpected form: "
            missing = its.errors()[0]["type"] == "missing"
            return Parsed(TOOL, (), (why + first_error(its),), unread=missing)
    keys = ", ".join(sorted(map(quoted, response))[:4]) or "nothing"
    other = (
        f"this is the answer of another command, or of a release that is not known ({keys});"
        " pass that of dmg -j system query or dmg -j pool query"
    )
    failed = response.get("host_errors")
    its_errors = failed.items() if isinstance(failed, dict) else ()
    reasons = (other, *(f"{quoted(hosts)}: {quoted(error)}" for error, hosts in its_errors))
    return Parsed(TOOL, (), reasons, unread=True)


def _system_problems(members: list[Member], expected: int | None) -> Iterator[str]:
    yield from filter(None, (member.problem() for member in members))
    joined = sum(member.problem() is None for member in members)
    if not members:
        yield "no rank has ever joined the system"
    elif expected is not None and joined != expected:
        yield f"{joined} of {expected} ranks are joined"


def busy_pools(text: str, own: str | None = None) -> list[str]:
    """The pools whose rebuild takes the engines' time, each in a sentence.

    Args:
        text: standard output of `dmg -j pool list`.
        own: the label of a pool to leave out, since `pool query` reports on it.
    """
    answer = read_answer(text)
    if answer.error:
        return [f"the other pools are unknown: {answer.error}"]
    try:
        pools = _Pools.model_validate(answer.response).pools or []
    except ValidationError as error:
        return [f"the other pools are unknown: {first_error(error)}"]
    return [
        f"the pool {pool.label or pool.uuid}, which shares the engines, rebuilds or reclaims space:"
        f" it is {pool.rebuild.derived_state or pool.rebuild.state}; wait until it ends"
        for pool in pools
        if pool.rebuild and pool.rebuild.runs and own not in (pool.label, pool.uuid)
    ]


def known_labels(text: str) -> list[str] | None:
    """The labels of all pools, from `dmg -j pool list`; None if that is no answer."""
    answer = read_answer(text)
    if answer.error:
        return None
    try:
        pools = _Pools.model_validate(answer.response).pools or []
    except ValidationError:
        return None
    return [pool.label for pool in pools]


def labels(text: str) -> list[str]:
    """The labels of all pools, from `dmg -j pool list`; empty if it was not answered."""
    return known_labels(text) or []


def failure(text: str) -> str:
    """Why dmg did not do what it was asked; empty if it did."""
    return read_answer(text).error


def uuid(text: str) -> str:
    """The UUID of a pool from `dmg -j pool query`; empty if there is none."""
    pool = _pool(text)
    return pool.uuid if pool else ""


def ranks(text: str) -> dict[str, int]:
    """The rank at each fabric address, such as ``192.0.2.1:31316``, from `dmg -j system query`.

    Addresses without a port, which some providers have, are left out.
    """
    addresses = ((_ADDRESS.match(member.fabric_uri), member.rank) for member in _members(text))
    return {address[1]: rank for address, rank in addresses if address}


def restarted(before: str, after: str) -> list[str]:
    """Report each rank that restarted between two answers to `dmg -j system query`."""
    was = {member.rank: member.incarnation for member in _members(before)}
    return [
        f"rank {member.rank} at {member.addr} restarted meanwhile"
        for member in _members(after)
        if was.get(member.rank, member.incarnation) != member.incarnation
    ]


def fullest(text: str) -> tuple[float, str]:
    """Used share of a pool's fullest target, and its medium; 0 if the pool is not known."""
    pool = _pool(text)
    if pool is None or not pool.active_targets:
        return 0.0, ""
    return max((tier.used(pool.active_targets), tier.media) for tier in pool.tiers)


def pressed(text: str) -> str:
    """How full a pool is, if its targets hold updates back for that; empty if they do not.

    Args:
        text: standard output of `dmg -j pool query`, or of the same question to `daos`.
    """
    used, media = fullest(text)
    if used <= PRESSED:
        return ""
    return (
        f"its fullest {media} target is {used:.0%} full; from {PRESSED:.0%} on DAOS holds writes"
        " back while it reclaims space"
    )


def remapped(before: str, after: str) -> list[str]:
    """Report a pool that changed between two answers to `dmg -j pool query`.

    A rank that was excluded and reintegrated in between is found nowhere else.
    """
    was, now = _pool(before), _pool(after)
    if was is None or now is None:
        return []
    if was.uuid != now.uuid:
        return ["the pool is not the same as before: something recreated it"]
    if was.version != now.version:
        return [
            "the pool's targets changed meanwhile (excluded, reintegrated or added): its map had"
            f" the version {was.version}, and now has {now.version}"
        ]
    return []


def _response(text: str) -> _System | _Pool | None:
    objects, _ = json_objects(text)
    try:
        return _Answer.model_validate(objects[0] if objects else {}).response
    except ValidationError:
        return None


def _pool(text: str) -> _Pool | None:
    response = _response(text)
    return response if isinstance(response, _Pool) else None


def _members(text: str) -> list[Member]:
    response = _response(text)
    return response.members if isinstance(response, _System) else []


def members(query: Answer) -> list[Member]:
    """The ranks in an answer to `dmg -j system query`; empty if it is not a valid answer."""
    try:
        return _System.model_validate(query.response).members
    except ValidationError:
        return []
