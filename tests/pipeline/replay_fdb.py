"""Stand in for an fdb-hammer with DAOS: ``replay_fdb.py MADE [--any] -- COMMAND...``.

A process gives what its like printed in the recordings of its schema's index, `shared` or
`separate`, with times of its own, and leaves in the directory MADE a file for each container that
FDB makes: its label, which holds a UUID. Only the commands of tests/recorded/fdb_hammer/README.md
are known, unless any is to be; others end with 64.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from assay.tools.fdb_hammer import FIELD_BYTES

RECORDED = Path(__file__).parents[1] / "recorded" / "fdb_hammer"
PER_STEP = 16


def recorded(process: int, separate: bool) -> list[str]:
    """The arguments with which a process was recorded."""
    return [
        *("--expver=assy", "--class=rd", "--nensembles=1"),
        f"--number={1 + process if separate else 1}",
        *("--nsteps=4", f"--nlevels={PER_STEP}", f"--level={1 + process * PER_STEP}"),
        *("--nparams=1", "--full-check", "field.grib"),
    ]


def containers(options: dict[str, str], by_number: bool) -> Iterator[str]:
    """The labels of a process's databases."""
    database = f"rd:{options['expver']}:enfo:20200101:0000:g"
    for member in range(int(options["nensembles"])):
        yield f"{database}:{int(options['number']) + member}" if by_number else database


def main() -> int:
    separator = sys.argv.index("--")
    made, *any_command = sys.argv[1:separator]
    reads = "--read" in sys.argv
    words = [word for word in sys.argv[separator + 1 :] if word != "--read"]
    words[-1] = Path(words[-1]).name
    options = dict(re.findall(r"--(\w+)=(\S+)", " ".join(words)))
    configuration = json.loads(os.environ["FDB5_CONFIG"])
    first, index, _ = Path(configuration["schema"]).read_text().splitlines()

    separate = index.endswith("number")
    process = 0 if any_command else int(options["level"]) // PER_STEP
    known = words == recorded(process, separate)
    told_of_daos = (
        configuration["engine"],
        configuration["store"],
        configuration["daos"]["store"],
    ) == (
        *("daos", "daos"),
        {"pool": "tank"},
    )
    if not (told_of_daos and (known or any_command)):
        print(f"nothing was recorded of {words} with {configuration}", file=sys.stderr)
        return 64

    labels = [*containers(options, first.endswith("number"))]
    for label in (*labels, configuration["daos"]["catalogue"]["root_cont"]):
        place = Path(made, label)
        if reads and not place.exists():
            print(f"Exception: Container with label {label} not found")
            return 1
        if not place.exists():
            place.write_text(str(uuid.uuid4()))

    indexes = "separate" if separate else "shared"
    recording = RECORDED / f"daos-{'read' if reads else 'write'}-{indexes}.txt"
    text = "".join(re.findall(rf"^{process}: (.*\n)", recording.read_text(), re.MULTILINE))
    fields = len(labels) * int(options["nsteps"]) * int(options["nlevels"])
    text = re.sub(r"(?<=^Bytes )(\w+): \d+$", rf"\1: {fields * FIELD_BYTES}", text, flags=re.M)
    text = re.sub(r"(?<=before first IO: )\S+", f"{time.time():.6f}", text)
    time.sleep(0.1)
    text = re.sub(r"(?<=after last IO: )\S+", f"{time.time():.6f}", text)
    print(text, end="")
    return 0


sys.exit(main())
