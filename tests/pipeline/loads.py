"""Stand in for IOR and mdtest of `Interference`: ``loads.py LATE_S ior|mdtest ARGUMENT...``.

The first rank gives what a real one gave, with the deadline that it was told, and with now as the
time at which it began, or so many seconds later for a load beside another. Beside another it has
half the rate, and waits until the other is there: a launcher that starts them one after the other
lets it fail.
"""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

RECORDED = Path(__file__).parents[1] / "recorded" / "interference"
PATIENCE_S = 60


def main() -> int:
    late_s, program, *arguments = sys.argv[1:]
    if os.environ["PMI_RANK"] != "0":
        return 0
    load = "create" if program == "mdtest" else "read" if "-r" in arguments else "write"
    told = next(each for each in arguments if "summaryFile=" in each or each.endswith(".stonewall"))
    file = Path(told.partition("summaryFile=")[2] or told)
    beside = "_and_" in file.name
    if beside and not other_comes(file, load):
        print(f"{load} is alone", file=sys.stderr)
        return 1
    begun = time.localtime(time.time() + float(late_s) * (beside and load == "write"))
    if load == "create":
        print(created(arguments, begun, 2 if beside else 1))
        return 0
    name = "fill" if "minTimeDuration" not in "".join(arguments) else f"{load}.1"
    file.write_text(moved(RECORDED / f"{name}.json", arguments, begun, 2 if beside else 1))
    print((RECORDED / f"{name}.out").read_text())
    return 0


def other_comes(file: Path, load: str) -> bool:
    """Say that a load of a step is there, and wait for the other one."""
    step = ".".join(file.name.split(".")[:2])
    file.with_name(f"{step}.{load}.here").touch()
    end = time.monotonic() + PATIENCE_S
    while len(list(file.parent.glob(f"{step}.*.here"))) < 2:
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def created(arguments: list[str], begun: time.struct_time, part: int) -> str:
    """What mdtest prints."""
    text = (RECORDED / "create.1.out").read_text()
    deadline = arguments[arguments.index("-W") + 1]
    text = re.sub(r"(?<='-W' ')\d+", deadline, text).replace("on 1 node(s)", "on 2 node(s)")
    text = re.sub("(?<=avg: ).*", f"{300000 / part:.1f}", text)
    return re.sub("(?<=started at ).{19}", time.strftime("%m/%d/%Y %H:%M:%S", begun), text)


def moved(summary: Path, arguments: list[str], begun: time.struct_time, part: int) -> str:
    """IOR's summary."""
    text = summary.read_text().replace('"nodes": 1', '"nodes": 2')
    start = time.strftime("%a %b %d %H:%M:%S %Y", begun)
    text = re.sub('(?<="StartTime": ")[^"]*', start, text)
    text = re.sub(r'(?<="bwMiB": )[\d.]+', f"{3000 / part:.4f}", text)
    if "-D" in arguments:
        deadline = arguments[arguments.index("-D") + 1]
        text = re.sub(r'(?<="stonewallingTime": )\d+', deadline, text)
        text = re.sub(r'(?<="totalTime": )[\d.]+', f"{deadline}.01", text)
    return text


sys.exit(main())
