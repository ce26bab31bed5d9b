"""A Slurm of its own on this machine, configured as the role `slurm` does it.

Its daemons live in a network and a mount namespace: they listen on a loopback that nobody else
sees, and what is mounted for a test is gone with it. Every process of the namespace is known by
it, so nothing is left behind unseen.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import jinja2
import yaml

REPOSITORY = Path(__file__).parents[2]
ROLE = REPOSITORY / "roles" / "slurm"
NODES = {"clients": ["c1", "c2"], "servers": ["s1", "s2"]}
PROGRAMS = ("slurmctld", "slurmd", "munged", "nsenter", "unshare", "setpriv", "ip", "fio")
PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"
NODE_TIMEOUT_S = 15
# Slurm resolves no name where there is no other address than 127.0.0.1 (AI_ADDRCONFIG).
_LOOPBACK = "ip link set lo up && ip address add 127.0.0.2/8 dev lo"


def missing(*programs: str) -> str | None:
    """Why tests that need root and some programs cannot run here, in words."""
    if os.geteuid() != 0:
        return "a Slurm is started by root; run pytest as root"
    absent = [program for program in programs if shutil.which(program, path=PATH) is None]
    if absent:
        return f"{', '.join(absent)} not installed; tests/host-tools.sh installs them"
    return None


def children(process: int) -> list[int]:
    """The processes that a process has started itself and that have not ended."""
    return [int(child) for child in process_file(process, f"task/{process}/children").split()]


def wait_for(condition: Callable[[], object], what: str, *, seconds: float = 120) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"after {seconds:g} s: no {what}")
        time.sleep(0.05)


class PrivateSlurm:
    """The daemons of controller and nodes, and a way to run programs beside them."""

    def __init__(self, partitions: Mapping[str, Sequence[str]] = NODES) -> None:
        self.partitions = partitions
        # Not below /tmp, which may be a tmpfs: direct I/O wants a disk.
        self.directory = Path(tempfile.mkdtemp(prefix="assay-pipeline.", dir="/var/tmp"))
        self.directory.chmod(0o755)
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        self.environment = {
            name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ
        } | {"PATH": PATH, "SLURM_CONF": str(self.directory / "slurm.conf")}
        self._holder = subprocess.Popen(
            [
                *("setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount"),
                *("sh", "-c", f"{_LOOPBACK} && exec sleep infinity"),
            ],
            env=self.environment,
        )
        wait_for(lambda: "sleep" in process_file(self._holder.pid, "cmdline"), "network namespace")

    def start(self) -> None:
        """Start everything and wait for the nodes."""
        self._configure()
        self._start_munge()
        self.daemon("slurmctld", "slurmctld", "-D")
        for node in self.nodes:
            self.start_node(node)
        self.wait_for_nodes()

    @property
    def nodes(self) -> list[str]:
        """Clients and servers."""
        return [node for nodes in self.partitions.values() for node in nodes]

    def daemon(self, name: str, *command: str) -> None:
        """Start a program that runs until the end; what it prints is kept in NAME.out."""
        with (self.directory / f"{name}.out").open("ab") as log:
            self._daemons[name] = self.popen(
                "setpriv", "--pdeathsig", "KILL", *command, stdout=log, stderr=log
            )

    def start_node(self, node: str) -> None:
        """Start a node's slurmd."""
        self.daemon(node, "slurmd", "-D", "-N", node)

    @contextlib.contextmanager
    def without(self, node: str) -> Iterator[None]:
        """Let a node vanish as a host without power does, with all that it runs, and come back."""
        log = str(self.directory / f"{node}.log")

        def there() -> set[int]:
            return {
                process
                for process in self.processes()
                if f"SLURMD_NODENAME={node}\0" in process_file(process, "environ")
                or log in open_files(process)
            }

        # They stop before they end: one that saw another end would tell the rest of Slurm.
        stopped: set[int] = set()
        while running := there() - stopped:
            for process in running:
                send(signal.SIGSTOP, process)
            stopped |= running
        # Children first: a group that stands still and loses its parent gets SIGHUP of the kernel
        # and goes on, at which bash runs its EXIT trap, and srun kills the job.
        for process in sorted(stopped, key=started, reverse=True):
            send(signal.SIGKILL, process)
        self._daemons.pop(node).wait()
        try:
            yield
        finally:
            self.start_node(node)
            self.wait_for_nodes()

    def set_partition(self, name: str, nodes: Sequence[str]) -> None:
        """Let a partition have these nodes and no other."""
        self.output("scontrol", "update", f"partition={name}", f"nodes={','.join(nodes)}")

    def wait_for_nodes(self) -> None:
        """Wait until every node takes jobs."""
        wait_for(
            lambda: (
                {*self.output("sinfo", "--noheader", "--Node", "--format=%T").split()} == {"idle"}
            ),
            f"{len(self.nodes)} idle nodes",
        )

    def wait_until_empty(self) -> None:
        """Wait until no job is left."""
        wait_for(lambda: not self.output("squeue", "--noheader"), "end of all jobs")

    def popen(
        self, *command: str, extra: dict[str, str] | None = None, **more: object
    ) -> subprocess.Popen[str]:
        """Start a program within the namespaces; its process id is the program's own."""
        enter = ["nsenter", f"--target={self._holder.pid}", "--net", "--mount"]
        return subprocess.Popen(
            [*enter, *command], text=True, env=self.environment | (extra or {}), **more
        )

    def run(
        self, *command: str, extra: dict[str, str] | None = None, **more: object
    ) -> subprocess.CompletedProcess[str]:
        """Run a program within the namespaces and keep what it prints."""
        with self.popen(
            *command, extra=extra, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more
        ) as process:
            out, err = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def output(self, *command: str) -> str:
        """What a program prints that must succeed."""
        done = self.run(*command)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    def seen(self, path: Path) -> Path:
        """A path of the mount namespace, as it is reached from outside."""
        return Path(f"/proc/{self._holder.pid}/root{path}")

    def tmpfs(self, directory: Path, mib: int) -> Path:
        """Mount a tmpfs of some MiB at a directory, which it makes unless a first attempt did."""
        directory.mkdir(parents=True, exist_ok=True)
        self.output("mount", "-t", "tmpfs", "-o", f"size={mib}m", "tmpfs", str(directory))
        return directory

    def processes(self) -> list[int]:
        """The ids of the namespace's processes but for its holder."""
        # Processes that check the network make namespaces below this one: only the mounts tell.
        mine = os.readlink(f"/proc/{self._holder.pid}/ns/mnt")
        running = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != self._holder.pid:
                try:
                    if os.readlink(entry / "ns" / "mnt") == mine:
                        running.append(int(entry.name))
                except OSError:
                    continue  # it ended meanwhile
        return running

    def others(self) -> list[str]:
        """The command lines of processes that are no daemons of this Slurm."""
        daemons = {daemon.pid for daemon in self._daemons.values()}
        commands = [
            process_file(process, "cmdline").replace("\0", " ").strip()
            for process in self.processes()
            if process not in daemons
        ]
        return [command for command in commands if command and "slurmscriptd" not in command]

    def stop(self) -> list[str]:
        """End everything and remove the directory.

        Returns:
            The command lines of processes that the end of all jobs had not ended.
        """
        left = []
        try:
            if "slurmctld" in self._daemons:
                self.run("scancel", "--user=root")
                self.wait_until_empty()
        finally:
            left = self.others()
            for daemon in reversed(self._daemons.values()):
                daemon.terminate()
            for daemon in self._daemons.values():
                daemon.wait(30)
            for process in self.processes():
                send(signal.SIGKILL, process)
            self._holder.kill()
            self._holder.wait()
            shutil.rmtree(self.directory)
        return left

    def configuration(self) -> str:
        """A slurm.conf, whose files are put into this Slurm's own directory."""
        return product_configuration(self.partitions)

    def _start_munge(self) -> None:
        key = self.directory / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        places = {
            f"--{what}-file={self.directory}/munge.{what}" for what in ("key", "log", "pid", "seed")
        }
        link = self.directory / "munge.socket"
        self.daemon(
            "munged", "munged", "--foreground", "--force", f"--socket={link}", *sorted(places)
        )
        wait_for(link.exists, "munged")

    def _configure(self) -> None:
        here = self.directory
        own = {
            "SlurmUser": "root",
            "AuthType": f"auth/munge\nAuthInfo=socket={here}/munge.socket",
            "StateSaveLocation": here / "slurmctld",
            "SlurmdSpoolDir": here / "%n",
            "SlurmctldLogFile": here / "slurmctld.log",
            "SlurmdLogFile": here / "%n.log",
            "SlurmctldPidFile": here / "slurmctld.pid",
            "SlurmdPidFile": here / "%n.pid",
        }
        text = self.configuration()
        for key, value in own.items():
            text, times = re.subn(f"(?m)^{key}=.*$", f"{key}={value}", text)
            assert times == 1, key
        (here / "slurm.conf").write_text(text)
        for directory in ("slurmctld", *self.nodes):
            (here / directory).mkdir()


