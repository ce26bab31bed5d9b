"""A DAOS system of which its programs tell what was recorded, for checks that run MPI programs."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

from private_slurm import REPOSITORY
from site_here import Site

REPLAY = Path(__file__).with_name("replay.py")
RECORDED = REPOSITORY / "tests" / "recorded"
WHOLE = {
    "system query": "dmg/system_query_joined.txt",
    "pool query tank": "dmg/pool_query.txt",
    "pool query perf": "dmg/quick/pool.txt",
}
"""What dmg is asked of a system in which nothing is wrong, and the recordings that answer it."""


def replay(site: Site, tool: str, *recordings: str, then: str = "") -> None:
    """Let a program replay all recordings of directories, each for its own command.

    `then` is shell that changes what was replayed: ``$summary`` is the file that IOR was asked for.
    """
    paths = sorted(
        str(path) for directory in recordings for path in (RECORDED / directory).glob("*.txt")
    )
    assert paths
    words = shlex.join([sys.executable, str(REPLAY), *paths, "--", tool])
    if tool == "daos_perf":
        site.program(tool, f'exec {words} "$@"')
        return
    if not then:
        site.use(tool, f'exec {words} "$@"')
        return
    summary = "summary=$(sed -n 's/.*summaryFile=//p' <<<\"${*: -1}\")"
    site.use(tool, f'{words} "$@" || exit\n[[ $PMI_RANK = 0 ]] || exit 0\n{summary}\n{then}')


class Daos:
    """Two clients, and a server with two engines, the pool `tank` and the container `posix`."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.dmg(WHOLE)
        self.container("container/posix.txt")
        site.describe(self.change)

    def dmg(self, answers: dict[str, str], *, after: dict[str, str] | None = None) -> None:
        """Let dmg answer questions as it was recorded, and others not.

        `after` has the answers that are others once a benchmark of the site has run.
        """
        known = "".join(f"{_case(asked, there)}\n" for asked, there in answers.items())
        later = "".join(f"{_case(asked, there)}\n" for asked, there in (after or {}).items())
        begun = f"[[ -e {self.begun} ]] && case $* in\n{later}esac\n" if later else ""
        self.site.program("dmg", f"{begun}case $* in\n{known}*) exit 64;;\nesac")

    def container(self, recording: str) -> None:
        """Let daos tell of the container what was recorded, and of others in the pool `perf`."""
        self.site.program(
            "daos",
            f"case $* in\n*query*) sed '1d; $d' {RECORDED / recording};;\n"
            f"*list*) sed '1d; $d' {RECORDED / 'container/list_unlabelled.txt'};;\n"
            f'*destroy*) echo "$*" >>{self.destroyed};;\n*) exit 64;;\nesac',
        )

    @property
    def destroyed(self) -> Path:
        """A file of the commands that destroyed a container."""
        return self.site.root / "destroyed"

    @property
    def begun(self) -> Path:
        """A file that a benchmark leaves when it is told to."""
        return self.site.root / "begun"

    def change(self, document: dict[str, Any]) -> None:
        document["daos"] = {
            "name": "daos_server",
            "version": "2.8",
            "mgmt_svc_replicas": ["s1"],
            "servers": ["s1"],
            "agents": ["c1", "c2"],
            "admin": "c1",
            "prefix": str(self.site.root),
            "pool": "tank",
            "container": "posix",
        }
        document["benchmarks"]["ior_apis"] = ["DFS"]
        document["benchmarks"].pop("shared_directory", None)
        server = document["hosts"]["s1"]
        server["server"] = {"system_ram_reserved": 1, "disable_vfio": True}
        server["memory"] = {"total_mib": 65536}
        (engine,) = server["engines"]
        engine["env_vars"] = ["DAOS_TARGET_OVERSUBSCRIBE=1"]
        engine["storage"][0]["scm_size"] = 4
        server["engines"] = [
            engine
            | {"fabric_iface_port": 31316 + 100 * number}
            | {"storage": [{**engine["storage"][0], "scm_mount": f"/mnt/daos{number}"}]}
            for number in (0, 1)
        ]
        for host in document["hosts"].values():
            host["interfaces"] = {"lo": {"address": "127.0.0.1"}}

    def fails(self, check: str, why: str) -> None:
        """Require that a check fails with a sentence, and leaves nothing behind."""
        done = self.site.check(check)
        assert done.returncode == 1, done.stdout + done.stderr
        reasons = re.findall(r"^  \* Reason: (.*)$", done.stdout, re.MULTILINE)
        assert reasons, done.stdout
        assert all(why in reason for reason in reasons), reasons
        assert self.site.left_behind() == []


def _case(asked: str, recording: str) -> str:
    """A question to dmg, and its answer: what was recorded, without its command and exit code."""
    question = f'"-j -o /etc/daos/daos_control.yml {asked}"'
    return f"{question}) sed '1d; $d' {RECORDED / recording}; exit;;"
