"""The result directory of IO500: its summary, and the outputs of IOR and mdtest in each phase."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isclose
from pathlib import Path

from assay.saved.reading import SavedRun
from assay.tools import io500
from assay.tools.output import Sample

_PRINTED = 0.0006
"""Half of the last digit that any release prints in GiB/s or kop/s, and a little more."""
_RELATIVE = 1e-3
"""IOR prints whole MiB/s in its table; io500 has all digits (this project's own choice)."""

_OF_PHASE = {"write": "file_creation", "stat": "file_stat", "read": "file_read"} | {
    "delete": "file_removal"
}


@dataclass(frozen=True, slots=True)
class ResultDirectory:
    """A directory of IO500 with a summary."""

    path: Path
    summaries: tuple[SavedRun, ...]
    """Its ``result_summary.txt``, and its ``result.txt`` if that is read."""
    phases: Mapping[str, SavedRun]
    """The outputs of the phases, by name with hyphens."""

    def differences(self) -> Iterator[str]:
        """Figures of a summary that differ from those of the phases' own outputs."""
        for summary in self.summaries:
            for sample in summary.parsed.samples:
                phase = self.phases.get(sample.metric.replace("_", "-"))
                figure = own_figure(sample.metric, phase) if phase else None
                if figure is None or _same(sample.value, figure):
                    continue
                assert phase
                yield (
                    f"{summary.path}: {sample.metric} is {sample.value:g} {sample.unit}, but"
                    f" {phase.path.name} has {figure:g}"
                )


def own_figure(metric: str, phase: SavedRun) -> float | None:
    """The figure of a phase by its own output, in GiB/s or kop/s; None without exactly one."""
    operation = metric.rpartition("_")[2]
    if phase.parsed.tool == "ior":
        name, scale = f"{operation}_bandwidth", 1024.0
    else:
        name, scale = _OF_PHASE.get(operation, ""), 1000.0
    values = [
        # Of mdtest before 3.4, IO500 took the rate of the fastest rank.
        float(each.labels.get("max", each.value)) / scale
        for each in phase.parsed.samples
        if each.metric == name
    ]
    return values[0] if len(values) == 1 else None


def _same(printed: float, figure: float) -> bool:
    return isclose(printed, figure, rel_tol=_RELATIVE, abs_tol=_PRINTED)


def result_directories(runs: Iterable[SavedRun]) -> list[ResultDirectory]:
    """The directories among these runs that have a summary of IO500."""
    by_directory: dict[Path, list[SavedRun]] = defaultdict(list)
    for run in runs:
        by_directory[run.path.parent].append(run)
    return [
        ResultDirectory(path, summaries, _phases(of))
        for path, of in by_directory.items()
        if (summaries := tuple(filter(_is_summary, of)))
    ]


def _is_summary(run: SavedRun) -> bool:
    # Logs beside them may be of other runs.
    return run.parsed.tool == io500.TOOL and run.path.stem in ("result_summary", "result")


def _phases(runs: Iterable[SavedRun]) -> dict[str, SavedRun]:
    return {
        run.path.stem.replace("_", "-").lower(): run
        for run in runs
        if run.parsed.tool in ("ior", "mdtest") and run.count == 1
    }


def of_one(samples: Iterable[Sample], label: str) -> str | None:
    """The value of a label, if all samples that have it agree."""
    found = {sample.labels[label] for sample in samples if label in sample.labels}
    return found.pop() if len(found) == 1 else None
