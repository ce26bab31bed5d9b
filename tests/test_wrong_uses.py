"""Wrong uses of every command, playbook and make target, and the status that each ends with.

Nothing that was not done ends with 0. `assay` ends with 1 where the answer is no, and with 2 where
there is none; Ansible with 1 where it cannot use its arguments, and with 2 where a task refuses;
make with 2.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay import cli
from clusters import description
from commandline import assay

REPOSITORY = Path(__file__).parents[1]
PLAYBOOKS = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for path in (REPOSITORY / "site.yml", *REPOSITORY.glob("playbooks/*.yml"))
    if path.name != "guard.yml"
)
INVENTORIES = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for pattern in ("inventories/*/", "molecule/*/inventory/")
    for path in REPOSITORY.glob(pattern)
)

CLUSTER = ("--cluster", "cluster.json")
NOWHERE = ("--cluster", "nowhere.json")

COMMANDS: list[tuple[int, str, tuple[str, ...]]] = [
    (2, "unknown command verfy", ("verfy", "bundle")),
    (2, "No such option", ("--verson",)),
    (2, "argument 2 is empty: is a variable of the shell not set?", ("health", "", *CLUSTER)),
    (2, "--out= has no value", ("signoff", *CLUSTER, "--reports=empty/*.json", "--out=")),
    (2, "cannot be read", ("check", "nowhere.json")),
    (2, "empty: is not a regular file", ("check", "empty")),
    (2, "rubbish: is not JSON", ("check", "rubbish")),
    (2, "--width': 39: Input should be greater", ("check", "cluster.json", "--width=39")),
    (2, "--pool-size 0: it should be a size such as", ("check", "agent.yml", "--pool-size=0")),
    (2, "rubbish: there is no such program", ("check", "agent.yml", "--binary=rubbish")),
    (2, "empty: is not a regular file", ("check", "agent.yml", "--host-facts=empty")),
    (1, "must be an object", ("check", "no-hosts.json")),
    (2, "cannot be read", ("plan", *NOWHERE)),
    (2, "must be an object", ("plan", "--cluster", "no-hosts.json")),
    (2, "list.json: list: must be a JSON object", ("plan", "--cluster", "list.json")),
    (2, "cannot be read", ("expect", *NOWHERE)),
    (2, "no run report matches", ("expect", *CLUSTER, "--reports=empty/*.json")),
    (2, "unknown tool iometer", ("parse", "--tool", "iometer", "rubbish")),
    (2, "No such file or directory", ("parse", "nowhere")),
    (2, "--run': 0: Input should be greater", ("parse", "--run=0", "rubbish")),
    (1, "", ("parse", "--tool", "fio", "nothing")),
    (2, "no run report matches", ("signoff", *CLUSTER, "--reports=empty/*.json", "--out=new")),
    (2, "already exists", ("signoff", *CLUSTER, "--reports=empty/*.json", "--out=empty")),
    (2, "cannot be read", ("signoff", *NOWHERE, "--reports=empty/*.json", "--out=new")),
    *(
        (
            2,
            f"--outputs {name} is not a directory",
            ("signoff", *CLUSTER, "--reports=x", "--out=new", f"--outputs={name}"),
        )
        for name in ("nowhere", "rubbish")
    ),
    (2, "is not a bundle", ("verify", "nowhere")),
    (2, "is not a bundle", ("verify", "empty")),
    (2, "is not a file", ("verify", "empty", "--allowed-signers=nowhere")),
    (2, "is not a bundle", ("compare", "nowhere", "empty")),
    (2, "no campaign has begun", ("progress", "empty", *CLUSTER)),
    (2, "no campaign has begun", ("progress", "nowhere", *CLUSTER)),
    (2, "no campaign has begun", ("progress", "--next", "empty", *CLUSTER)),
    (2, "choose one of them", ("progress", "--next", "--follow", "silent", *CLUSTER)),
    (2, "ReFrame wrote nothing there", ("progress", "silent", *CLUSTER)),
    (2, "no run report matches", ("overhead", *CLUSTER, "--reports=nowhere/*.json")),
    (2, "--partition is missing", ("describe", "new")),
    (2, "rubbish is not a directory", ("describe", "rubbish", "--partition=a")),
    (2, "--most-nodes': x: Input should be a valid", ("describe", "new", "--most-nodes=x")),
    (2, "name it with --pool", ("describe", "new", "--partition=a", "--mount=/mnt")),
    (2, "cannot be read", ("health", "new", *NOWHERE)),
    (2, "cluster.json is not a directory; name one, or", ("health", "cluster.json", *CLUSTER)),
    (2, "cluster.json is not a directory; name one, or", ("health", "cluster.json", "--last")),
    (2, "expires = 2001-13-08: should be a day", ("health", "new", "--waivers=w.yml", *CLUSTER)),
    (2, "empty: is not a regular file", ("health", "new", "--waivers=empty", *CLUSTER)),
    (2, "has rounds of `assay soak`", ("health", "soaked", *CLUSTER)),
    (3, "there was no night", ("health", "empty", "--last")),
    (2, "--host needs --last", ("health", "empty", "--host=n1")),
    (2, "--hours: how long should it be?", ("soak", "new", *CLUSTER)),
    (2, "cannot be read", ("soak", "new", "--hours=1", *NOWHERE)),
    (2, "rubbish is not a directory", ("soak", "rubbish", "--hours=1", *CLUSTER)),
    (2, "rubbish is not a directory", ("soak", "rubbish", "--last")),
    (2, "--hours': 1000: Input should be less", ("soak", "new", "--hours=1000", *CLUSTER)),
    (2, "Invalid value for '--hours'", ("soak", "new", "--hours=nan", *CLUSTER)),
    (2, "--hours: only for a soak that measures", ("soak", "empty", "--last", "--hours=1")),
    (2, "--checks names no check", ("soak", "new", "--hours=1", "--checks=,", *CLUSTER)),
    (2, "Foo is none of the checks", ("soak", "new", "--hours=1", "--checks=Foo", *CLUSTER)),
    (3, "there was no round", ("soak", "empty", "--last")),
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands of the table run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_CLUSTER", raising=False)
    Path("empty").mkdir()
    Path("soaked/rounds").mkdir(parents=True)
    Path("nothing").touch()
    Path("silent").mkdir()
    Path("silent/reframe.out").touch()
    Path("rubbish").write_text("Segmentation fault\n")
    Path("agent.yml").write_text("runtime_dir: /run/daos_agent\n")
    Path("w.yml").write_text(
        "waivers: [{metric: SsdFio.x, reason: r, owner: o, expires: 2001-13-08}]\n"
    )
    sound = description()
    documents = {
        "cluster": sound,
        "no-hosts": sound | {"hosts": {}},
        "list": [sound],
    }
    for name, document in documents.items():
        Path(f"{name}.json").write_text(json.dumps(document))
    return tmp_path


@pytest.mark.parametrize(
    ("status", "why", "words"), COMMANDS, ids=[" ".join(words) for _, _, words in COMMANDS]
)
@pytest.mark.usefixtures("files")
def test_a_command_that_did_not_do_it(status: int, why: str, words: tuple[str, ...]) -> None:
    ended, printed, errors = assay(*words)
    said = " ".join((printed + errors).split())
    assert (ended, why in said) == (status, True), said


@pytest.mark.parametrize("words", [("parse", "x" * 300), ("health", "x" * 300, "--last")])
@pytest.mark.usefixtures("files")
def test_a_path_that_is_too_long_is_refused_without_a_traceback(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["assay", *words])
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    errors = capsys.readouterr().err
    assert (ended.value.code, errors.count("\n")) == (2, 1)
    assert errors.endswith("x: File name too long\n")


def play(playbook: str, *words: str) -> tuple[int, str]:
    """The exit status of a real `ansible-playbook`, and what it printed, on one line."""
    done = subprocess.run(
        [Path(sys.executable).parent / "ansible-playbook", *words, playbook],
        cwd=REPOSITORY,  # where ansible.cfg is
        env={**os.environ, "ANSIBLE_LOCALHOST_WARNING": "false", "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, " ".join((done.stdout + done.stderr).split())


@pytest.fixture(scope="module")
def inventories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inventories that are none, or that have no host."""
    directory = tmp_path_factory.mktemp("inventories")
    for name, text in {
        "spaced": "all: {children: {controller: {hosts: {lo gin: {}}}}}\n",
        "no-host": "all: {children: {clients: {}}}\n",
        "other-groups": "all: {children: {webservers: {hosts: {w1: {}}}}}\n",
        "tab": "all:\n\thosts: n1\n",
        "twice": "all: {hosts: {n1: {}}, hosts: {n2: {}}}\n",
        "empty": None,
    }.items():
        (directory / name).mkdir()
        if text is not None:
            (directory / name / "hosts.yml").write_text(text)
    # A file of several that is broken: without it, the others describe no cluster, or another.
    (directory / "half").mkdir()
    (directory / "half/hosts.yml").write_text("all: {hosts: {n1: {}}}\n")
    (directory / "half/kinds.yml").write_text("all:\n\tvars: {}\n")
    return directory


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_playbook_refuses_an_inventory_that_is_not_there(playbook: str) -> None:
    status, said = play(playbook, "--inventory=inventories/loca")
    assert status == 1
    assert "Completely failed to parse inventory source" in said
    assert "PLAY RECAP" not in said


