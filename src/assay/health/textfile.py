"""The outcome of a night for Prometheus: a file for the textfile collector of node_exporter."""

from __future__ import annotations

import os
import statistics
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from prometheus_client import CollectorRegistry, Gauge, write_to_textfile

from assay.checks.plan import CHECKS
from assay.health.nights import HistoryError, Night
from assay.health.outcome import Health, State
from assay.units import factor

SUFFIX = ".prom"
"""node_exporter reads no other files."""

FIGURES: Mapping[str, tuple[str, str]] = {
    "MiB/s": ("bandwidth_bytes_per_second", "B/s"),
    "GiB/s": ("bandwidth_bytes_per_second", "B/s"),
    "us": ("time_seconds", "s"),
    "s": ("time_seconds", "s"),
    "IO/s": ("io_per_second", "IO/s"),
    "RPC/s": ("rpcs_per_second", "RPC/s"),
    "op/s": ("operations_per_second", "op/s"),
    "kop/s": ("operations_per_second", "op/s"),
    "process": ("processes", "process"),
    "MiB": ("bytes", "B"),
    "score": ("score", "score"),
    "%": ("percent", "%"),
}
"""The unit of a metric to the end of its name there, and the base unit that Prometheus wants."""


def refusal(path: Path) -> str:
    """Why the file could not be written after a night, in words; empty if it could."""
    if path.suffix != SUFFIX:
        return f"node_exporter reads only files named *{SUFFIX}"
    if not path.parent.is_dir():
        return f"there is no directory {path.parent}"
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return f"you may not write into {path.parent}"
    return ""


def write(path: Path, health: Health, night: Night | None) -> None:
    """Write the file as a whole or not at all.

    Figures are medians over all subjects of a metric; what is slow is listed by itself.

    Raises:
        HistoryError: it cannot be written.
    """
    registry = CollectorRegistry()

    def gauge(name: str, says: str, *labels: str) -> Gauge:
        return Gauge(f"assay_health_{name}", says, ("cluster", *labels), registry=registry)

    cluster = health.cluster
    state = gauge("state", "1 for the state of the last night, 0 for the others", "state")
    for each in State:
        state.labels(cluster, each.value).set(each is health.state)
    ended, took = health.measured_to.timestamp(), health.measured_to - health.measured_from
    gauge("last_run_timestamp_seconds", "When the last night ended").labels(cluster).set(ended)
    gauge("duration_seconds", "How long it took").labels(cluster).set(took.total_seconds())
    gauge("figures", "Number of measured figures").labels(cluster).set(health.figures)
    missing = sum(each.figures for each in health.gaps)
    gauge("missing_figures", "Number of figures not measured").labels(cluster).set(missing)
    gauge("alarms", "Number of findings").labels(cluster).set(len(health.findings))
    nights = gauge("history_nights", "Earlier nights that were read")
    nights.labels(cluster).set(health.nights)
    loss = gauge(
        "loss_ratio", "Loss against the history, of each finding", "layer", "what", "subject"
    )
    for finding in health.findings:
        if finding.loss is not None:
            loss.labels(cluster, finding.layer, finding.what, finding.subject).set(finding.loss)
    if night is not None:
        known: dict[str, Gauge] = {}
        for figure, value in sorted(_medians(night).items()):
            end, base = FIGURES[night.units[figure]]
            if end not in known:
                known[end] = gauge(end, "Median over all subjects", "layer", "check", "metric")
            check, _, metric = figure.partition(".")
            labels = (cluster, CHECKS[check].layer, check, metric)
            known[end].labels(*labels).set(value * factor(night.units[figure], base))
    try:
        write_to_textfile(str(path), registry)
    except OSError as error:
        raise HistoryError(f"{path} cannot be written: {error.strerror}") from error


def _medians(night: Night) -> dict[str, float]:
    """The median of each metric over all its subjects."""
    figures: dict[str, list[float]] = defaultdict(list)
    for key, median in night.medians.items():
        figures[key.partition(" on ")[0]].append(median)
    return {figure: statistics.median(values) for figure, values in figures.items()}
