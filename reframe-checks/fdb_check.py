"""What the checks that run fdb-hammer share."""

from pathlib import Path

from assay.campaign.steps import Step, printed, read
from assay.checks.plan import Metric
from assay.subject import Subject
from assay.tools.fdb_hammer import TOOL, Fields, parse
from assay.tools.output import Parsed, Sample, merged

FIELDS = {"quick": Fields(per_step=16, steps=4), "acceptance": Fields(per_step=64, steps=16)}
"""Fields of each process, over all of its databases."""


class FdbCheck:
    """Processes at once write fields and read them back, every field checked; a step a phase.

    Named before the class that it joins, as `DaosCheck` is.
    """

    def processes(self, subject: Subject) -> int:
        """Processes that run at once."""
        raise NotImplementedError

    def bytes_of_each(self, subject: Subject) -> int:
        """Bytes that each process moves in a phase."""
        raise NotImplementedError

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """Global timing of each phase, its time to open, and every process's own figures."""
        ran = {step.name: step for step in read(raw)}
        return merged(
            TOOL,
            (
                parse(
                    printed(raw, step),
                    expected_processes=self.processes(subject),
                    expected_bytes=self.bytes_of_each(subject),
                    started=ran[step.name].start,
                    ended=ran[step.name].end,
                )
                for step in self.steps(subject)
                if isinstance(step, Step)
            ),
        )

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """By the phase, of all processes together."""
        return sample.metric in (metric.name, f"{metric.name}_bandwidth")