@pytest.mark.parametrize("name", ["tab", "twice", "empty", "half"])
def test_an_inventory_that_cannot_be_parsed_is_refused(inventories: Path, name: str) -> None:
    status, said = play("playbooks/plan.yml", f"--inventory={inventories / name}")
    assert status == 1
    assert "Completely failed to parse inventory source" in said


@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        ("group_vars/all.yml", "cluster_name: a\ncluster_name: b\n", "Found duplicate mapping key"),
        ("host_vars/n1.yml", "cluster_kind:\n\tcores: 1\n", "Tabs are usually invalid in YAML"),
        ("host_vars/n1.yml", "- cluster_name\n", "failed to combine variables"),
    ],
)
def test_a_file_of_variables_that_cannot_be_read_is_named(
    tmp_path: Path, file: str, text: str, why: str
) -> None:
    (tmp_path / "hosts.yml").write_text("controller: {hosts: {n1: {}}}\n")
    (tmp_path / file).parent.mkdir()
    (tmp_path / file).write_text(text)
    status, said = play("playbooks/plan.yml", f"--inventory={tmp_path}")
    assert (status, why in said, f"{tmp_path}/{file}" in said) == (4, True, True), said


def test_a_host_that_ansible_takes_for_a_pattern_is_refused(inventories: Path) -> None:
    """The play of `lo gin` was passed over, and nothing was planned with status 0."""
    status, said = play("playbooks/plan.yml", f"--inventory={inventories / 'spaced'}")
    assert status == 2
    assert "a host is lo gin; should have letters, digits, dots, hyphens and underscores" in said


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_a_playbook_refuses_what_it_cannot_do_all_at_once(inventories: Path, playbook: str) -> None:
    given = ["--tags=tga", "--skip-tags=tgas", "--extra-vars=cluster_interfaces=eth0"]
    status, said = play(playbook, f"--inventory={inventories / 'no-host'}", *given)
    assert status == 2
    for refusal in (
        f"the inventory is {inventories / 'no-host'}; should have a host in ",
        "--tags is tga; should be of ",
        "--skip-tags is tgas; should be of ",
        "cluster_interfaces; nothing reads it: did you mean cluster_interface? (set in -e)",
    ):
        assert refusal in said, said
    assert "changed=0 failed=1" in said


