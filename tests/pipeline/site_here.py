"""This machine as a site of several hosts, measured and signed off as a site does it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import Result
from private_slurm import NODES, PATH, REPOSITORY, PrivateSlurm, wait_for
from typer.testing import CliRunner

from assay.checks.plan import CHECKS as CATALOGUE
from assay.checks.plan import LAYERS
from assay.cli import app

CHECKS = REPOSITORY / "reframe-checks"
# The commands of the environment in which the tests run.
COMMANDS = str(Path(sys.executable).parent)
SCM_MIB = 400

FEW_MESSAGES = 'args=("${@/#20000/50}"); exec /usr/bin/fi_pingpong "${args[@]/#1000/50}"'
"""The real fi_pingpong: both of its ends spin, which takes every core from all other tests."""

BRIEF_PHASES = """
sed 's/^runtime=1$/runtime=200ms/' "${@: -1}" >"$SCRATCH/brief.fio"
exec /usr/bin/fio "${@:1:$#-1}" "$SCRATCH/brief.fio"
"""
"""The real fio, whose phases that take a time take less of it."""

FEW_FIELDS = f"""
exec {COMMANDS}/reframe "$@" -S field_steps=1 -S fields_per_step=4
"""
"""ReFrame, told to have few of FDB's fields: the sums of all took half of the campaign."""


def search_path(layers: Iterable[str]) -> dict[str, str]:
    """Where ReFrame looks for the checks of some layers: to load all of them takes longer."""
    return {"RFM_CHECK_SEARCH_PATH": ":".join(str(CHECKS / layer) for layer in layers)}


@dataclass(frozen=True)
class SignedOff:
    """What `assay signoff` said, and the bundle that it wrote."""

    exit_code: int
    bundle: Path

    @property
    def metrics(self) -> list[dict[str, Any]]:
        return list(json.loads((self.bundle / "report.json").read_text())["metrics"])

    @property
    def summary(self) -> str:
        """The summary without its line breaks."""
        return " ".join((self.bundle / "summary.txt").read_text().split())

    def of(self, check: str) -> list[dict[str, Any]]:
        """The verdicts of a check's metrics."""
        metrics = [metric for metric in self.metrics if metric["check"] == check]
        assert metrics, f"{check} is not in the report"
        return metrics


@dataclass(frozen=True)
class Campaign:
    """What `campaign.sh` left behind."""

    site: Site
    directory: Path
    exit_code: int
    messages: str

    @property
    def reports(self) -> str:
        return f"{self.directory}/reports/*.json"

    @property
    def cases(self) -> list[dict[str, Any]]:
        """The test cases of the run reports, one a session."""
        return [
            case
            for report in sorted((self.directory / "reports").glob("*.json"))
            for run in json.loads(report.read_text())["runs"]
            for case in run["testcases"]
        ]

    @property
    def printed(self) -> str:
        """What ReFrame printed."""
        return (self.directory / "reframe.out").read_text()

    def sign_off(self, gate: str = "measured") -> SignedOff:
        bundle = self.directory.with_name(f"{self.directory.name}-signed-off")
        done = self.site.assay("signoff", f"--reports={self.reports}", f"--out={bundle}", gate=gate)
        assert bundle.is_dir(), f"no bundle: {done.output}"
        return SignedOff(done.exit_code, bundle)


