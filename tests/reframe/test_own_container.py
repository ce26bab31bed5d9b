"""The process that makes a container for a session, and destroys it after the session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from run_reframe import CHECKS

DAOS = """echo "daos $*" >>{log}
echo '{{"response": {{"container_uuid": "1b8254bf"}}, "error": null}}'"""

SQUEUE = """echo squeue >>{log}
[[ $(grep --count squeue {log}) = 1 ]] && exit 1
[[ $(grep --count scancel {log}) = 1 ]] || echo '7|{stage}/IorEasy'
echo '8|/elsewhere/IorEasy'"""

SCANCEL = 'echo "scancel $*" >>{log}'


def test_jobs_end_before_their_container_also_if_slurm_does_not_answer_at_once(
    tmp_path: Path,
) -> None:
    log, stage = tmp_path / "log", tmp_path / "stage"
    for name, script in {"daos": DAOS, "squeue": SQUEUE, "scancel": SCANCEL}.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/bash\n{script.format(log=log, stage=stage)}\n")
        program.chmod(0o755)
    done = subprocess.run(
        [
            *(sys.executable, str(CHECKS / "own_container.py"), str(stage), str(tmp_path / "daos")),
            *("--", "container", "create", "--", "container", "destroy"),
        ],
        env={**os.environ, "PATH": f"{tmp_path}:/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert log.read_text().splitlines() == [
        "daos container create",
        *("squeue", "squeue", "scancel 7", "squeue"),
        "daos container destroy 1b8254bf",
    ]
    assert [json.loads(line)["error"] for line in done.stdout.splitlines()] == [None, None]