LOCAL, PMEM = "--inventory=inventories/local", "--inventory=inventories/pmem"

RUNS: list[tuple[str, str, tuple[str, ...]]] = [
    (
        "signoff",
        "assay_gate is acept; should be one of measured, acc",
        (LOCAL, "-eassay_gate=acept"),
    ),
    ("validate", "assay_scale is quik; should be one of quick, acc", (LOCAL, "-eassay_scale=quik")),
    (
        "phase",
        "assay_phase is sytem; should be one of raw, scm, sys",
        (PMEM, "-eassay_phase=sytem"),
    ),
    ("teardown", "cluster_scratch_sdd; nothing reads it", (LOCAL, "-ecluster_scratch_sdd=x")),
    (
        "validate",
        "asay_scale; nothing reads it: did you mean assay_s",
        (LOCAL, "-easay_scale=quick"),
    ),
    ("validate", "assay_campaign is a/b; should be a name", (LOCAL, "-eassay_campaign=a/b")),
    ("validate", "assay_failure is x; should be left out", (LOCAL, "-eassay_failure=x")),
    ("signoff", "assay_baseline is empty; should have a val", (LOCAL, "-eassay_baseline=")),
    ("validate", "assay_waivers is empty; should have a valu", (LOCAL, "-eassay_waivers= ")),
    *(
        (
            "validate",
            f"assay_more_hours is {hours}; should be hours, f",
            (LOCAL, f"-eassay_more_hours={hours}"),
        )
        for hours in ("nan", "-1", "inf")
    ),
    ("signoff", "assay_campaign is ..; should be a name", (LOCAL, "-eassay_campaign=..")),
    ("validate", "-e is acceptance; should be NAME=VALUE", (LOCAL, "-eacceptance")),
    ("signoff", "assay_waivers is /nowhere; should be a file", (LOCAL, "-eassay_waivers=/nowhere")),
    ("validate", "--limit is client1; should have a host in the gr", (PMEM, "--limit=client1")),
    ("plan", "--limit is client1; should be left out", (PMEM, "--limit=client1")),
    ("plan", "daos_version is 2.7; should be one of 2.4", (PMEM, "-edaos_version=2.7")),
    ("plan", "daos_server_engines is 3; should be a list", (PMEM, "-edaos_server_engines=3")),
    (
        "plan",
        "ansible_conection; nothing reads it: did you mean ansible_connection?",
        (PMEM, "-eansible_conection=local"),
    ),
    ("plan", "--tags is judge; should be of untagged", (PMEM, "--tags=judge")),
    ("signoff", "--skip-tags is signoff; should leave something", (LOCAL, "--skip-tags=signoff")),
    ("spack-mirror", "should have a host in the group spack,", (LOCAL,)),
    ("phase", "should have a host in the group daos_system,", (LOCAL,)),
    ("signoff", "should have a host in the group reframe,", ("--inventory=w1,",)),
]


