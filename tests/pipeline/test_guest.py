"""A normal user on a Slurm that our roles did not make: describe, plan, measure, sign off."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from guest_here import ForeignSlurm, Guest, running


@pytest.fixture(scope="module")
def foreign(needed: None) -> Iterator[ForeignSlurm]:
    """A site's Slurm, with nodes nid001 to nid003."""
    with running(ForeignSlurm()) as slurm:
        yield slurm


@pytest.fixture
def guest(foreign: ForeignSlurm, request: pytest.FixtureRequest) -> Guest:
    attempt = getattr(request.node, "execution_count", 1)
    test = request.node.name.replace("[", ".").strip("]")
    return Guest(foreign, foreign.directory / "home" / f"{test}.{attempt}")


def change(guest: Guest, **slurm: object) -> None:
    """Fill in keys of the description."""
    path = guest.prefix / "cluster.json"
    document = json.loads(path.read_text())
    document["slurm"].update(slurm)
    path.write_text(json.dumps(document))


def reason(guest: Guest) -> str:
    """Why ClientPlacement has no figures."""
    printed = guest.shell("reframe --run --tag=quick --name=ClientPlacement --nocolor").stdout
    return printed.partition("  * Reason: ")[2].partition("\n")[0]


def test_a_guest_who_names_no_partition_hears_their_names(guest: Guest) -> None:
    done = guest.describe()
    assert (done.returncode, done.stderr) == (
        2,
        "--partition is missing; choose from: compute, debug\n",
    )


def test_a_guest_describes_measures_and_signs_off(guest: Guest) -> None:
    done = guest.describe("--partition=compute")
    assert done.returncode == 0, done.stderr
    assert "describes 2 clients: nid[001-002]" in done.stdout
    assert (
        "  hosts.nid[001-002].scratch: no disk is measured; pass --scratch with a directory"
        in done.stdout
    )
    described = json.loads((guest.prefix / "cluster.json").read_text())
    assert (described["name"], described["servers"]) == ("borealis", [])
    done = guest.shell(
        "campaign.sh ~/campaigns/1 quick network; assay signoff --gate=measured --out=signoff"
        " --reports='campaigns/1/reports/*.json'"
    )
    metrics = json.loads((guest.home / "signoff" / "report.json").read_text())["metrics"]
    samples = {
        f"{each['check']}.{each['metric']} on {each['subject']}": len(each["samples"])
        for each in metrics
        if each["layer"] == "network"
    }
    assert samples == {
        "FiPingpong.bandwidth_1m on nid001>nid002": 5,
        "FiPingpong.latency_64b on nid001>nid002": 5,
    }, done.stdout
    owners = {path.owner() for path in guest.home.rglob("*")}
    assert owners == {"nobody"}


def test_a_partition_that_is_not_there_is_refused_with_those_that_are(guest: Guest) -> None:
    done = guest.describe("--partition=clients")
    assert (done.returncode, done.stderr) == (
        2,
        "the partition clients has no nodes that you can see; choose from: compute, debug\n",
    )


def test_a_plugin_that_srun_lacks_is_refused_with_those_that_it_has(guest: Guest) -> None:
    done = guest.describe("--partition=compute", "--mpi=pmi9")
    assert done.returncode == 2
    assert done.stderr.startswith("--mpi=pmi9: srun has no such plugin; choose from: ")
    assert "pmi2" in done.stderr
    assert not (guest.prefix / "cluster.json").exists()


def test_settings_that_are_not_there_are_refused(guest: Guest) -> None:
    done = guest.describe("--partition=compute", "--settings=/nowhere/settings.py")
    assert (done.returncode, done.stderr) == (
        2,
        "--settings /nowhere/settings.py: there is no such file\n",
    )


def test_what_slurm_says_of_the_probe_is_one_sentence(guest: Guest) -> None:
    done = guest.describe("--partition=staff")
    assert (done.returncode, done.stderr) == (
        2,
        "the job that examines the nodes failed on nid003: Unable to allocate resources: User's"
        " group not permitted to use this partition\n",
    )


def test_a_job_asks_for_no_more_time_than_the_partition_allows(guest: Guest) -> None:
    assert guest.describe("--partition=debug").returncode == 0
    done = guest.shell("reframe --dry-run --tag=quick --name=ClientPlacement --nocolor")
    script = next(guest.home.rglob("rfm_job.sh"), None)
    assert script, done.stdout
    assert "#SBATCH --time=0:1:0\n" in script.read_text()


def test_modules_without_the_command_that_loads_them_ask_for_a_prolog(guest: Guest) -> None:
    done = guest.describe("--partition=compute", "--module=fio/3")
    assert "nid[001-002]: there is no command module" in done.stderr
    assert not (guest.prefix / "cluster.json").exists()


