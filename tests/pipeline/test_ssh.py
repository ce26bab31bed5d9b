"""Servers that are no nodes of Slurm, reached by a real sshd."""

from __future__ import annotations

import contextlib
import io
import shutil
import signal
import subprocess
import tarfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from private_slurm import PATH, PrivateSlurm, missing, process_file, send, wait_for
from site_here import BRIEF_PHASES, Site

from needs import without

PORT = 2222
HOSTILE = "127.0.0.2"
"""Where a server listens that answers as it likes."""


@dataclass(frozen=True)
class Sshd:
    """An sshd at 127.0.0.1, and the configuration of an ssh that it lets in."""

    directory: Path

    @property
    def configuration(self) -> Path:
        return self.directory / "config"

    @property
    def hostile(self) -> Path:
        """What a server runs in the place of every command, once somebody has written it."""
        return self.directory / "hostile.sh"

    @property
    def temporary(self) -> Path:
        """Where those who are let in make temporary files."""
        return self.directory / "tmp"

    def key(self, name: str) -> Path:
        """A new key."""
        path = self.directory / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
        return path

    def configure(self) -> Path:
        """Write what both sides need, and say which file is sshd's."""
        host, user, known = self.key("host"), self.key("user"), self.directory / "known_hosts"
        public = host.with_suffix(".pub").read_text()
        known.write_text("".join(f"[{at}]:{PORT} {public}" for at in ("127.0.0.1", HOSTILE)))
        self.configuration.write_text(
            f"Port {PORT}\nIdentityFile {user}\nIdentitiesOnly yes\nUserKnownHostsFile {known}\n"
        )
        self.temporary.mkdir()
        server = self.directory / "sshd_config"
        server.write_text(
            f"ListenAddress 127.0.0.1:{PORT}\nHostKey {host}\nPidFile none\nUsePAM no\n"
            f"AuthorizedKeysFile {user.with_suffix('.pub')}\nStrictModes no\n"
            f"SetEnv TMPDIR={self.temporary}\nListenAddress {HOSTILE}:{PORT}\n"
            f"Match LocalAddress {HOSTILE}\nForceCommand bash {self.hostile}\n"
        )
        return server


@pytest.fixture(scope="module")
def sshd(slurm: PrivateSlurm) -> Sshd:
    """It ends with the Slurm beside which it runs."""
    if why := missing("sshd"):
        without(why)
    directory = slurm.directory / "sshd"
    directory.mkdir()
    here = Sshd(directory)
    program = shutil.which("sshd", path=PATH)
    assert program
    # Where the distribution has its service make it.
    Path("/run/sshd").mkdir(exist_ok=True)
    slurm.daemon("sshd", program, "-D", "-e", "-f", str(here.configure()))
    log = slurm.directory / "sshd.out"
    wait_for(lambda: "Server listening" in log.read_text(), "sshd")
    return here


@pytest.fixture
def site(make_site: Callable[..., Site], sshd: Sshd) -> Iterator[Site]:
    """Two servers, of which this machine plays both."""
    here = make_site({})
    here.use("fio", BRIEF_PHASES)
    here.describe(lambda document: document.update(servers_scheduler="ssh"))
    here.program("ssh", f'exec /usr/bin/ssh -F {sshd.configuration} "$@"')
    yield here
    # What has been lost is given ten seconds to end by itself.
    with contextlib.suppress(TimeoutError):
        wait_for(lambda: not here.slurm.others(), "end of all that ran there", seconds=60)
    assert here.slurm.others() == []
    assert here.files() == []
    assert list(sshd.temporary.iterdir()) == []


def test_servers_are_measured_by_ssh(site: Site) -> None:
    done = site.check("ScmFio")
    assert done.returncode == 0, done.stdout
    for host in ("s1", "s2"):
        assert f"read_1m@{host}/engine0" in done.stdout


def test_a_host_that_is_not_there_is_named(site: Site) -> None:
    site.describe(lambda document: document["hosts"]["s2"].update(address="127.0.0.3"))
    site.use("fio", "exit 1")
    done = site.check("ScmFio")
    assert "s1/engine0: fio (fio) failed with exit status 1; s2/engine0: s2 was not" in done.stdout
    assert "Connection refused" in done.stdout


