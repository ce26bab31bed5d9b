"""Bad input to `assay signoff`: one message that names the file and what to do; never a pass."""

import json
import math
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assay.bundle import derive
from assay.cli import app
from assay.tools.output import ALLOWED
from clusters import described, description
from runs import report

Change = Callable[[dict[str, Any]], None]
OTHER = "proving-ground-2"


@pytest.fixture(autouse=True)
def printed_by_no_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    """These campaigns have figures, and outputs in which nothing stands."""
    monkeypatch.setattr(derive, "contradictions", lambda *_: ())


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A cluster, and a run report in which all went well."""
    (tmp_path / "cluster.json").write_text(json.dumps(description()))
    write(tmp_path / "run-1.json", report(described(description()), tmp_path))
    return tmp_path


def write(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document))


def read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text())
    return document


def signoff(site: Path, *more: object) -> tuple[int, str, str]:
    """Exit status, what was printed, and what was said."""
    files = (f"--cluster={site / 'cluster.json'}", f"--reports={site / 'run-*.json'}")
    arguments = ["signoff", "--gate=measured", *files, *map(str, more)]
    if not any(argument.startswith("--out=") for argument in arguments):
        arguments.append(f"--out={site / 'bundle'}")
    result = CliRunner().invoke(app, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    return result.exit_code, result.stdout, result.stderr


def of_ssd(document: dict[str, Any]) -> dict[str, Any]:
    cases: list[dict[str, Any]] = document["runs"][0]["testcases"]
    return next(c for c in cases if c["name"].startswith("SsdFio ") and c["partition"] == "servers")


def test_without_a_fault_it_is_measured(site: Path) -> None:
    status, printed, errors = signoff(site)
    assert (status, errors) == (0, "")
    assert printed.startswith("MEASURED")


def another_cluster(site: Path) -> None:
    document = read(site / "run-1.json")
    for case in document["runs"][0]["testcases"]:
        case["system"] = OTHER
    write(site / "run-1.json", document)


def another_version(site: Path) -> None:
    document = read(site / "run-1.json")
    of_ssd(document)["checks_version"] = "0.0.9"
    write(site / "run-1.json", document)


def truncated(site: Path) -> None:
    text = (site / "run-1.json").read_bytes()
    (site / "run-1.json").write_bytes(text[: len(text) // 2])


def not_json(site: Path) -> None:
    (site / "run-1.json").write_text("[----------] all good")


def wrong_unit(site: Path) -> None:
    document = read(site / "run-1.json")
    of_ssd(document)["units"]["read_1m"] = "MB/s"
    write(site / "run-1.json", document)


def two_reports(site: Path) -> None:
    (site / "run-2.json").write_bytes((site / "run-1.json").read_bytes())


@pytest.mark.parametrize(
    ("fault", "named", "to_do"),
    [
        (another_cluster, "run-1.json is a report of the cluster", "name the reports of this one"),
        (another_version, "run-1.json: SsdFio was measured by", "or run the campaign again"),
        (truncated, "run-1.json is not JSON", "was the run interrupted?"),
        (not_json, "run-1.json is not JSON", "was the run interrupted?"),
        (two_reports, "run-2.json: ", "name the reports of one campaign"),
        (wrong_unit, "run-1.json: SsdFio.read_1m is in MB/s", "or run the campaign again"),
    ],
)
def test_a_report_that_cannot_be_judged(
    site: Path, fault: Callable[[Path], None], named: str, to_do: str
) -> None:
    fault(site)
    status, printed, errors = signoff(site)
    assert status == 2
    assert printed == ""
    (line,) = errors.splitlines()
    assert named in line
    assert line.endswith(to_do)
    assert not (site / "bundle").exists()


@pytest.mark.parametrize("value", [math.nan, math.inf, 0.0, -1.0, 1e308, 5e-324])
def test_a_sample_that_is_not_a_measurement_is_missing(site: Path, value: float) -> None:
    document = read(site / "run-1.json")
    of_ssd(document)["samples"]["read_1m"]["s1"][2] = value
    write(site / "run-1.json", document)
    status, printed, _ = signoff(site)
    assert status == 1
    assert printed.startswith("NOT MEASURED proving-ground: ")
    assert ", 1 missing, " in printed
    record = read(site / "bundle" / "report.json")
    (row,) = (row for row in record["metrics"] if row["key"] == "SsdFio.read_1m on s1")
    assert row["verdict"] == "missing"
    assert row["summary"] is None
    assert row["reason"] == (
        f"run-1.json: a sample is {value:g} MiB/s, and {ALLOWED}: measure it again"
    )


def test_a_waiver_of_a_metric_that_nobody_requires(site: Path) -> None:
    waivers = site / "waivers.yml"
    waivers.write_text(
        "waivers: [{metric: SsdFio.reed_1m on s1, reason: r, owner: o,"
        f" expires: {datetime.now(UTC).date()}}}]"
    )
    status, printed, errors = signoff(site, f"--waivers={waivers}")
    assert (status, printed) == (2, "")
    (line,) = errors.splitlines()
    assert line.startswith(f"{waivers}: the waiver of 'SsdFio.reed_1m on s1' names no metric")
    assert line.endswith("did you mean 'SsdFio.read_1m on s1'?")
    assert not (site / "bundle").exists()


def test_a_bundle_that_is_there(site: Path) -> None:
    (site / "bundle").mkdir()
    status, printed, errors = signoff(site)
    assert (status, printed) == (2, "")
    assert errors == f"{site / 'bundle'} already exists; choose another path\n"
    assert list((site / "bundle").iterdir()) == []
