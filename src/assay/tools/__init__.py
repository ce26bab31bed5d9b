"""One module for each program, which builds its command line and parses its output.

The benchmarks stand here; what is no benchmark is in a wing: `daos`, `host`, `slurm`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from assay.foreign.text import without_huge_numbers
from assay.tools.launcher_output import without_prefixes

if TYPE_CHECKING:
    from assay.tools.contract import Contract
    from assay.tools.output import Parsed

_TOOLS = {
    path.rpartition(".")[2]: path
    for path in (
        *("daos.agent_log", "daos.container", "daos_perf", "daos.dmg", "fdb_hammer"),
        *("fi_pingpong", "host.findmnt", "fio", "io500", "ior", "mdtest", "net_test"),
        *("self_test", "spdk_nvme_perf", "vos_perf"),
    )
}


_TELLS_PROCESSES = frozenset({"fdb_hammer"})
"""Tools whose processes all report, and are told apart by the labels of `srun --label`."""


class _Parsers(Mapping[str, "Callable[[str], Parsed]"]):
    """Imports the module of a tool only when its parser is requested."""

    def __getitem__(self, tool: str) -> Callable[[str], Parsed]:
        parse: Callable[[str], Parsed] = import_module(f"assay.tools.{_TOOLS[tool]}").parse
        if tool in _TELLS_PROCESSES:
            return lambda text: parse(without_huge_numbers(text))
        return lambda text: parse(without_prefixes(without_huge_numbers(text)))

    def __iter__(self) -> Iterator[str]:
        return iter(_TOOLS)

    def __len__(self) -> int:
        return len(_TOOLS)


PARSERS: Mapping[str, Callable[[str], Parsed]] = _Parsers()
"""The parser of every tool, by the name of its module; `assay parse` takes the same name."""


def known(tool: str) -> Contract:
    """The releases and forms that the parser of a tool knows."""
    contract: Contract = import_module(f"assay.tools.{_TOOLS[tool]}").KNOWS
    return contract