def test_a_key_that_is_refused_is_reported(site: Site, sshd: Sshd) -> None:
    mine = sshd.configuration.read_text()
    other = sshd.directory / "config.other"
    other.write_text(mine.replace(f"{sshd.directory}/user\n", f"{sshd.key('stranger')}\n"))
    site.program("ssh", f'exec /usr/bin/ssh -F {other} "$@"')
    done = site.check("ScmFio")
    for host in ("s1", "s2"):
        assert f"{host}/engine0: {host} was not reached by ssh to 127.0.0.1" in done.stdout
    assert "Permission denied" in done.stdout


def test_a_program_that_is_missing_there_is_named(site: Site) -> None:
    site.describe(lambda document: document["benchmarks"].update(fio="/nowhere/fio"))
    done = site.check("ScmFio")
    assert "s1/engine0: /nowhere/fio (fio) is missing or cannot be run" in done.stdout


def test_a_hostile_server_harms_no_other(site: Site, sshd: Sshd) -> None:
    """What it returns would replace the script of another, forge its figures, and lead outside."""
    canary, victim = site.root / "canary", site.root / "victim"
    evil = sshd.directory / "evil.tar"
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name in ("s1.sh", "steps.sh", "raw/s1/engine0/fio.json", "raw/s2/engine0/fio.json"):
            member = tarfile.TarInfo(name)
            text = f"touch {canary}\n".encode()
            member.size, member.mode = len(text), 0o4755
            archive.addfile(member, io.BytesIO(text))
        link = tarfile.TarInfo("raw/s2/engine0/key")
        link.type, link.linkname = tarfile.SYMTYPE, str(victim)
        archive.addfile(link)
    evil.write_bytes(made.getvalue())
    victim.write_text("a private key")
    sshd.hostile.write_text(
        f"case $SSH_ORIGINAL_COMMAND in *tar*create*) cat {evil} ;; *tethered*) ;;"
        f" mktemp*) echo {sshd.temporary} ;; *) cat >/dev/null ;; esac\n"
    )
    site.describe(lambda document: document["hosts"]["s2"].update(address=HOSTILE))
    # The other server is still busy when all that has come back.
    site.use("fio", f"sleep 5\n{BRIEF_PHASES}")
    done = site.check("ScmFio")
    assert "s2/engine0: s2 returned " in done.stdout
    assert "s1/engine0:" not in done.stdout
    (stage,) = {path.parent for path in site.root.rglob("s1.sh")}
    assert "canary" not in (stage / "s1.sh").read_text()
    assert "canary" not in (stage / "raw/s1/engine0/fio.json").read_text()
    assert [path.name for path in (stage / "raw/s2/engine0").iterdir()] == ["refusal"]
    assert not canary.exists()


@pytest.mark.parametrize(
    ("ends", "why"),
    [
        (("sshd: root@",), "s1/engine0: s1 was not reached by ssh to 127.0.0.1"),
        (
            ("bash\0everywhere.sh", "/usr/bin/ssh\0"),
            "s1/engine0: the job ended before fio (fio) did",
        ),
    ],
    ids=["there", "here"],
)
def test_nothing_runs_on_when_the_connection_is_lost(
    site: Site, ends: tuple[str, ...], why: str
) -> None:
    def running(what: str) -> list[int]:
        processes = site.slurm.processes()
        return [each for each in processes if process_file(each, "cmdline").startswith(what)]

    def host(process: int) -> str:
        named = process_file(process, "environ").partition("SLURMD_NODENAME=")[2]
        return named.partition("\0")[0]

    def generation(process: int) -> int:
        parent = process_file(process, "stat").rpartition(") ")[2].split()
        return 1 + generation(int(parent[1])) if parent else 0

    def cut() -> None:
        # One fio is several processes.
        wait_for(lambda: {"s1", "s2"} <= {*map(host, running("/usr/bin/fio"))}, "fio on both")
        cut_off = [process for end in ends for process in running(end)]
        # They stop before they end: one that saw another end would say that the host is lost. And
        # children end first: what is stopped goes on where its parent ends (setpgid(2)).
        for process in cut_off:
            send(signal.SIGSTOP, process)
        for process in sorted(cut_off, key=generation, reverse=True):
            send(signal.SIGKILL, process)

    # It would run for longer than the other host takes to begin, however busy this machine is.
    site.use("fio", 'sed -i "s/^runtime=1$/runtime=300/" "${@: -1}"; exec /usr/bin/fio "$@"')
    cutting = threading.Thread(target=cut)
    cutting.start()
    done = site.check("ScmFio")
    cutting.join()
    assert why in done.stdout
