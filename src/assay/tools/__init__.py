"""The benchmark tools: one module each, which builds its command line and reads what it prints."""

from collections.abc import Callable, Mapping

from assay.tools import fdb_hammer, fi_pingpong, fio, ior, mdtest
from assay.tools.output import Parsed

PARSERS: Mapping[str, Callable[[str], Parsed]] = {
    tool.TOOL: tool.parse for tool in (fdb_hammer, fi_pingpong, fio, ior, mdtest)
}
"""The parser of every tool, by the name that `assay parse` knows it by."""
