"""`assay parse`: its tables, JSON and CSV, and its exit statuses."""

import csv
import io
import json
from pathlib import Path

import pytest

from assay.tools import PARSERS, known
from clusters import description
from commandline import assay as run

RECORDED = Path(__file__).parents[1] / "recorded"


def test_a_table_names_program_figure_and_unit() -> None:
    status, printed, _ = run("parse", RECORDED / "mdtest" / "dfs_easy.txt")
    assert status == 0
    cells = printed.splitlines()[1].split()
    assert cells[1:4] == ["1", "mdtest", "file_creation"]
    assert cells[5] == "op/s"


def test_several_files_and_directories_are_read_together() -> None:
    status, printed, _ = run(
        "parse", "--json", RECORDED / "io500" / "valid.txt", RECORDED / "mdtest" / "posix_easy.txt"
    )
    assert status == 0
    assert [each["tool"] for each in json.loads(printed)["runs"]] == ["io500", "mdtest"]


def test_csv_has_all_digits() -> None:
    status, printed, _ = run("parse", "--csv", RECORDED / "io500" / "valid.txt")
    assert status == 0
    first = next(csv.DictReader(io.StringIO(printed)))
    assert (first["metric"], first["value"], first["unit"]) == (
        "ior_easy_write",
        "0.270513",
        "GiB/s",
    )
    assert first["valid"] == "yes"


def test_a_bad_measurement_is_a_no_and_says_why() -> None:
    status, printed, _ = run("parse", RECORDED / "ior" / "deadline_not_met.txt", "--tool", "ior")
    assert status == 1
    assert "deadline_not_met.txt: " in printed.splitlines()[-1]


def test_what_is_not_known_is_not_done() -> None:
    status, printed, _ = run("parse", RECORDED / "fio" / "posted" / "fio_214_3jobs.json")
    assert status == 2
    assert "not known: a report of fio-2.1.4" in printed


def test_a_run_of_several_can_be_picked() -> None:
    sweep = RECORDED / "ior" / "posted" / "ior_330_sweep_4_16_32.txt"
    status, printed, _ = run("parse", "--json", sweep)
    assert (status, len(json.loads(printed)["runs"])) == (0, 3)
    status, printed, _ = run("parse", "--json", "--run", 2, sweep)
    (only,) = json.loads(printed)["runs"]
    assert (status, only["run"], only["samples"][0]["labels"]["tasks"]) == (0, 2, "16")
    status, _, errors = run("parse", "--run", 4, sweep)
    assert (status, errors) == (2, f"{sweep}: it has 3 runs, and no run 4\n")


def test_files_of_no_program_are_passed_over_in_a_directory_alone(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.write_text("Segmentation fault\n")
    status, _, errors = run("parse", notes)
    assert status == 2
    assert errors.startswith(f"{notes}: no known program wrote it (agent_log, ")
    assert run("parse", tmp_path) == (
        2,
        "1 other files: no known program wrote them\n",
        "no file there is an output of a known program\n",
    )
    (tmp_path / "ior.txt").write_bytes((RECORDED / "ior" / "posix_repeat3.txt").read_bytes())
    assert run("parse", tmp_path)[0] == 0


def test_no_device_and_no_missing_file_is_read(tmp_path: Path) -> None:
    """`assay parse fio /dev/zero` ran out of memory."""
    status, _, errors = run("parse", "/dev/zero")
    assert status == 2
    assert "/dev/zero: is not a regular file" in errors
    missing = tmp_path / "missing"
    assert run("parse", missing)[0] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--tool", "iometer"), "unknown tool iometer; choose from: agent_log, "),
        (("--json", "--csv"), "--json and --csv: choose one of them"),
        (("--backend", "dfs"), "--backend says how figures are judged; pass --cluster, too"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments: tuple[str, ...], said: str) -> None:
    status, printed, errors = run("parse", *arguments, RECORDED / "io500" / "valid.txt")
    assert (status, printed) == (2, "")
    assert errors.startswith(said)


def test_judged_figures_are_marked_as_not_ours(tmp_path: Path) -> None:
    document = description(clients=1)
    document["benchmarks"]["shared_directory"] = "/shared"
    cluster = tmp_path / "cluster.json"
    cluster.write_text(json.dumps(document))
    output = RECORDED / "ior" / "posix_repeat3.txt"
    status, printed, errors = run("parse", "--cluster", cluster, output)
    assert status == 0, errors
    assert "judged by the description alone, not measured by this project:" in printed
    assert "IorEasy.write on clients/posix" in printed
    printed = run("parse", "--json", "--cluster", cluster, output)[1]
    assert json.loads(printed)["judged"]["note"] == "not measured by this project"


@pytest.mark.parametrize("tool", sorted(PARSERS))
def test_every_tool_says_what_it_knows_and_refuses_rubbish(tool: str, tmp_path: Path) -> None:
    contract = known(tool)
    assert contract.program == tool
    assert contract.releases
    assert contract.forms
    rubbish = tmp_path / "rubbish"
    rubbish.write_text("Segmentation fault\n")
    status, printed, _ = run("parse", "--json", "--tool", tool, rubbish)
    assert status == 1
    (parsed,) = json.loads(printed)["runs"]
    assert (parsed["tool"], parsed["samples"]) == (tool, [])
    assert parsed["problems"]


def test_the_page_lists_what_each_reader_knows() -> None:
    page = (Path(__file__).parents[2] / "docs" / "by-hand.md").read_text()
    contracts = map(known, sorted(PARSERS))
    rows = [f"| `{each.program}` | {each.releases} | {each.forms} |" for each in contracts]
    assert "\n".join(rows) in page
