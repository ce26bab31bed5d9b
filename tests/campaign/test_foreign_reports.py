"""Run reports of somebody who means harm: refused in one message, and nothing is made or copied."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assay.bundle import derive
from assay.campaign.results import read
from assay.campaign.run_report import ReportError
from assay.cli import app
from assay.cluster.description import Cluster
from assay.foreign import limits
from assay.subject import Subject
from clusters import description
from runs import report

Put = Callable[[Path], object]
Factory = pytest.TempPathFactory


@pytest.fixture(autouse=True)
def printed_by_no_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    """These campaigns have figures, and outputs in which nothing stands."""
    monkeypatch.setattr(derive, "contradictions", lambda *_: ())


@pytest.fixture
def site(tmp_path: Path, cluster: Cluster) -> Path:
    """A cluster, and a campaign in which all went well."""
    (tmp_path / "cluster.json").write_text(json.dumps(description()))
    (tmp_path / "reports").mkdir()
    save(tmp_path, report(cluster, tmp_path))
    return tmp_path


def save(site: Path, document: dict[str, Any]) -> None:
    (site / "reports" / "run-1.json").write_text(json.dumps(document))


def edit(site: Path, **values: object) -> None:
    """Change the test case of SsdFio on the servers."""
    path = site / "reports" / "run-1.json"
    document = json.loads(path.read_text())
    of_ssd(document).update(values)
    save(site, document)


def of_ssd(document: dict[str, Any]) -> dict[str, Any]:
    cases: list[dict[str, Any]] = document["runs"][0]["testcases"]
    return next(c for c in cases if c["name"].startswith("SsdFio ") and c["partition"] == "servers")


def signoff(site: Path) -> tuple[int, str]:
    """Exit status, and what was said on standard error."""
    arguments = (
        *("signoff", "--gate=measured", f"--cluster={site / 'cluster.json'}"),
        *(f"--reports={site / 'reports' / '*.json'}", f"--out={site / 'bundles' / 'one'}"),
    )
    result = CliRunner().invoke(app, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stderr


def raw_of(site: Path) -> Path:
    return site / "output" / "servers" / "SsdFio" / "raw" / "s1"


def test_what_is_sound_is_bundled(site: Path) -> None:
    assert signoff(site)[0] == 0
    assert (site / "bundles/one/raw/servers/SsdFio/raw/s1/tool.out").is_file()


@pytest.mark.parametrize(
    ("start", "end", "reason"),
    [
        (
            "0001-01-01T00:00:00+14:00",
            1e9,
            "time_start_unix = 0001-01-01T00:00:00+14:00: should be",
        ),
        (
            1e9,
            "9999-12-31T23:59:59-12:00",
            "time_end_unix = 9999-12-31T23:59:59-12:00: should be a",
        ),
        (1e9 + 1, 1e9, "time_end_unix = 1000000000.0: should not be before time_start_unix"),
    ],
)
def test_a_campaign_is_of_the_past(site: Path, start: object, end: object, reason: str) -> None:
    set_times(site, start, end)
    status, message = signoff(site)
    assert (status, reason in " ".join(message.split())) == (2, True), message
    assert not (site / "bundles").exists()


def test_times_are_those_of_utc(site: Path, cluster: Cluster) -> None:
    set_times(site, "2026-01-01T00:00:00+14:00", "2026-01-01T00:00:00-12:00")
    results = read(str(site / "reports" / "*.json"), cluster)
    assert f"{results.started:%Y-%m-%d %H:%M} {results.ended:%H:%M}" == "2025-12-31 10:00 12:00"


def test_a_session_may_end_in_less_than_a_second(site: Path, cluster: Cluster) -> None:
    document = json.loads((site / "reports" / "run-1.json").read_text())
    document["session_info"] |= {"time_end_unix": 1e9 + 0.5, "time_elapsed": 0.5}
    save(site, document)
    read(str(site / "reports" / "*.json"), cluster)


def set_times(site: Path, start: object, end: object) -> None:
    """Change when the session was."""
    document = json.loads((site / "reports" / "run-1.json").read_text())
    document["session_info"] |= {"time_start_unix": start, "time_end_unix": end}
    save(site, document)


@pytest.mark.parametrize("partition", ["../../../victim/etc", "/etc/victim", "ser\0vers", ".", ""])
def test_a_partition_is_one_of_the_plan(site: Path, partition: str) -> None:
    """`../../../../victim/etc/systemd/system` made that directory, and the campaign passed."""
    edit(site, partition=partition, name="munge.service.d")
    status, errors = signoff(site)
    assert status == 2
    assert (
        f"run-1.json: partition = {partition.replace(chr(0), '�')}: should be one of clients"
        in errors
    )
    assert len(errors.splitlines()) == 1
    assert not (site / "bundles").exists()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"name": "munge.service.d"}, ": name = munge.service.d: should be one of FiPingpong, "),
        ({"name": "../SsdFio %scale=quick"}, ": name = ../SsdFio: should be one of "),
        ({"name": "NetTestCrossServer"}, ": name = NetTestCrossServer: should be one of "),
        (
            {"samples": {"read_1m": {"../../x": [1.0]}}},
            ": SsdFio: samples.read_1m = ../../x: should be one of s1, s2; `assay plan` lists",
        ),
        ({"samples": {"../x": {"s1": [1.0]}}}, " does not know the metric SsdFio.../x: "),
        (
            {"problems": {"s\x1b[2J9": ["x"]}},
            ": SsdFio: problems = s�[2J9: should be one of s1, s2; ",
        ),
        ({"system": "x\x1b]0;y\x07"}, "is a report of the cluster 'x\\x1b]0;y\\x07', but this"),
    ],
)
def test_names_are_those_of_the_plan(site: Path, values: dict[str, object], reason: str) -> None:
    edit(site, **values)
    status, message = signoff(site)
    assert status == 2
    assert reason in message
    assert "\x1b" not in message
    assert not (site / "bundles").exists()


@pytest.mark.parametrize("key", ["outputdir", "stagedir"])
def test_no_directory_of_this_machine_is_copied(
    site: Path, key: str, tmp_path_factory: Any
) -> None:
    """A private key went into a bundle that way."""
    victim = tmp_path_factory.mktemp("home")
    (victim / "raw").mkdir()
    (victim / "raw" / "id_ed25519").write_text("a private key")
    edit(site, **{"outputdir": None, "stagedir": None, key: str(victim)})
    status, errors = signoff(site)
    assert status == 2
    assert (
        f"run-1.json: SsdFio on servers: {victim} must be below {site}, where the outputs" in errors
    )
    assert not (site / "bundles").exists()


@pytest.mark.parametrize("name", ["../../../../../../home", "{site}/output/../..", "output/\0"])
def test_no_directory_leads_outward(site: Path, name: str) -> None:
    edit(site, outputdir=name.format(site=site))
    status, errors = signoff(site)
    assert status == 2
    assert "is not a directory of ReFrame: it contains .. or NUL" in errors


def test_a_campaign_that_was_moved_keeps_its_outputs(site: Path) -> None:
    edit(site, outputdir="/srv/vendor/campaigns/monday/output/servers/SsdFio")
    assert signoff(site)[0] == 0
    assert (site / "bundles/one/raw/servers/SsdFio/raw/s1/tool.out").is_file()


def test_a_mode_is_not_taken_along(site: Path) -> None:
    (raw_of(site) / "tool.out").chmod(0o4755)
    assert signoff(site)[0] == 0
    copied = site / "bundles/one/raw/servers/SsdFio/raw/s1/tool.out"
    assert copied.stat().st_mode & 0o7111 == 0


def test_an_output_that_changes_meanwhile_is_refused(site: Path, cluster: Cluster) -> None:
    results = read(str(site / "reports" / "*.json"), cluster, site)
    (raw_of(site) / "tool.out").write_text("longer than what was there before")
    with pytest.raises(
        ValueError, match="had 22 bytes when the campaign was judged, and now has 33"
    ):
        results.copy(site / "bundle")


def test_a_report_that_changes_meanwhile_is_refused(site: Path, cluster: Cluster) -> None:
    results = read(str(site / "reports" / "*.json"), cluster, site)
    edit(site, samples={})
    with pytest.raises(
        ValueError, match=r"run-1\.json changed while it was judged: judge it again"
    ):
        results.copy(site / "bundle")


@pytest.mark.parametrize(
    ("put", "reason"),
    [
        (lambda d: (d / "run-2.json").symlink_to("run-1.json"), "run-2.json is a link; name the"),
        (lambda d: os.mkfifo(d / "run-2.json"), "run-2.json is not a regular file"),
        (lambda d: (d / "run-2.json").mkdir(), "run-2.json is not a regular file"),
        (lambda d: (d / "run\x1b[2J.json").write_text("{}"), "is not printable"),
        (lambda d: os.truncate(d / "run-1.json", 3 * 2**30), "bytes, which is the limit"),
    ],
)
def test_reports_are_regular_files(site: Path, put: Callable[[Path], object], reason: str) -> None:
    put(site / "reports")
    status, message = signoff(site)
    assert status == 2
    assert reason in message


def test_a_link_that_is_named_itself_is_followed(site: Path, cluster: Cluster) -> None:
    """ReFrame keeps one, `latest.json`."""
    (site / "latest.json").symlink_to("reports/run-1.json")
    assert read(str(site / "latest.json"), cluster).cases


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"name": "x" * 2000}, "xxx…: String should have at most 1000 characters; run the"),
        (
            {"samples": {"read_1m": {"s1": [1.0] * (limits.SAMPLES + 1)}}},
            f"samples.read_1m.s1: List should have at most {limits.SAMPLES} items",
        ),
        ({"fail_reason": "x" * (limits.REASON + 1)}, "at most 4194304 characters"),
        ({"problems": {"s1": ["x"] * (limits.PROBLEMS + 1)}}, "at most 10000 items"),
        ({"units": {"u" * 2000: "x"}}, "at most 1000 characters"),
        ({"benchmark_seconds": float("inf")}, "benchmark_seconds = inf: should be a finite"),
    ],
)
def test_a_report_has_limits(site: Path, values: dict[str, object], reason: str) -> None:
    edit(site, **values)
    status, message = signoff(site)
    assert status == 2
    assert reason in message
    assert len(message) < 2000


def test_a_long_reason_is_cut(site: Path, cluster: Cluster) -> None:
    """One of 50 MB made a junit.xml of 200 MB."""
    text = "\x1b[2J" + "y" * 2_000_000
    edit(site, samples={}, result="fail", fail_phase="sanity", fail_reason=text)
    assert signoff(site)[0] == 1
    assert (site / "bundles/one/junit.xml").stat().st_size < 500_000
    results = read(str(site / "reports" / "*.json"), cluster)
    reason = results.cases["SsdFio", "servers"].problem
    assert reason is not None
    assert reason.endswith("y… (1,998,004 more characters)")
    assert "\x1b" not in reason


def test_many_problems_are_cut(site: Path, cluster: Cluster) -> None:
    edit(site, problems={"s1": ["fio broke"] * 9_999})
    results = read(str(site / "reports" / "*.json"), cluster)
    (metric, *_) = (m for m in found_metrics(cluster) if m.subject == Subject("s1"))
    problems = results.problems(metric)
    assert len(problems) < 300
    assert problems[-1].endswith("more problems")


def found_metrics(cluster: Cluster) -> list[Any]:
    from assay.checks.plan import requirements

    return [m for m in requirements(cluster) if (m.check, m.partition) == ("SsdFio", "servers")]


def test_skipped_checks_are_of_no_concern(site: Path, cluster: Cluster) -> None:
    path = site / "reports" / "run-1.json"
    document = json.loads(path.read_text())
    skipped = {**of_ssd(document), "result": "skip", "samples": {}, "name": "Other %scale=quick"}
    document["runs"][0]["testcases"].append(skipped)
    save(site, document)
    assert ("Other", "servers") not in read(str(path), cluster).cases


def test_a_deep_report_is_refused(site: Path, cluster: Cluster) -> None:
    (site / "reports" / "run-1.json").write_text('{"runs":' * 100_000)
    with pytest.raises(ReportError, match="is not JSON"):
        read(str(site / "reports" / "*.json"), cluster)


@pytest.mark.parametrize("key", ["runs", "system", "samples", "time_end_unix"])
def test_a_report_has_each_key_once(site: Path, key: str) -> None:
    """A reader sees the first one; the last was judged and signed."""
    path = site / "reports" / "run-1.json"
    path.write_text(path.read_text().replace(f'"{key}": ', f'"{key}": 0, "{key}": '))
    status, message = signoff(site)
    twice = f"it has the key {key} 2 times in one place"
    assert (status, twice in " ".join(message.split())) == (2, True), message
    assert not (site / "bundles").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_an_output_of_another_user_counts(site: Path) -> None:
    """A phase that runs as root leaves files of root in directories of the account."""
    os.chown(site / "output" / "servers" / "SsdFio", 12345, 12345)
    (raw_of(site) / "x").write_text("of root")
    status, errors = signoff(site)
    assert status == 0, errors
    (listed,) = (site / "bundles").rglob("s1/x")
    assert listed.read_text() == "of root"
