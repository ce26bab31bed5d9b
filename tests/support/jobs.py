"""Jobs that run the functions of `steps.sh` and `daos_client.sh`, and what they leave."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from assay.campaign.steps import Step
from assay.checks.raw import SubjectOutputs
from assay.foreign.files import Tree
from assay.shell import Text

CHECKS = Path(__file__).parents[2] / "reframe-checks"
STEPS = CHECKS / "steps.sh"


@dataclass
class Job:
    """A stage directory and a scratch directory, and what a script does in them."""

    stage: Path
    scratch: Path

    @property
    def raw(self) -> Path:
        return self.stage / "raw" / "s1"

    @property
    def left(self) -> SubjectOutputs:
        return SubjectOutputs(Tree(self.raw))

    def script(self, *lines: str) -> str:
        return "\n".join([f". {STEPS}", f". {CHECKS}/daos_client.sh", "subject s1", *lines])

    def start(self, *lines: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "SLURMD_NODENAME": "s1"}
        return subprocess.Popen(
            ["bash", "-c", self.script(*lines)],
            cwd=self.stage,
            env=environment,
            text=True,
            start_new_session=True,
        )

    def run(self, *lines: str) -> int:
        return self.start(*lines).wait(60)

    def program(self, text: str) -> str:
        """A file for `bash`."""
        path = self.stage / "program.sh"
        path.write_text(text)
        return str(path)

    def output(self, name: str) -> str:
        return (self.raw / name).read_text()


def step(name: str, *commands: list[Text], limit_s: int = 10) -> Step:
    return Step(name, limit_s=limit_s, program=commands[0][0], commands=commands)


def stand_in(program: str, script: str) -> str:
    """A line of a job script that puts something else in the place of a program."""
    return f"{program}() {{ {script}; }}"