def test_a_scratch_directory_that_is_not_there_is_refused(guest: Guest) -> None:
    scratch = guest.home / "nowhere"
    done = guest.describe("--partition=compute", f"--scratch={scratch}")
    assert (done.returncode, done.stderr) == (
        2,
        f"--scratch {scratch}: on nid[001-002] it does not exist, or you may not write to it\n",
    )


def test_modules_are_loaded_for_each_subject(guest: Guest) -> None:
    prolog = guest.home / "modules.sh"
    prolog.write_text(
        "module() {\n"
        "    [[ $2 != absent ]] || { echo ERROR: Unable to locate absent; return 0; }\n"
        "    LOADEDMODULES=${LOADEDMODULES:-}:$2\n"
        "}\n"
    )
    done = guest.describe("--partition=compute", "--module=mpi/5", f"--prolog={prolog}")
    assert done.returncode == 0, done.stderr
    change(guest, modules=["mpi/5", "absent"])
    why = "the module absent cannot be loaded on nid001: ERROR: Unable to locate absent"
    assert f"nid001: {why}" in reason(guest)
    change(guest, modules=[], prolog="/nowhere")
    assert "nid001: the prolog /nowhere failed on nid001" in reason(guest)


def test_what_slurm_refuses_and_what_a_job_waits_for_is_one_sentence(guest: Guest) -> None:
    assert guest.describe("--partition=compute", "--wait-min=1").returncode == 0
    change(guest, partitions={"clients": "staff"})
    assert reason(guest) == (
        "job scheduler error: Slurm rejected the job: Batch job submission failed: User's"
        " group not permitted to use this partition"
    )
    change(guest, partitions={"clients": "compute"})
    busy = guest.slurm.output(
        *("sbatch", "--parsable", "--nodes=2", "--exclusive", "--output=/dev/null"),
        *("--partition=compute", "--wrap=sleep 1000"),
    )
    try:
        waited = reason(guest)
    finally:
        guest.slurm.run("scancel", busy.strip())
        guest.slurm.wait_until_empty()
    assert "it did not start within 1 min and was cancelled; Slurm's reason: " in waited


def test_a_node_that_is_drained_is_left_out_and_named(guest: Guest) -> None:
    guest.slurm.output("scontrol", "update", "nodename=nid002", "state=drain", "reason=memory")
    try:
        done = guest.describe("--partition=compute")
        assert "describes 1 clients: nid001" in done.stdout
        assert "left out: nid002 is drained in Slurm (memory)" in done.stdout
    finally:
        guest.slurm.output("scontrol", "update", "nodename=nid002", "state=resume")


def test_the_sites_own_settings_of_reframe_are_added_to(guest: Guest) -> None:
    own = guest.home / "settings.py"
    own.write_text(
        "site_configuration = {'systems': [{'name': 'login', 'hostnames': ['.*'], 'partitions': "
        "[{'name': 'p', 'scheduler': 'local', 'launcher': 'local', 'environs': ['gnu']}]}],"
        " 'environments': [{'name': 'gnu'}]}\n"
    )
    assert guest.describe("--partition=compute", f"--settings={own}").returncode == 0
    listed = guest.shell("reframe --list --tag=quick; reframe --show-config=systems/0/name").stdout
    assert "- ClientPlacement" in listed
    assert '"borealis"' in listed
    assert "login" in guest.shell("reframe --system=login --show-config=systems/0/name").stdout


@pytest.mark.parametrize(
    ("launcher", "command"),
    [
        (
            "openmpi",
            "env 'SLURM_TASKS_PER_NODE={each}(x2)' mpirun"
            " --host nid001:{each},nid002:{each} -np {ranks} --bind-to core /bin/true ",
        ),
        ("hydra", "mpirun -hosts nid001,nid002 -ppn {each} -n {ranks} -bind-to core /bin/true "),
        (
            "srun",
            "srun --mpi=pmix --nodelist=nid001,nid002 --nodes=2 --ntasks={ranks}"
            " --ntasks-per-node={each} ",
        ),
    ],
    ids=["openmpi", "hydra", "srun"],
)
def test_the_launcher_of_the_site_starts_the_ranks(
    guest: Guest, launcher: str, command: str
) -> None:
    """As real ones took it: Open MPI 4.1.4, MPICH 4.0.2 and Slurm 22.05, on three hosts."""
    asked = [f"--launcher={launcher}", "--mpi=pmix", f"--shared={guest.home}"]
    assert guest.describe("--partition=compute", *asked).returncode == 0
    path = guest.prefix / "cluster.json"
    document = json.loads(path.read_text())
    document["benchmarks"]["ior"] = "/bin/true"
    path.write_text(json.dumps(document))
    each = document["hosts"]["nid001"]["cores"]
    done = guest.shell("reframe --dry-run --tag=quick --name=IorEasy --nocolor")
    script = next(guest.home.rglob("partition.sh"), None)
    assert script, done.stdout
    assert command.format(each=each, ranks=2 * each) in script.read_text()