class Site:
    """A description of this machine as several hosts, and the commands that use it."""

    def __init__(
        self,
        slurm: PrivateSlurm,
        root: Path,
        benchmarks: Mapping[str, str | Path],
        *,
        clients: Sequence[str] = NODES["clients"],
        servers: Sequence[str] = NODES["servers"],
        scratch: Path | None = None,
        ssd: str | None = None,
    ) -> None:
        root.mkdir(parents=True)
        self.slurm = slurm
        self.root = root
        self.cluster = root / "cluster.json"
        self._campaigns = 0
        names = sorted({*clients, *servers})
        self.scratches = {name: scratch or root / "scratch" / name for name in names}
        for directory in self.scratches.values():
            directory.mkdir(parents=True, exist_ok=True)
        self._document: dict[str, Any] = {
            "name": "here",
            "controller": clients[0],
            "clients": list(clients),
            "servers": list(servers),
            "colocated": bool({*clients} & {*servers}),
            "benchmarks": {name: str(path) for name, path in benchmarks.items()},
            "hosts": {name: self._host(name, ssd) for name in names},
        }
        for name in servers:
            self._document["hosts"][name]["engines"] = [self._engine(name)]
        self.cluster.write_text(json.dumps(self._document))

    def use(self, benchmark: str, script: str) -> None:
        """Let a script stand in for a benchmark's program."""
        self._document["benchmarks"][benchmark] = str(self.program(benchmark, script))
        self.cluster.write_text(json.dumps(self._document))

    @property
    def programs(self) -> Path:
        """Where programs lie that stand in for others."""
        return self.root / "bin"

    def members(self, partition: str) -> list[str]:
        """The hosts of a partition."""
        return list(self._document[partition])

    def describe(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Let something change the description."""
        change(self._document)
        self.cluster.write_text(json.dumps(self._document))

    def _host(self, name: str, ssd: str | None) -> dict[str, Any]:
        return {
            "address": "127.0.0.1",
            "cores": os.cpu_count(),
            "memory": {
                "total_mib": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") // 2**20
            },
            "numa_nodes": 1,
            "interface": "lo",
            "interfaces": {"lo": {}},
            "scratch": {
                "directory": str(self.scratches[name]),
                "filesystem": "that of the test",
                "device": name,
                **({"ssd": ssd} if ssd else {}),
            },
        }

    def _engine(self, host: str) -> dict[str, Any]:
        mount = self.slurm.tmpfs(self.root / "scm" / host, SCM_MIB)
        tier = {"class": "ram", "scm_mount": str(mount), "scm_size": 1}
        return {"targets": 1, "nr_xs_helpers": 0, "fabric_iface": "lo", "storage": [tier]}

    @property
    def environment(self) -> dict[str, str]:
        """What the role `reframe` writes to environment.sh, for the checks of this tree.

        The programs of the test's own are the first on the path.
        """
        return {
            "PATH": f"{self.programs}:{COMMANDS}:{PATH}",
            "ASSAY_CLUSTER": str(self.cluster),
            "RFM_CONFIG_FILES": str(CHECKS / "settings.py"),
            **search_path(LAYERS),
        }

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command as a user of the site does."""
        return self.slurm.run(*command, extra=self.environment, cwd=self.root)

    def assay(self, *arguments: str, gate: str | None = None) -> Result:
        """Run `assay` in this process: to start it takes longer than most of its work."""
        words = [*arguments, *([f"--gate={gate}"] if gate else [])]
        return CliRunner().invoke(app, words, env=self.environment)

    def start(self, *tags: str, into: Path | None = None) -> tuple[subprocess.Popen[str], Path]:
        """Start a campaign, or take one up again; options of campaign.sh are among its tags."""
        for partition in self.slurm.partitions:
            self.slurm.set_partition(partition, self.members(partition))
        self._campaigns += 1
        directory = into or self.root / "campaigns" / str(self._campaigns)
        environment = self.root / "environment.sh"
        layers = [tag for tag in tags if tag in LAYERS] or LAYERS
        exported = self.environment | search_path(layers)
        environment.write_text(
            "".join(f"export {name}={shlex.quote(text)}\n" for name, text in exported.items())
        )
        process = self.slurm.popen(
            str(CHECKS / "campaign.sh"),
            *(tag for tag in tags if tag.startswith("--")),
            str(directory),
            *(tag for tag in tags if not tag.startswith("--")),
            extra={"ASSAY_ENVIRONMENT": str(environment)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return process, directory

    def finish(self, started: tuple[subprocess.Popen[str], Path]) -> Campaign:
        """Wait for a campaign's end."""
        process, directory = started
        messages, _ = process.communicate()
        return Campaign(self, directory, process.returncode, messages)

    def measure(self, *tags: str) -> Campaign:
        """Run a campaign from start to end."""
        return self.finish(self.start(*tags))

    def check(self, names: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Run a check by hand, or `A|B`."""
        for partition in self.slurm.partitions:
            self.slurm.set_partition(partition, self.members(partition))
        layers = {CATALOGUE[name].layer for name in re.findall(r"\w+", names)}
        written = search_path(layers) | {
            "RFM_SQLITE_DB_FILE": str(self.root / "results.db"),
            "RFM_REPORT_FILE": str(self.root / "report.json"),
        }
        # nsenter leaves the directory that it is started in.
        chosen = f"--name=^({names})\\b"
        reframe = ["reframe", "--run", chosen, "--tag=quick", "--nocolor", *options]
        return self.slurm.run(
            *("bash", "-c", f"cd {self.root} && exec {shlex.join(reframe)}"),
            extra=self.environment | written,
        )

    def program(self, name: str, script: str) -> Path:
        """Write a program that stands in for another."""
        path = self.programs / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)
        return path

    def left_behind(self) -> list[str]:
        """What a campaign should have taken away: jobs, processes, files in scratch."""
        self.slurm.wait_until_empty()
        with contextlib.suppress(TimeoutError):
            wait_for(lambda: not self.slurm.others(), "end of all processes", seconds=30)
        return [*self.slurm.others(), *self.files()]

    def files(self) -> list[str]:
        """What lies in the directories where the checks write."""
        return [
            str(path)
            for directory in {*self.scratches.values(), *(self.root / "scm").glob("*")}
            for path in self.slurm.seen(directory).iterdir()
        ]
