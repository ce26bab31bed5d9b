"""What a client's page cache makes of figures, by the ladder of IOR's own tutorial."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import reframe as rfm
from reframe.core.builtins import variable

from assay.campaign.steps import Step, text
from assay.checks.plan import Metric
from assay.shell import RAW, Text
from assay.subject import Subject
from assay.tools.ior import TOOL, Ior, parse
from assay.tools.output import Parsed, Sample, merged
from assay_check import AssayCheck
from fio_check import SLOWEST_MIB_S
from mixins.backends import UsesEachBackend

LIMIT_S = 600
"""How long a run may take beyond its bytes: to fill so much memory takes a while."""

PHASES = {"write_bandwidth": "write", "read_bandwidth": "read"}

SQUEEZED_PERCENT = 60
"""Percent of a client's memory taken away from its page cache (this project's own choice)."""


@rfm.simple_test
class PageCacheHonesty(UsesEachBackend, AssayCheck):
    """IOR with one honest option more at a time, to see which figures are those of memory."""

    #: MiB that each rank writes.
    block_mib = variable(int)

    scales = {
        "quick": {"repetitions": 3, "block_mib": 32},
        "acceptance": {"repetitions": 5, "block_mib": 4096},
    }

    def needed_mib(self) -> int:
        """Room for every rank's file."""
        return self.block_mib * self.tasks + 64

    def rungs(self, path: Text) -> Mapping[str, Ior]:
        """The ladder, from what IOR does when nothing is said to it."""
        naive = Ior(
            path,
            "1m",
            f"{self.block_mib}m",
            shared=True,
            reorder=False,
            fsync=False,
        )
        files = replace(naive, shared=False)
        shifted = replace(files, reorder=True)
        synced = replace(shifted, fsync=True)
        return {
            "naive": naive,
            "files": files,
            "shifted": shifted,
            "synced": synced,
            "squeezed": replace(synced, memory_percent=SQUEEZED_PERCENT),
            "direct": replace(synced, direct=True),
        }

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One run of both phases for each sample of each rung: so the cache has its chance."""
        program = self.benchmark("ior")
        mib = self.block_mib * self.ranks_per_node
        return [
            Step(
                f"{rung}.{number}",
                # What each client writes and reads.
                limit_s=LIMIT_S + 2 * mib // SLOWEST_MIB_S,
                program=str(program),
                commands=[
                    self.launch(subject, program, run.command(RAW / f"{rung}.{number}.json"))
                ],
                parse=parse,
            )
            for rung, run in self.rungs(self.path(subject, "ior")).items()
            for number in self.times
        ]

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """Every run, its samples named after its rung."""
        return merged(TOOL, (self.rung(raw, step.name) for step in self.steps(subject)))

    def rung(self, raw: Path, name: str) -> Parsed:
        """One run: `naive_write` and `naive_read`."""
        rung = name.partition(".")[0]
        output = "".join(text(raw, name, kind) for kind in ("out", "err", "json"))
        parsed = parse(output, expected_tasks=self.tasks, expected_nodes=len(self.hosts))
        samples = tuple(
            replace(sample, metric=f"{rung}_{PHASES[sample.metric]}") for sample in parsed.samples
        )
        return replace(parsed, samples=samples)

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By rung and phase."""
        return sample.metric == metric.name
