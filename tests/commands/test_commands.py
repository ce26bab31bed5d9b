"""The command `assay`: what it prints, and with which status it ends."""

import errno
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assay import cli
from assay.commands import inputs
from assay.problems import variable
from bundles import campaign_in
from clusters import description
from commandline import assay as run

RECORDED = Path(__file__).parents[1] / "recorded"


def test_a_sound_cluster_checks(cluster_file: Path) -> None:
    status, printed, _ = run("check", cluster_file)
    assert (status, printed) == (0, f"{cluster_file}: proving-ground is valid: 5 hosts\n")


def test_a_shell_that_has_not_read_the_environment_is_pointed_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_CLUSTER", raising=False)
    monkeypatch.setattr(inputs, "DEFAULT_CLUSTER", tmp_path / "cluster.json")
    hint = "; read the cluster's environment.sh first, or name another with --cluster\n"
    missing = run("plan", "--cluster", tmp_path / "cluster.json")
    assert missing[0] == 2
    assert missing[2].endswith(f"cannot be read: No such file or directory{hint}")
    named = run("plan", "--cluster", tmp_path / "mine.json")
    assert hint not in named[2]


def test_check_prints_every_mistake_and_ends_with_1(cluster_file: Path) -> None:
    document = description()
    document["hosts"]["c1"]["cores"] = 0
    document["hosts"]["s2"]["cors"] = 1
    cluster_file.write_text(json.dumps(document))
    status, table, errors = run("check", cluster_file)
    assert (status, errors) == (1, f"{cluster_file}: 2 errors\n")
    _, *rows = (line.split(maxsplit=3) for line in table.splitlines())
    assert [row[:3] for row in rows] == [["error", "c1", "cores"], ["error", "s2", "cors"]]
    assert rows[0][3].startswith("0 ")
    assert "unknown key" in rows[1][3]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("engines[0].storage[1].bdev_list", "daos_server_engines[0].storage[1].bdev_list"),
        ("server.system_ram_reserved", "daos_server_system_ram_reserved"),
        ("daos.mgmt_svc_replicas", "daos_mgmt_svc_replicas"),
        ("interface", "cluster_address"),
        ("daos.perf_pool", "cluster_daos_perf_pool"),
        ("daos.rank_pool_size", "cluster_rank_pool_size"),
        ("interfaces.ib0", "interfaces.ib0"),
        ("cores", "cores"),
    ],
)
def test_an_inventory_has_its_own_names_for_keys(key: str, name: str) -> None:
    assert variable(key) == name


def test_plan_lists_a_line_a_metric(cluster_file: Path) -> None:
    status, printed, _ = run("plan", "--cluster", cluster_file)
    assert status == 0
    _, as_json, _ = run("plan", "--cluster", cluster_file, "--json")
    required = json.loads(as_json)
    *_, count, quick, acceptance = printed.splitlines()
    assert count == f"{len(required)} metrics required"
    assert re.fullmatch(r"expected time, quick: \d+ (s|min)", quick)
    assert re.fullmatch(r"expected time, acceptance: [\d.]+ (min|h)", acceptance)
    for metric in required:
        assert any(metric["metric"] in line.split() for line in printed.splitlines()), metric


def test_expect_prints_the_derivation_of_every_metric(cluster_file: Path) -> None:
    status, printed, _ = run("expect", "--cluster", cluster_file)
    assert status == 0
    line = next(text for text in printed.splitlines() if "bandwidth_1m on c1>c2" in text)
    assert "2,980" in line
    assert "3.12 GB/s: c1's eth0, 25.0 Gbit/s" in line


def test_a_pci_address_is_not_an_emoji(cluster_file: Path) -> None:
    document = description()
    document["hosts"]["c1"]["nvme"] = {"0000:ab:00.0": {"colour": "red"}}
    cluster_file.write_text(json.dumps(document))
    assert "nvme.0000:ab:00.0.colour" in run("check", cluster_file)[1]


def test_problems_fit_the_width_that_is_asked_for(tmp_path: Path) -> None:
    document = description() | {"refusals": {f"s{n}": ["word " * 60] for n in range(1, 300, 2)}}
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps(document))
    status, printed, _ = run("check", file, "--width=60")
    lines = printed.splitlines()
    assert (status, lines[1].split()[0]) == (1, "word")
    assert max(map(len, lines[1:])) <= 60
    assert max(map(len, run("check", file)[1].splitlines())) > 200


@pytest.mark.parametrize("command", ["check", "plan", "expect"])
def test_no_escape_of_a_description_reaches_the_terminal(cluster_file: Path, command: str) -> None:
    document = description()
    document["hosts"]["s1\x1b[2J"] = document["hosts"].pop("s1")
    document["servers"] = ["s1\x1b[2J", "s2\u202e"]
    document["hosts"]["c1"]["interface"] = "eth0\nhost c2 is sound\x9b"
    cluster_file.write_text(json.dumps(document))
    option = () if command == "check" else ("--cluster",)
    status, printed, errors = run(command, *option, cluster_file)
    assert status == (1 if command == "check" else 2)
    assert "must be printable, on one line" in printed + errors
    assert not set("\x1b\x9b\u202e") & set(printed + errors)
    assert not any(text.startswith("host c2") for text in (printed + errors).splitlines())


