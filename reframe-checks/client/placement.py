"""Whether the scheduler places processes on the requested cores."""

from collections.abc import Sequence

import reframe as rfm

from assay.campaign.steps import Step
from assay.subject import Subject
from assay_check import AssayCheck
from mixins.launch import StartsItsPrograms


@rfm.simple_test
class ClientPlacement(StartsItsPrograms, AssayCheck):
    """Each process of a client, one per core, runs on its own core and stays there."""

    scripts = ("client/placement.sh",)
    needs_all_hosts = False

    def steps(self, subject: Subject) -> Sequence[Step]:
        """One step for each sample, with one process for each core of the client."""
        cores = self.cluster.hosts[subject.host].cores
        command = [
            *("srun", f"--nodelist={subject.host}", "--nodes=1", "--mpi=none"),
            *(f"--ntasks={cores}", f"--ntasks-per-node={cores}", "--cpus-per-task=1"),
            "--threads-per-core=1",
            *("--cpu-bind=cores", "bash", "placement.sh"),
        ]
        return [
            Step(name, limit_s=30, program="srun", commands=[command])
            for name in self.measured.names("placement")
        ]
