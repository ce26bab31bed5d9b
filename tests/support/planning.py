"""`make plan` as the tests run it: an inventory becomes a description, on no host."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def plan(inventory: Path, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Write the description of an inventory, with further options of ansible-playbook."""
    return subprocess.run(
        [
            Path(sys.executable).parent / "ansible-playbook",
            f"--inventory={inventory}",
            f"--extra-vars=assay_planned={out}",
            *more,
            REPOSITORY / "playbooks/plan.yml",
        ],
        cwd=REPOSITORY,
        env={**os.environ, "ANSIBLE_LOCALHOST_WARNING": "false"},
        capture_output=True,
        text=True,
        check=False,
    )
