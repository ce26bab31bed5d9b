"""What the launchers of MPI programs print when they cannot start one."""

from __future__ import annotations

import re

from assay.foreign.text import one_line
from assay.tools.text import OTHER_LAUNCHER

_BANNER = re.compile(r"^-{60,}\n(?P<text>.+?)^-{60,}$", re.MULTILINE | re.DOTALL)
"""Open MPI prints what it has to say between two lines of dashes."""

_STARTED = re.compile(r"Primary job|mpirun detected|MPI_ABORT|A system call|.*WARNING")
"""How those of a program begin that did start: it has said more itself."""

_SENTENCE = re.compile(r".*?(?:[.:](?=\s)|$)", re.DOTALL)

_LINE = re.compile(
    r"^(?:mpirun: Error: |\[proxy:\S+\] HYDU_create_process \(\S+\): )(?P<text>.+)$", re.MULTILINE
)
"""mpirun of Open MPI about its own command line, and Hydra about a program."""

_ENDED = re.compile(
    r"^srun: error: (?P<host>\S+): task(?P<several>s?) (?P<ranks>[\d,-]+):"
    r" (?P<signal>[A-Z][a-z]+(?: [A-Za-z]+)*)",
    re.MULTILINE,
)

_OF_THE_PROCESSOR = {
    *("Segmentation fault", "Bus error", "Illegal instruction", "Floating point exception"),
}
"""Who is `Aborted` has said why."""

_BY_THE_KERNEL = {"Killed", "Out Of Memory"}
"""Unless srun did it: that ends the other ranks after one, and with SIGTERM first. The latter is
said where Slurm limits the memory of a job."""


def why_not_started(printed: str) -> str | None:
    """Why a launcher did not start a program, in its own words; None if it does not say so."""
    for banner in _BANNER.finditer(printed):
        if not _STARTED.match(banner["text"]):
            return _sentence(banner["text"])
    line = _LINE.search(printed)
    return one_line(line["text"]) if line else None


def crashed(printed: str) -> str | None:
    """Which ranks of an MPI program a signal ended, but not srun's; None if srun names none.

    These are of the first host that srun reports: it names all ranks of a host in one line.
    """
    every = list(_ENDED.finditer(printed))
    ended = next((each for each in every if each["signal"] in _OF_THE_PROCESSOR), None)
    if ended:
        return f"{_ranks(ended)} crashed ({ended['signal']})"
    if every and every[0]["signal"] in _BY_THE_KERNEL:
        killed = "were" if every[0]["several"] else "was"
        return f"{_ranks(every[0])} {killed} killed, as if memory ran out: see dmesg there"
    return None


def _ranks(ended: re.Match[str]) -> str:
    return f"rank{ended['several']} {ended['ranks']} on {ended['host']}"


def plugins(printed: str) -> tuple[str, ...]:
    """The plugins for MPI that srun has, of what ``srun --mpi=list`` prints; empty if unknown.

    Args:
        printed: standard output and standard error; older releases print to the latter.
    """
    names: list[str] = []
    _, _, listed = printed.partition("types are...")
    for line in listed.splitlines():
        words = line.removeprefix("srun: ").strip()
        before, versions, after = words.partition("plugin versions available: ")
        names += after.split(",") if versions else re.findall(r"^[\w.+-]+$", before)
    return tuple(dict.fromkeys(filter(None, map(str.strip, names))))


def _sentence(banner: str) -> str:
    """The first sentence, and the paragraph that it announces with a colon."""
    first, *others = (" ".join(part.split()) for part in re.split(r"\n\s*\n", banner.strip()))
    match = _SENTENCE.match(first)
    sentence = one_line(match[0] if match else first)
    if sentence.endswith(":") and sentence == first and others:
        sentence += f" {one_line(others[0])}"
    return sentence.removesuffix(".") + (OTHER_LAUNCHER if "direct launched" in sentence else "")
