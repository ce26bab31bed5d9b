"""Problems of a description: one sentence with host, key, value and remedy."""

from __future__ import annotations

import difflib
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from assay.foreign.text import quoted


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem.

    `allowed` says which value is allowed, so that the reader need not look it up. A warning is
    shown, but blocks nothing.
    """

    host: str | None
    key: str
    value: object
    allowed: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        host, key = quoted(self.host or ""), quoted(self.key)
        where = ": ".join(part for part in (host and f"host {host}", key) if part)
        what = "" if self.value is None else f" = {quoted(self.value)}"
        return f"{where}{what}: {self.allowed}".removeprefix(" = ").removeprefix(": ")


MOST = 1_000
"""Listed problems of one part of a description; a suggestion for each takes time."""

_VARIABLES = {
    "engines": "daos_server_engines",
    "server.": "daos_server_",
    "agent.": "daos_agent_",
    "daos.file_oclass": "daos_system_pools[0].containers[0].file_oclass",
    "daos.dir_oclass": "daos_system_pools[0].containers[0].dir_oclass",
    "daos.perf_pool": "cluster_daos_perf_pool",
    "daos.pools": "daos_system_pools",
    "daos.failure": "cluster_failure",
    "daos.rank_pool_size": "cluster_rank_pool_size",
    "daos.": "daos_",
    "provider": "daos_provider",
    "scratch.directory": "benchmarks_scratch",
    "scratch.ssd": "cluster_scratch_ssd",
    "shared.path": "reframe_prefix",
    "datasheets": "cluster_datasheets",
    "hardware": "cluster_hardware",
    "floors": "cluster_floors",
    "populations": "cluster_populations",
    "ssh_options": "cluster_ssh_options",
    "interface": "cluster_address",
}
"""Prefixes of keys in cluster.json, and the variables of the roles that they come from."""


def variable(key: str) -> str:
    """The inventory's name for a key of cluster.json; the key of a fact keeps its name."""
    for start, name in _VARIABLES.items():
        if key == start or key.startswith(
            start if start.endswith(".") else (f"{start}[", f"{start}.")
        ):
            return name + key.removeprefix(start)
    return key


def from_pydantic(
    error: ValidationError, model: type[BaseModel], host: str | None
) -> Iterator[Problem]:
    """Turn pydantic's errors into problems with the key as it is in the file, at most `MOST`."""
    details = error.errors(include_url=False)
    outer = {detail["loc"][:depth] for detail in details for depth in range(len(detail["loc"]))}
    # An outer error only follows from one further inside.
    innermost = [detail for detail in details if detail["loc"] not in outer]
    if len(innermost) > MOST:
        yield Problem(host, "", None, f"{len(innermost):,} problems, of which {MOST:,} are listed")
    for detail in innermost[:MOST]:
        location = detail["loc"]
        key = _key(location)
        value: object = detail["input"]
        if detail["type"] == "missing":
            yield Problem(host, key, None, "is missing: set it")
        elif detail["type"] == "extra_forbidden":
            yield Problem(host, key, None, _unknown(str(location[-1]), model, location[:-1]))
        else:
            shown = value if isinstance(value, str | int | float | bool) else None
            yield Problem(host, key, shown, _in_words(detail))


_WORDS = {
    "int_type": "should be a whole number",
    "int_parsing": "should be a whole number",
    "int_from_float": "should be a whole number",
    "float_type": "should be a number",
    "float_parsing": "should be a number",
    "bool_type": "should be true or false",
    "bool_parsing": "should be true or false",
    "string_type": "should be text",
    "tuple_type": "should be a list, such as [a, b]",
    "mapping_type": "should be keys and values",
    "model_type": "should be keys and values",
    "model_attributes_type": "should be keys and values",
    "dict_type": "should be keys and values",
    "path_type": "should be a path",
    "path_parsing": "should be a path",
    "too_short": "should have at least one entry",
}
"""Pydantic's errors in the words of an inventory."""

_FORMS = {
    "^[A-Za-z0-9][A-Za-z0-9_-]*$": "should be letters, digits, - and _, beginning with a letter or"
    " digit, such as cluster-1",
    "^[A-Za-z0-9][A-Za-z0-9_-]{0,14}$": "should be at most 15 letters, digits, - and _, beginning"
    " with a letter or digit, such as daos_server",
    r"^(ofi\+|ucx\+).+": "should be a DAOS provider, which begins with ofi+ or ucx+, such as"
    " ofi+tcp",
    r"^[A-Za-z0-9_][A-Za-z0-9_.+-]*$": "should be letters and digits, and after the first also"
    " _.+-, as in Slurm",
    r"^[A-Za-z0-9_][A-Za-z0-9_.+/-]*$": "should be a module as `module avail` lists it, such as"
    " openmpi/4.1.4",
    r"^--(account|clusters|constraint|core-spec|gpus-per-node|gres|hint|licenses|mem"
    r"|mem-per-cpu|network|nice|prefer|qos|reservation|switches|wckey)"
    r"=[A-Za-z0-9_.,:;&|*()\[\]@=/+-]+$": "should be an option of sbatch that says when a job"
    " runs, such as --account=proj: account, clusters, constraint, core-spec, gpus-per-node, gres,"
    " hint, licenses, mem, mem-per-cpu, network, nice, prefer, qos, reservation, switches, wckey",
    r"^[A-Za-z0-9_.-]+:[0-9]{1,5}$": "should be a server and its telemetry port, such as"
    " 192.0.2.1:9191",
    r"^\d\.\d x(1|2|4|8|16)$": "should be a generation of PCIe and its lanes, such as 4.0 x4",
}
"""The meaning of each pattern of the description."""


def _in_words(detail: Any) -> str:
    """One of pydantic's errors in words."""
    if detail["type"] == "string_pattern_mismatch":
        pattern = str(detail["ctx"]["pattern"])
        return _FORMS.get(pattern, "should be an option that runs no command, such as Port=2222")
    sentence = _WORDS.get(detail["type"]) or detail["msg"].removeprefix("Value error, ")
    return str(sentence).replace("Input should", "should")


def _key(location: tuple[int | str, ...]) -> str:
    """`('engines', 0, 'targets')` as `engines[0].targets`."""
    key = ""
    for part in location:
        key += f"[{part}]" if isinstance(part, int) else f".{part}"
    return key.lstrip(".")


def _unknown(key: str, model: type[BaseModel], parents: tuple[int | str, ...]) -> str:
    allowed = sorted(_allowed_keys(model, parents))
    near = difflib.get_close_matches(key, allowed, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    return f"unknown key{hint}; choose from: {', '.join(allowed)}"


def _allowed_keys(model: type[BaseModel], parents: tuple[int | str, ...]) -> set[str]:
    """The keys of the model at the end of a location."""
    current: Any = model
    for part in parents:
        if isinstance(current, type) and issubclass(current, BaseModel):
            by_name = {field.alias or name: field for name, field in current.model_fields.items()}
            current = by_name[str(part)].annotation
        else:
            current = typing.get_args(current)[1 if _is_mapping(current) else 0]
        if isinstance(current, types.UnionType):
            current = next(arg for arg in typing.get_args(current) if arg is not type(None))
    return {field.alias or name for name, field in current.model_fields.items()}


def _is_mapping(annotation: Any) -> bool:
    origin = typing.get_origin(annotation)
    return isinstance(origin, type) and issubclass(origin, Mapping)
