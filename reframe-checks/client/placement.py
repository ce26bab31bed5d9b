"""Whether the scheduler puts processes where they were asked to be."""

from collections.abc import Sequence
from pathlib import Path

import reframe as rfm

from assay.campaign.steps import Step, text
from assay.checks.plan import Metric
from assay.subject import Subject
from assay.tools.output import Parsed, Sample, merged
from assay.tools.placement import TOOL, parse
from assay_check import AssayCheck
from mixins.launch import StartsItsPrograms


@rfm.simple_test
class ClientPlacement(StartsItsPrograms, AssayCheck):
    """Each process of a client, one a core, runs on a core of its own and stays there."""

    scripts = ("steps.sh", "client/placement.sh")
    scales = {"quick": {"repetitions": 3}, "acceptance": {"repetitions": 5}}

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One step of as many processes as the client has cores, for each sample."""
        cores = self.cluster.hosts[subject.host].cores
        command = [
            *("srun", f"--nodelist={subject.host}", "--nodes=1", "--mpi=none"),
            *(f"--ntasks={cores}", f"--ntasks-per-node={cores}", "--cpus-per-task=1"),
            "--threads-per-core=1",
            *("--cpu-bind=cores", "bash", "placement.sh"),
        ]
        return [
            Step(f"placement.{number}", limit_s=30, program="srun", commands=[command])
            for number in self.times
        ]

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """What the processes of every step say."""
        cores = self.cluster.hosts[subject.host].cores
        return merged(
            TOOL,
            (
                parse(text(raw, step.name, "out"), expected_processes=cores)
                for step in self.steps(subject)
            ),
        )

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """There is one metric."""
        return sample.metric == metric.name
