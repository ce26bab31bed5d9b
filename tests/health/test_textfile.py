"""The file for node_exporter: names with units, and one state."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from assay.checks.plan import CHECKS
from assay.health.nights import HistoryError, Night
from assay.health.outcome import Finding, Gap, Health
from assay.health.textfile import FIGURES, write
from nightly import outcome

AT = datetime(2026, 3, 2, 2, 0, tzinfo=UTC)
FOUND = Finding(
    layer="ssd",
    what="SsdFio (read_1m)",
    subject="s3",
    hosts=("s3",),
    against="history",
    reason="9.8% worse than in its first nights",
    loss=0.098,
)


def health(*findings: Finding, gaps: tuple[Gap, ...] = ()) -> Health:
    return outcome(AT + timedelta(minutes=4), findings=findings, gaps=gaps)


NIGHT = Night(
    measured_from=AT,
    scale="quick",
    versions={},
    medians={
        "SsdFio.read_1m on s1": 1000.0,
        "SsdFio.read_1m on s2": 2000.0,
        "SsdFio.read_1m on s3": 4000.0,
        "FiPingpong.latency_64b on s1>s2": 20.0,
    },
    units={"SsdFio.read_1m": "MiB/s", "FiPingpong.latency_64b": "us"},
)


def read(path: Path) -> dict[tuple[str, ...], float]:
    """Name and labels, sorted by their names, to the value; the cluster's is left out."""
    values = {}
    for family in text_string_to_metric_families(path.read_text()):
        for sample in family.samples:
            assert sample.labels.pop("cluster") == "borealis"
            labels = (sample.labels[name] for name in sorted(sample.labels))
            values[sample.name, *labels] = sample.value
    return values


def test_figures_are_in_base_units_that_their_names_end_with(tmp_path: Path) -> None:
    write(tmp_path / "assay.prom", health(), NIGHT)
    values = read(tmp_path / "assay.prom")
    bandwidth = ("assay_health_bandwidth_bytes_per_second", "SsdFio", "ssd", "read_1m")
    assert values[bandwidth] == 2000 * 2**20, "the median over all subjects"
    latency = ("assay_health_time_seconds", "FiPingpong", "network", "latency_64b")
    assert values[latency] == pytest.approx(20e-6)
    assert values["assay_health_duration_seconds",] == 240
    assert values["assay_health_last_run_timestamp_seconds",] == AT.timestamp() + 240


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (health(), "ok"),
        (health(FOUND), "alarm"),
        (health(gaps=(Gap(check="SsdFio", hosts=(), figures=3, reason="lost"),)), "unknown"),
    ],
)
def test_one_state_is_1(tmp_path: Path, made: Health, state: str) -> None:
    write(tmp_path / "assay.prom", made, NIGHT)
    values = read(tmp_path / "assay.prom")
    states = {key[1]: value for key, value in values.items() if key[0] == "assay_health_state"}
    assert states == {"alarm": 0, "unknown": 0, "ok": 0} | {state: 1}
    assert values["assay_health_missing_figures",] == (3 if state == "unknown" else 0)


def test_a_finding_has_its_loss(tmp_path: Path) -> None:
    write(tmp_path / "assay.prom", health(FOUND), None)
    values = read(tmp_path / "assay.prom")
    assert values["assay_health_loss_ratio", "ssd", "s3", "SsdFio (read_1m)"] == 0.098
    assert values["assay_health_alarms",] == 1


def test_every_unit_of_the_catalogue_has_a_base_unit() -> None:
    units = {metric.unit for check in CHECKS.values() for metric in check.metrics}
    assert units <= FIGURES.keys()


def test_the_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "assay.prom"
    path.write_text("old")
    with path.open() as reader:
        write(path, health(), NIGHT)
        assert reader.read() == "old", "who reads it meanwhile reads the old one to its end"
    assert [each.name for each in tmp_path.iterdir()] == ["assay.prom"]


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="cannot be written: No such file"):
        write(tmp_path / "absent" / "assay.prom", health(), NIGHT)
