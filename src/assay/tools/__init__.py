"""The benchmark tools: one module each, which builds its command line and reads what it prints."""

from collections.abc import Callable, Mapping

from assay.tools import (
    agent_log,
    container,
    daos_perf,
    dmg,
    fdb_hammer,
    fi_pingpong,
    findmnt,
    fio,
    io500,
    ior,
    mdtest,
    net_test,
    self_test,
    spdk_nvme_perf,
    vos_perf,
)
from assay.tools.output import Parsed

PARSERS: Mapping[str, Callable[[str], Parsed]] = {
    tool.TOOL: tool.parse
    for tool in (
        *(agent_log, container, daos_perf, dmg, fdb_hammer, fi_pingpong, findmnt, fio),
        *(io500, ior, mdtest, net_test, self_test, spdk_nvme_perf, vos_perf),
    )
}
"""The parser of every tool, by the name that `assay parse` knows it by."""
