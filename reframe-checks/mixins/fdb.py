"""What the checks that run fdb-hammer need."""

from pathlib import Path

from reframe.core.builtins import variable

from assay.campaign.steps import Step, printed, read
from assay.checks.plan import Metric
from assay.subject import Subject
from assay.tools.fdb_hammer import TOOL, Fields, parse
from assay.tools.output import Parsed, Sample, merged
from mixins.plugin import Mixin

FIGURES = {"write": "write_bandwidth", "read": "read_bandwidth"}
"""What the parser calls the bandwidth of a phase, of all processes together."""


class RunsFdbHammer(Mixin):
    """Processes at once write fields and read them back, every field checked; a step a phase."""

    #: Fields that each process writes, and brings to the disk, at once.
    fields_per_step = variable(int)

    #: How often it does, over all of its databases.
    field_steps = variable(int)

    @property
    def fields(self) -> Fields:
        """Fields of each process, over all of its databases."""
        return Fields(per_step=self.fields_per_step, steps=self.field_steps)

    @property
    def field(self) -> str:
        """The path of the field that all fields are copies of."""
        return str(self.benchmark("fdb_share") / "field.grib")

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
        return sample.metric == FIGURES.get(metric.name, metric.name)
