"""A DAOS system of which its programs tell what was recorded, for checks that run MPI programs."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
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
    "pool list": "dmg/quick/pools.txt",
    "storage query list-devices --health": "dmg/quick/devices.txt",
    "network scan": "dmg/quick/network.txt",
}
"""What dmg is asked of a system in which nothing is wrong, and the recordings that answer it."""


SHOWN = b"DAOS.POSIX://fc6e243c-42a9-47dd-872f-142f84d13767/1b8254bf-96ed-4033-a02e-16ce5c8fec9f"
"""What a dfuse says of the container that it shows."""


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


def system(prefix: Path) -> dict[str, Any]:
    """A system with one server and the pool `tank`, whose programs are below a prefix."""
    return {
        "name": "daos_server",
        "version": "2.8",
        "mgmt_svc_replicas": ["s1"],
        "servers": ["s1"],
        "agents": ["c1", "c2"],
        "admin": "c1",
        "prefix": str(prefix),
        "pool": "tank",
    }


def fails(site: Site, check: str, why: str) -> None:
    """Require that a check fails with a sentence, and leaves nothing behind."""
    all_fail(site, {check: why})


def all_fail(site: Site, why: Mapping[str, str]) -> None:
    """Require that checks fail in one run, each with its sentence, and leave nothing behind."""
    done = site.check("|".join(why))
    assert done.returncode == 1, done.stdout + done.stderr
    printed = re.findall(
        r"^FAILURE INFO for (\w+) .*?^  \* Reason: (.*?)$", done.stdout, re.M | re.S
    )
    reasons = dict(printed)
    assert reasons.keys() == why.keys(), done.stdout
    for check, sentence in why.items():
        assert sentence in reasons[check], reasons[check]
    assert site.left_behind() == []


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
        """Let daos tell of the container what was recorded."""
        self.site.program(
            "daos",
            f"{HEALTHY}case $* in\n*query*) {_replayed(recording)};;\n*) exit 64;;\nesac",
        )

    def agent(self, provider: str) -> None:
        """Let the agents give a provider."""
        daos = (self.site.programs / "daos").read_text()
        self.site.program("daos", attached(provider) + daos.partition("\n")[2])

    def perf_pool(self, *, before: Sequence[str] = ()) -> None:
        """Give daos_perf a pool, in which a run leaves the containers that were recorded.

        `before` are the UUIDs of those that somebody else left there, without a label too.
        """
        self.site.describe(lambda document: document["daos"].update(perf_pool="perf"))
        replay(self.site, "daos_perf", "daos_perf/quick")
        perf = self.site.programs / "daos_perf"
        left = self.site.root / "left"
        self.site.program("daos_perf", f"touch {left}\n" + perf.read_text().partition("\n")[2])
        theirs = "".join(f"printf '%8s%s \\n' '' {uuid}\n" for uuid in before)
        self.site.program(
            "daos",
            f"{HEALTHY}case $* in\n*query*) {_replayed('container/posix.txt')};;\n"
            f"*list*) {theirs}[[ ! -e {left} ]] || {_replayed('container/list_unlabelled.txt')};;\n"
            f'*destroy*) echo "$*" >>{self.destroyed}\n'
            f"(($(wc -l <{self.destroyed}) % 2)) || rm -f {left};;\n*) exit 64;;\nesac",
        )

    def mount(self) -> Path:
        """Let a directory pass for a dfuse mount on every client: they read it in /proc/mounts.

        What is loaded there as an interception library is one that takes no calls.
        """
        mount, mounts = self.site.root / "dfuse", self.site.root / "mounts"
        mount.mkdir()
        # As dfuse has it on its root, of the container in `container/posix.txt`.
        os.setxattr(mount, "user.daos", SHOWN)
        mounts.write_text(f"dfuse {mount} fuse.daos rw,nosuid,nodev 0 0\n")
        self.site.program("awk", f'exec /usr/bin/awk "${{@/\\/proc\\/mounts/{mounts}}}"')
        (other,) = Path("/lib").glob("*-linux-gnu/libm.so.6")
        (self.site.root / "lib64").mkdir()
        for name in ("ioil", "pil4dfs"):
            shutil.copy(other, self.site.root / "lib64" / f"lib{name}.so")
        self.site.describe(lambda document: document["daos"].update(mount=str(mount)))
        return mount

    @property
    def destroyed(self) -> Path:
        """A file of the commands that destroyed a container."""
        return self.site.root / "destroyed"

    @property
    def begun(self) -> Path:
        """A file that a benchmark leaves when it is told to."""
        return self.site.root / "begun"

    def change(self, document: dict[str, Any]) -> None:
        document["daos"] = system(self.site.root) | {"container": "posix"}
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
        fails(self.site, check, why)


def _case(asked: str, recording: str) -> str:
    """A question to dmg, and its answer."""
    question = f'"-j -o /etc/daos/daos_control.yml {asked}"'
    return f"{question}) {_replayed(recording)}; exit;;"


def _replayed(recording: str) -> str:
    """A command that prints what was recorded, without its command and exit code."""
    return f"sed '1d; $d' {RECORDED / recording}"


def attached(provider: str = "ofi+tcp") -> str:
    """The beginning of a daos whose agent gives clients a provider."""
    answer = {"system_name": "daos_server", "fabric_provider": provider, "rank_uris": []}
    printed = shlex.quote(json.dumps({"response": answer, "error": None, "status": 0}))
    return f'case $* in "--sys-name "*"system query") echo {printed}; exit;; esac\n'


HEALTHY = (
    f'{attached()}case $* in *"health check") {_replayed("dmg/quick/health.txt")}; exit;; esac\n'
)
"""The beginning of a daos of which the checks ask whether the system is healthy."""
