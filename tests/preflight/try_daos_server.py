#!/usr/bin/env python3
"""Give each row of tests/support/daos_*.py that a host can try to a real daos_server, and compare.

    .venv/bin/python tests/preflight/try_daos_server.py /opt/daos/bin/daos_server [ROW ...]

Run it as root, where no other daos_server runs. A server that starts waits for a format that it is
not given, listens at 127.0.0.1:10071, takes no hugepages, and is ended.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from assay.preflight.examine import examine
from daos_accepted import ACCEPTED
from daos_refused import REFUSED
from daos_release_rows import RELEASES_ACCEPT, RELEASES_REFUSE
from daos_rows import Row, configuration
from daos_unit_rows import UNIT_ACCEPTED, UNIT_REFUSED
from daos_yml import described

STARTED = ("storage format required", "SCM format required", "Checking DAOS I/O Engine")
LIMIT_S = 30
RELEASE = "2.8"


def daos_says(server: Path, row: Row) -> tuple[str, str]:
    """Whether DAOS starts with a row, and the last line that it printed."""
    with tempfile.TemporaryDirectory() as directory:
        text = json.dumps(configuration(row)).replace("DIR", directory)
        file = Path(directory, "daos_server.yml")
        file.write_text(yaml.safe_dump(json.loads(text)))
        command = [str(server), "start", "-o", str(file)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            assert process.stdout is not None
            limit = threading.Timer(LIMIT_S, process.kill)
            limit.start()
            last = ""
            for line in process.stdout:
                if any(word in line for word in STARTED):
                    limit.cancel()
                    process.kill()  # after SIGTERM so early, 2.8.0 went on for 30 s
                    return "accepted", line.strip()
                last = line.strip() or last
            limit.cancel()
            if process.wait() == -signal.SIGKILL:
                return "undecided", last
    return "refused", last.removeprefix("ERROR: ").replace(directory, "DIR")


def preflight_says(row: Row) -> tuple[str, str]:
    """What the preflight says of the same."""
    text = json.dumps(configuration(row)).replace("DIR", "/var/daos/row")
    document: dict[str, Any] = described(json.loads(text))
    errors = [problem for problem in examine(document)[1] if problem.severity == "error"]
    return ("refused", str(errors[0])) if errors else ("accepted", "")


def main() -> None:
    """Try all rows, or those that are named; end with 1 where a difference has no reason."""
    server, *names = Path(sys.argv[1]), *sys.argv[2:]
    started, words = daos_says(server, ACCEPTED[0])
    if started != "accepted":  # it would refuse every row
        sys.exit(f"{server} does not start with the row {ACCEPTED[0].name}: {words}")
    agreements, differences = 0, []
    refused = [*REFUSED, *UNIT_REFUSED, *RELEASES_REFUSE]
    accepted = [*ACCEPTED, *UNIT_ACCEPTED, *RELEASES_ACCEPT]
    rows = [(row, "refused") for row in refused] + [(row, "accepted") for row in accepted]
    for row, wanted in rows:
        if row.needs or row.version != RELEASE or (names and row.name not in names):
            continue
        (daos, words), (ours, _) = daos_says(server, row), preflight_says(row)
        agrees = daos == ours == wanted
        agreements += agrees
        print(f"{'same' if agrees else 'DIFF'} {row.name}: DAOS {daos}: {words[:150]}", flush=True)
        if not agrees:
            differences.append((row, daos, ours))
    print(f"{agreements + len(differences)} rows, {agreements} agreements")
    for row, daos, ours in differences:
        reason = row.differs or "NO REASON"
        print(f"{row.name}: DAOS {daos}, the preflight {ours}: {reason}")
    sys.exit(any(not row.differs for row, _, _ in differences))


if __name__ == "__main__":
    main()