def test_what_looks_like_markup_is_printed_as_it_is(cluster_file: Path) -> None:
    document = description()
    sheet = {"read_bandwidth": "7 GB/s", "source": "offer [rev b], as [/srv/offer.pdf] has it"}
    document["hardware"] = {"ssd": {"Acme 9": sheet}}
    document["hosts"]["s1"]["scratch"]["ssd"] = "Acme 9"
    cluster_file.write_text(json.dumps(document))
    status, printed, _ = run("expect", "--cluster", cluster_file)
    assert status == 0
    assert sheet["source"] in printed


def test_a_mistake_that_is_not_unicode_is_printed(cluster_file: Path) -> None:
    cluster_file.write_text(json.dumps(description() | {"name": "\ud800"}))
    status, table, _ = run("check", cluster_file)
    assert status == 1
    assert "must be printable, on one line" in table


@pytest.mark.parametrize(
    "arguments",
    [("parse", "iometer", __file__), ("parse", "fio", "/nowhere"), ("parse",), ("dance",)],
)
def test_misuse_ends_with_2(arguments: tuple[str, ...]) -> None:
    status, printed, errors = run(*arguments)
    assert status == 2
    assert errors
    assert not printed


def test_a_signoff_without_a_report_is_refused(cluster_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "signoff"
    reports = tmp_path / "reports" / "*.json"
    status, _, errors = run(
        "signoff", "--cluster", cluster_file, "--reports", reports, "--out", out
    )
    assert status == 2
    assert "no run report matches" in errors
    assert not out.exists()


def test_the_version_imports_what_it_needs_alone() -> None:
    """No time is measured, which a loaded machine has in plenty."""
    look = (
        "import sys; from assay.cli import main\n"
        "try: main()\nexcept SystemExit: print(*sys.modules)"
    )
    asked = [sys.executable, "-c", look, "--version"]
    printed = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    imported = {*printed.split()}
    assert "typer" in imported
    assert not imported & {"altair", "jinja2", "numpy", "scipy", "yaml"}


def test_to_judge_imports_no_distributions() -> None:
    """All of scipy's take most of a second; its special functions have the few that are needed."""
    look = "import sys, assay.judge.signoff; print(*sys.modules)"
    asked = [sys.executable, "-c", look]
    printed = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    imported = {*printed.split()}
    assert "numpy" in imported
    assert "scipy.stats" not in imported


def test_an_unknown_command_lists_those_that_there_are() -> None:
    status, _, err = run("verfy", "bundle")
    assert status == 2
    assert "unknown command verfy; choose from: check, plan, expect" in " ".join(err.split())


def test_check_prints_json_for_programs(cluster_file: Path) -> None:
    document = json.loads(cluster_file.read_text())
    for name in ("s1", "s2"):
        document["hosts"][name]["engines"][0]["targets"] = 0
    cluster_file.write_text(json.dumps(document))
    status, printed, _ = run("check", "--json", cluster_file)
    (row,) = json.loads(printed)
    assert (status, row["hosts"], row["key"]) == (1, ["s1", "s2"], "engines[0].targets")
    assert row["variable"] == "daos_server_engines[0].targets"


@pytest.mark.parametrize("made", [False, True])
def test_logs_of_servers_that_are_not_there_are_a_misuse(tmp_path: Path, made: bool) -> None:
    campaign, logs = campaign_in(tmp_path), tmp_path / "logs"
    if made:
        logs.mkdir()
    cluster, out = tmp_path / "cluster.json", tmp_path / "signoff"
    cluster.write_text(json.dumps(description()))
    status, _, errors = run(
        *("signoff", "--cluster", cluster, "--reports", campaign / "run-1.json", "--out", out),
        *("--outputs", campaign, "--support-logs", logs),
    )
    assert (status, errors) == (
        2,
        f"--support-logs {logs} has no files; dmg support collect-log prints its path\n",
    )
    assert not out.exists()


def test_a_place_where_the_user_may_not_be_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in root's home, from which `setpriv` does not go away."""

    def denied() -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "second")

    monkeypatch.setattr(cli, "app", denied)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert (ended.value.code, capsys.readouterr().err) == (2, "second: Permission denied\n")


def test_an_output_without_room_is_one_sentence() -> None:
    """A full disk was a traceback, whatever the command had done."""
    command = [sys.executable, "-c", "from assay.cli import main; main()", "--version"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    sentence = "the output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, sentence)


MAIN = f"{sys.executable} -c 'from assay.cli import main; main()'"


@pytest.mark.parametrize(
    ("script", "errors"),
    [
        (f"{MAIN} --version >&-", "standard output is closed: redirect it to a file,"),
        (f"{MAIN} --version | true", ""),
        (f"{MAIN} probe | true", ""),
        (f"rmdir $PWD; {MAIN} health nights --last", "the current directory was removed: change"),
    ],
)
def test_nothing_that_nobody_read_ends_as_an_answer(
    tmp_path: Path, script: str, errors: str
) -> None:
    """A reader that has gone was 1, as is an invalid bundle; a closed output was 0."""
    here = tmp_path / "here"
    here.mkdir()
    shell = ["bash", "-c", f"set -o pipefail; {script}"]
    done = subprocess.run(shell, cwd=here, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr[: len(errors)]) == (2, errors)
    assert errors or not done.stderr


def test_counts_of_a_large_plan_have_commas(tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    large.write_text(json.dumps(description(clients=60, servers=60)))
    status, printed, _ = run("plan", "--cluster", large)
    counted = re.search(r"^([0-9,]+) metrics required$", printed, re.MULTILINE)
    assert status == 0
    assert counted
    assert re.fullmatch(r"[1-9][0-9]?,[0-9]{3}", counted[1])
