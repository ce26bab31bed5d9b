"""`make setup` where Python cannot make virtual environments."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from jobs import stand_in

SCRIPT = Path(__file__).parents[1] / "scripts" / "python-venv.sh"
NOBODY = 65534


def test_a_user_whom_sudo_asks_for_a_password_is_told_what_to_ask_for() -> None:
    lines = (
        stand_in("python3", "[[ $2 != *ensurepip* ]]"),
        stand_in("apt-get", "echo $*"),
        stand_in("sudo", "[[ $1 == --non-interactive ]] || echo password; return 1"),
        SCRIPT.read_text(),
    )
    done = subprocess.run(
        ["bash"],
        input="\n".join(lines),
        user=NOBODY if os.geteuid() == 0 else None,
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("python3-venv is needed: ask an administrator for it\n")