def product_configuration(partitions: Mapping[str, Sequence[str]]) -> str:
    """The slurm.conf that the role `slurm` writes for some nodes, all on this machine."""
    hostname = socket.gethostname().partition(".")[0]
    cores = os.cpu_count()
    nodes = [node for nodes in partitions.values() for node in nodes]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ROLE / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    variables = {
        **yaml.safe_load((ROLE / "vars" / "main.yml").read_text()),
        **yaml.safe_load((ROLE / "defaults" / "main.yml").read_text()),
        "slurm_node_timeout_s": NODE_TIMEOUT_S,
        # The network is the tests' own, and the name of this machine has no address in it.
        "slurm_communication_parameters": [],
        "slurm_settings": {},
        "groups": partitions,
        "__slurm_nodes": nodes,
        "__slurm_controller": {
            "ansible_facts": {"hostname": hostname},
            "__slurm_address": "127.0.0.1",
        },
        "hostvars": {
            node: {
                "__slurm_node": (
                    f"NodeName={node} NodeHostname={hostname} NodeAddr=127.0.0.1"
                    f" Port={17001 + number} Sockets=1 CoresPerSocket={cores}"
                )
            }
            for number, node in enumerate(nodes)
        },
    }
    return environment.get_template("slurm.conf.j2").render(variables)


def process_file(process: int, name: str) -> str:
    """A file of a process in /proc; empty where the process has ended."""
    try:
        return Path(f"/proc/{process}/{name}").read_text(errors="replace")
    except OSError:
        return ""


def started(process: int) -> tuple[int, int]:
    """When a process started, in clock ticks, and its id: both are less for its parent."""
    # A command's name may hold blanks; after it starttime is the 20th field (proc(5)).
    _, _, fields = process_file(process, "stat").rpartition(")")
    return (int(fields.split()[19]) if fields else 0, process)


def send(number: signal.Signals, process: int) -> None:
    """Send a signal to a process, if it is still there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


def open_files(process: int) -> list[str]:
    """The files that a process holds open; none where it has ended."""
    opened = []
    with contextlib.suppress(OSError):
        for descriptor in Path(f"/proc/{process}/fd").iterdir():
            opened.append(os.readlink(descriptor))
    return opened
