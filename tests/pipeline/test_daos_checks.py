"""Checks of DAOS by stand-ins that know the real programs' command lines, and its traps."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daos_here import HEALTHY, RECORDED, all_fail, fails, system
from private_slurm import PrivateSlurm
from site_here import Site

MakeSite = Callable[..., Site]

REPLAY = Path(__file__).with_name("replay_command.py")
SSDS = ("0000:81:00.0", "0000:82:00.0")
IDLE = "echo 0; exit 1"
"""pgrep where no engine runs."""


def engine(number: int, mount: Path) -> dict[str, Any]:
    """One of the engines that the recordings are of, with two SSDs beside it."""
    return {
        "targets": 1,
        "nr_xs_helpers": 0,
        "fabric_iface": "lo",
        "fabric_iface_port": 31316 + 100 * number,
        "env_vars": ["DAOS_TARGET_OVERSUBSCRIBE=1"],
        "storage": [
            {"class": "ram", "scm_mount": str(mount), "scm_size": 4},
            {"class": "nvme", "bdev_list": [SSDS[number]]},
        ],
    }


class Daos:
    """A site whose programs of DAOS are stand-ins."""

    def __init__(self, site: Site) -> None:
        self.site = site
        mounts = [site.slurm.tmpfs(site.root / "mnt" / f"daos{n}", 800) for n in (0, 1)]

        def change(document: dict[str, Any]) -> None:
            document["daos"] = system(site.root)
            server = document["hosts"]["s1"]
            server["memory"] = {"total_mib": 65536}
            server["server"] = {"system_ram_reserved": 4, "disable_vfio": True}
            server["engines"] = [engine(number, mount) for number, mount in enumerate(mounts)]
            server["nvme"] = {address: {"numa_node": 0} for address in SSDS}
            for host in document["hosts"].values():
                host["interfaces"] = {"lo": {"address": "127.0.0.1"}}

        site.describe(change)
        answers = ("system", "pool", "pools", "devices", "network")
        self.use("dmg", *(f"quick/{name}.txt" for name in answers))
        self.use("self_test", *(f"quick/{path.name}" for path in recorded("self_test")))
        self.use("vos_perf", "quick/rate.txt", "quick/bandwidth.txt")
        self.use("daos", "quick/two_ranks.txt", tool="net_test")
        names = (path.name for path in recorded("spdk_nvme_perf"))
        self.use("daos_spdk_nvme_perf", *(f"quick/{name}" for name in names), tool="spdk_nvme_perf")
        site.program("pgrep", IDLE)

    def use(self, program: str, *recordings: str, tool: str | None = None) -> None:
        """Let a program replay recordings, each for its own command."""
        paths = [str(RECORDED / (tool or program) / name) for name in recordings]
        words = shlex.join([sys.executable, str(REPLAY), *paths])
        self.site.program(program, f'{HEALTHY}exec {words} -- {program} "$@"')

    def give(self, program: str, recording: str) -> None:
        """Let a program give one recording, whatever it is asked."""
        path = RECORDED / recording
        self.site.program(
            program,
            f"{HEALTHY}sed '1d; $d' {shlex.quote(str(path))}\n"
            f"exit $(sed -n '$s/# exit: //p' {shlex.quote(str(path))})",
        )


def recorded(tool: str) -> list[Path]:
    return sorted((RECORDED / tool / "quick").glob("*.txt"))


@pytest.fixture
def daos(make_site: MakeSite, slurm: PrivateSlurm) -> Daos:
    """Two clients, and a server with two engines."""
    del slurm
    return Daos(make_site({}, clients=["c1", "c2"], servers=["s1"]))


def test_checks_are_run_with_the_commands_that_were_recorded(daos: Daos) -> None:
    checks = (
        *("SelfTestClientServer", "SelfTestCrossServer", "NetTest"),
        *("VosPerfRate", "VosPerfBandwidth", "NvmeBandwidth", "NvmeIops"),
    )
    done = daos.site.check("|".join(checks))
    assert f"[  PASSED  ] Ran {len(checks)}/{len(checks)}" in done.stdout, done.stdout + done.stderr
    assert daos.site.left_behind() == []


def test_a_trap_of_a_tool_is_not_a_measurement(daos: Daos) -> None:
    """One of each tool's: `tests/tools` has them all."""
    daos.give("self_test", "self_test/rank_dead.txt")
    daos.give("daos", "net_test/failed_rpcs.txt")
    daos.give("vos_perf", "vos_perf/pool_full.txt")
    daos.give("daos_spdk_nvme_perf", "spdk_nvme_perf/no_device.txt")
    why = {
        "SelfTestClientServer": "RPCs failed, all those",
        "NetTest": "RPCs to",
        "VosPerfRate": "UPDATE failed",
        "NvmeIops": "spdk_nvme_perf found no device",
    }
    all_fail(daos.site, why)


def test_a_system_that_is_not_whole_is_not_measured(daos: Daos) -> None:
    daos.give("dmg", "dmg/system_query_one_rank_dead.txt")
    fails(daos.site, "NetTest", "the system is not ready: rank 1 at")


def test_a_system_that_does_not_answer_is_not_measured(daos: Daos) -> None:
    daos.give("dmg", "dmg/system_query_server_down.txt")
    fails(daos.site, "NetTest", "the system is not ready: dmg failed")


def test_an_engine_that_dies_meanwhile_spoils_the_figures(daos: Daos) -> None:
    flag = daos.site.root / "dead"
    whole = (daos.site.programs / "daos").read_text().removeprefix("#!/bin/bash\n")
    daos.site.program("daos", f"{HEALTHY}touch {flag}\n{whole}")
    alive = (daos.site.programs / "dmg").read_text().removeprefix("#!/bin/bash\n")
    dead = RECORDED / "dmg" / "system_query_one_rank_dead.txt"
    daos.site.program("dmg", f"[[ ! -e {flag} ]] || {{ sed '1d; $d' {dead}; exit; }}\n{alive}")
    fails(daos.site, "NetTest", "after the run, rank 1 at")


def test_a_check_in_the_wrong_phase_says_which_it_needs(daos: Daos) -> None:
    daos.site.describe(lambda document: document["benchmarks"].update(fio="/usr/bin/fio"))
    daos.site.program("pgrep", "echo 2")
    why = (
        "2 engines of DAOS are running here and would disturb the measurement;"
        " this check needs the phase"
    )
    phases = {"VosPerfBandwidth": "scm", "NvmeBandwidth": "raw", "SsdFio": "raw"}
    all_fail(daos.site, {check: f"{why} {phase}: " for check, phase in phases.items()})


def test_an_engine_on_the_other_host_of_a_pair_is_seen(daos: Daos) -> None:
    daos.site.describe(lambda document: document["benchmarks"].update(fi_pingpong="/bin/false"))
    # The job's script runs on c1.
    daos.site.program("pgrep", f"[[ $SLURMD_NODENAME != c1 ]] && echo 1 || {{ {IDLE}; }}")
    why = "1 engines of DAOS are running here and would disturb the measurement"
    fails(daos.site, "FiPingpong", why)


def test_scm_that_is_not_mounted_is_not_measured(daos: Daos) -> None:
    daos.site.slurm.output("umount", str(daos.site.root / "mnt" / "daos1"))
    fails(daos.site, "VosPerfRate", f"nothing is mounted at {daos.site.root}/mnt/daos1")
