"""Servers reached by ssh, one of them hostile: an `ssh` that runs its command on this machine."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from returned import archive

CHECKS = Path(__file__).parents[2] / "reframe-checks"
LIMIT_S = 20


@dataclass
class Everywhere:
    """A stage directory with the scripts of two hosts, and what stands in for ssh."""

    root: Path

    def __post_init__(self) -> None:
        for place in (self.stage, self.root / "tmp", self.root / "bin"):
            place.mkdir(parents=True)
        for name in ("steps.sh", "everywhere.sh", "tethered.sh"):
            shutil.copy(CHECKS / name, self.stage)
        for host in ("evil", "good"):
            script = f". ./steps.sh\nsubject {host}/engine0\nstep run 5 echo {host}\n"
            (self.stage / f"{host}.sh").write_text(script)
            (self.stage / f"{host}.subjects").write_text(f"{host}/engine0\n")
        (self.stage / "samples.fio").write_text("[global]\n")
        (self.stage / "ssh.options").write_text("\n")

    @property
    def stage(self) -> Path:
        return self.root / "campaign" / "stage"

    def hostile(self, returned: str) -> None:
        """What the host `evil` runs in the place of the last command, which brings evidence back.

        The other host's run waits until that is done: it comes as late as can be.
        """
        ssh = self.root / "bin" / "ssh"
        ssh.write_text(
            "#!/bin/bash\n"
            f'printf "%s\\n" "$*" >>{self.root}/ssh.log\n'
            "while [[ $1 != evil.test && $1 != good.test ]]; do shift; done\n"
            "host=$1; shift\n"
            f'[[ "$host $*" != evil*create* ]] || {{ ( {returned} ); status=$?;'
            f" touch {self.root}/returned; exit $status; }}\n"
            f'[[ "$host $*" != good*tethered* ]] ||'
            f" {{ for ((i = 0; i < 100; i++)); do [[ ! -e {self.root}/returned ]] || break;"
            " sleep 0.1; done; sleep 0.5; }\n"
            'cd / && exec bash -c "$*"\n'
        )
        ssh.chmod(0o755)

    def returns(self, archive: bytes) -> None:
        """Let the host `evil` return an archive."""
        (self.root / "evil.tar").write_bytes(archive)
        self.hostile(f"cat {self.root}/evil.tar")

    def run(self) -> None:
        hosts = ["evil=evil.test", "good=good.test"]
        subprocess.run(
            ["bash", "everywhere.sh", sys.executable, str(LIMIT_S), *hosts],
            cwd=self.stage,
            env={
                **os.environ,
                "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}",
                "TMPDIR": str(self.root / "tmp"),
            },
            check=True,
            timeout=120,
            stdin=subprocess.DEVNULL,
        )

    @property
    def running(self) -> list[str]:
        """The directories, below the test's own, in which processes still run."""
        places = []
        for process in Path("/proc").glob("[0-9]*/cwd"):
            with contextlib.suppress(OSError):
                places.append(os.readlink(process))
        return [place for place in places if place.startswith(str(self.root))]

    @property
    def refusal(self) -> str:
        return (self.stage / "raw/evil/engine0/refusal").read_text()

    @property
    def good(self) -> str:
        return (self.stage / "raw/good/engine0/run.out").read_text()


@pytest.fixture
def everywhere(tmp_path: Path) -> Everywhere:
    return Everywhere(tmp_path)


def test_what_hosts_leave_comes_back(everywhere: Everywhere) -> None:
    everywhere.hostile('bash -c "$*"')
    everywhere.run()
    assert everywhere.good == "good\n"
    assert (everywhere.stage / "raw/evil/engine0/run.out").read_text() == "evil\n"
    # Nothing is left, neither there nor here.
    assert list((everywhere.root / "tmp").iterdir()) == []
    assert everywhere.running == []
    assert [path.name for path in everywhere.stage.glob(".*")] == []


def test_a_host_does_not_get_the_scripts_of_another(everywhere: Everywhere) -> None:
    listed = everywhere.root / "listed"
    (everywhere.stage / "evil.sh").write_text(f"ls -A >{listed}\n")
    everywhere.hostile('bash -c "$*"')
    everywhere.run()
    assert listed.read_text().split() == ["evil.sh", "samples.fio", "steps.sh", "tethered.sh"]


def test_a_host_does_not_change_the_script_of_another(everywhere: Everywhere) -> None:
    canary = everywhere.root / "canary"
    evil = f"touch {canary}\n"
    everywhere.returns(archive(("good.sh", evil), ("steps.sh", evil), ("raw/../good.sh", evil)))
    everywhere.run()
    assert everywhere.good == "good\n"
    assert not canary.exists()
    assert "belongs to none of its subjects ('good.sh')" in everywhere.refusal


def test_a_host_does_not_forge_the_evidence_of_another(everywhere: Everywhere) -> None:
    everywhere.returns(archive(("raw/good/engine0/forged.out", "fast")))
    everywhere.run()
    assert sorted(path.name for path in (everywhere.stage / "raw/good/engine0").iterdir()) == [
        *("run.err", "run.out", "steps.tsv")
    ]
    assert "'raw/good/engine0/forged.out'" in everywhere.refusal


def test_modes_are_those_of_here(everywhere: Everywhere) -> None:
    everywhere.returns(archive(("raw/evil/engine0/x", ""), mode=0o777))
    everywhere.run()
    mode = (everywhere.stage / "raw/evil/engine0/x").stat().st_mode
    assert stat.S_IMODE(mode) == stat.S_IMODE((everywhere.stage / "good.err").stat().st_mode)


@pytest.mark.parametrize("endless", ["yes", "sleep 1; yes >&2 & sleep 100", "cat /dev/zero"])
def test_a_host_that_never_ends_is_no_burden(everywhere: Everywhere, endless: str) -> None:
    """What it returns is limited, and so are its messages."""
    script = everywhere.stage / "evil.sh"
    script.write_text("timeout 1 yes >&2\n")
    everywhere.hostile(f"timeout 3 bash -c '{endless}'")
    everywhere.run()
    assert everywhere.refusal
    assert everywhere.good == "good\n"
    assert (everywhere.stage / "evil.err").stat().st_size <= 65536
    # Of what it returned nothing is kept.
    size = sum(path.stat().st_size for path in everywhere.stage.rglob("*") if path.is_file())
    assert size < 2**20


def test_what_a_host_says_is_printable(everywhere: Everywhere) -> None:
    everywhere.hostile(r"printf '\e]0;owned\a\e[2Jlast words\n' >&2; exit 255")
    everywhere.run()
    assert everywhere.refusal.endswith(
        "evil was not reached by ssh to evil.test, or was lost: ]0;owned[2Jlast words\n"
    )


def test_ssh_is_given_no_empty_option(everywhere: Everywhere) -> None:
    everywhere.hostile('bash -c "$*"')
    everywhere.run()
    for line in (everywhere.root / "ssh.log").read_text().splitlines():
        assert line.startswith("-a -x ")


def test_ssh_lends_nothing_and_knows_its_hosts(everywhere: Everywhere) -> None:
    (everywhere.stage / "ssh.options").write_text("Port=2222\nStrictHostKeyChecking=accept-new\n")
    everywhere.hostile('bash -c "$*"')
    everywhere.run()
    for line in (everywhere.root / "ssh.log").read_text().splitlines():
        assert line.startswith("-oPort=2222 -oStrictHostKeyChecking=accept-new -a -x ")
        assert " -o StrictHostKeyChecking=yes -o ForwardAgent=no " in line
        assert re.search(r" -- (evil|good)\.test ", line)
