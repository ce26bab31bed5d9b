"""The hosts of a partition that take no jobs, as Slurm reports them."""

from collections.abc import Iterable, Mapping

from assay.foreign.limits import SLURM
from assay.foreign.sources import Missing, output_of
from assay.tools.slurm import sinfo

SHOWN_HOSTS = 5
"""Maximum number of lost hosts that one sentence names."""


def among(partition: str, hosts: Iterable[str]) -> Mapping[str, str]:
    """Those of the hosts that take no jobs, each with Slurm's reason in a sentence."""
    nodes = sinfo.Nodes(partition)
    answer = output_of(nodes.command, SLURM)
    if isinstance(answer, Missing):
        return {}  # ReFrame's own queries fail then, too, and it reports that
    lost = nodes.lost(answer.out)
    return {name: lost[name] for name in hosts if name in lost}


def sentence(lost: Mapping[str, str]) -> str:
    """Slurm's sentences about lost hosts, at most `SHOWN_HOSTS` of them."""
    shown = list(lost.values())[:SHOWN_HOSTS]
    more = len(lost) - len(shown)
    return "; ".join(shown) + (f"; and {more} more hosts" if more else "")