@pytest.mark.parametrize(
    ("playbook", "why", "words"), RUNS, ids=[f"{run[0]} {' '.join(run[2])}" for run in RUNS]
)
def test_a_run_that_would_not_do_it(playbook: str, why: str, words: tuple[str, ...]) -> None:
    status, said = play(f"playbooks/{playbook}.yml", *words)
    assert (status, why in said) == (2, True), said


@pytest.mark.parametrize(
    "words", [("--start-at-task=Nothing",), ("--tags=no", "--skip-tags=always"), ("--limit=no",)]
)
def test_a_run_without_a_task_is_a_failure(words: tuple[str, ...]) -> None:
    status, said = play("playbooks/signoff.yml", LOCAL, *words)
    assert status == 1
    assert "nothing was done" in said or "no hosts to target" in said


def test_mistakes_of_an_inventory_are_listed_with_their_place(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "inventories/pmem", tmp_path / "hall")
    hall = tmp_path / "hall"
    roles = (hall / "roles.yml").read_text()
    (hall / "roles.yml").write_text(
        roles.replace(" daos_server:", " daos_servers:") + "  var: {}\n"
    )
    for name, text in {
        "group_vars/all.yml": "cluster_interfaces: eth0\n",
        "group_vars/clints.yml": "{}\n",
        "host_vars/server1.yml": "daos_allow_insecur: true\n",
    }.items():
        (hall / name).parent.mkdir(exist_ok=True)
        (hall / name).write_text(text)
    status, said = play("playbooks/plan.yml", f"--inventory={hall}")
    assert status == 2
    for refusal in (
        f"cluster_interface? (set in {hall}/group_vars/all.yml:1)",
        "daos_allow_insecure? (set in the host server1)",
        f"all.var; nothing reads it: a group has hosts, children, vars (set in {hall}/roles.yml)",
        "daos_servers; nothing reads this group: did you mean daos_server,",
        "group_vars/clints.yml; should have the name of a group of the inventory (did you mean",
    ):
        assert refusal in said, said


