"""The hosts of a partition that take no jobs, as Slurm reports them."""

import subprocess
from collections.abc import Iterable, Mapping

from assay.tools.slurm import sinfo

SHOWN_HOSTS = 5
"""Maximum number of lost hosts that one sentence names."""

ANSWER_LIMIT_S = 30
"""Time limit of sinfo, in seconds."""


def among(partition: str, hosts: Iterable[str]) -> Mapping[str, str]:
    """Those of the hosts that take no jobs, each with Slurm's reason in a sentence."""
    try:
        asked = subprocess.run(
            sinfo.command(partition),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=ANSWER_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}  # ReFrame's own queries fail then, too, and it reports that
    lost = sinfo.lost(asked.stdout)
    return {name: lost[name] for name in hosts if name in lost}


def sentence(lost: Mapping[str, str]) -> str:
    """Slurm's sentences about lost hosts, at most `SHOWN_HOSTS` of them."""
    shown = list(lost.values())[:SHOWN_HOSTS]
    more = len(lost) - len(shown)
    return "; ".join(shown) + (f"; and {more} more hosts" if more else "")