def test_variables_beside_a_playbook_are_read_as_those_of_an_inventory(tmp_path: Path) -> None:
    (tmp_path / "group_vars").mkdir()
    (tmp_path / "group_vars/all.yml").write_text("assay_scle: quick\n")
    playbook = shutil.copy(REPOSITORY / "playbooks/guard.yml", tmp_path)
    status, said = play(str(playbook), LOCAL, "--extra-vars={'__guard_tags': ['untagged']}")
    assert status == 2
    assert f"assay_scle; nothing reads it: did you mean assay_scale? (set in {tmp_path}" in said


@pytest.mark.parametrize("inventory", INVENTORIES)
def test_an_inventory_of_ours_has_nothing_that_nothing_reads(inventory: str) -> None:
    tags = "--extra-vars={'__guard_tags': ['untagged']}"
    status, said = play("playbooks/guard.yml", f"--inventory={inventory}", tags)
    assert status == 0, said


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """This one, without what `make` has built in it."""
    for path in REPOSITORY.iterdir():
        if path.name not in (".git", "build"):
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / "build/plan").mkdir(parents=True)
    (tmp_path / "build/plan/cluster.json").write_text(json.dumps(description()))
    return tmp_path


def make(checkout: Path, *words: str) -> tuple[int, str]:
    """The exit status of a real `make`, and what it printed."""
    done = subprocess.run(
        ["make", f"--directory={checkout}", *words],
        env={key: value for key, value in os.environ.items() if not key.startswith("MAKE")},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("target", ["plan", "validate", "teardown"])
@pytest.mark.parametrize("inventory", ["inventories/loca", "no-host"])
def test_make_fails_without_an_inventory_and_prints_nothing_stale(
    checkout: Path, inventories: Path, target: str, inventory: str
) -> None:
    if inventory == "no-host":
        inventory = str(inventories / inventory)
    status, printed = make(checkout, target, f"INVENTORY={inventory}")
    assert status == 2
    assert "proving-ground" not in printed
    assert "metrics required" not in printed


def test_make_refuses_an_empty_inventory(checkout: Path) -> None:
    status, printed = make(checkout, "plan", "INVENTORY=")
    assert status == 2
    assert "INVENTORY is empty; it should be a directory or a file" in printed


def test_make_refuses_a_campaign_that_a_variable_of_the_shell_lacks(checkout: Path) -> None:
    """It would begin a new one, for hours."""
    status, printed = make(checkout, "validate", "CAMPAIGN=", "--dry-run")
    assert status == 2
    assert "CAMPAIGN is empty: is a variable of the shell not set?" in printed


def test_of_two_plans_at_once_one_is_refused(checkout: Path) -> None:
    """The one removed what the other had written, and printed its plan."""
    with (checkout / "build/plan.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        status, printed = make(checkout, "plan", "INVENTORY=inventories/pmem")
    assert status == 2
    assert "make plan is running in this checkout; wait for it" in printed
    assert "metrics required" not in printed


@pytest.mark.parametrize("target", ["plan", "validate", "teardown"])
def test_an_inventory_has_spaces_in_its_path(checkout: Path, target: str) -> None:
    _, printed = make(checkout, target, "INVENTORY=my halls/one", "--dry-run")
    assert '-i "my halls/one" ' in printed


@pytest.mark.parametrize("words", [("INVENTRY=inventories/pmem",), ("-e", "assay_scale=quik")])
def test_make_refuses_a_variable_that_it_does_not_read(
    checkout: Path, words: tuple[str, ...]
) -> None:
    status, printed = make(checkout, "plan", *words)
    assert status == 2
    assert "unknown variable" in printed
    assert "choose from: INVENTORY" in printed


def test_a_plan_takes_the_place_of_the_last_one_if_it_is_whole(checkout: Path) -> None:
    status, printed = make(checkout, "plan", "INVENTORY=inventories/pmem")
    assert status == 0, printed
    assert json.loads((checkout / "build/plan/cluster.json").read_text())["name"] == "pmem"
    before = printed
    # `local` has no kinds of hosts, so that there is nothing to plan.
    status, printed = make(checkout, "plan", "INVENTORY=inventories/local")
    assert status == 2
    assert not [line for line in printed.splitlines() if "at most" in line and line in before]
    assert json.loads((checkout / "build/plan/cluster.json").read_text())["name"] == "pmem"
