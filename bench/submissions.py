"""Reads all saved outputs below a directory, such as a copy of IO500's submission-data.

It prints how many files, runs and figures it read, each kind of reason for which a run is refused
or not known with its first file, and each figure of a summary of IO500 that differs from the output
of its own phase. It ends with 1 if a figure differs or a reader raised. Stopped by ^C or SIGTERM,
it prints the same of the files that it has read, and ends with 2.
"""

from __future__ import annotations

import re
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from assay.foreign.text import one_line
from assay.saved.reading import SavedRun, read
from assay.saved.results import result_directories

_VARYING = (
    (re.compile(r"""(["'])[^"']*\1|\S*/\S*|test-dir\S*"""), "..."),
    (re.compile(r"-?\d+(?:\.\d+)?"), "#"),
)


def kind(reason: str) -> str:
    """A reason without what differs from file to file."""
    for varying, instead in _VARYING:
        reason = varying.sub(instead, reason)
    return reason


def print_reasons(title: str, runs: Iterable[SavedRun], root: Path) -> None:
    """Print each kind of reason with its number, and the first file that has it."""
    count: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    for run in runs:
        for reason in run.parsed.problems:
            key = run.parsed.tool, kind(reason)
            count[key] += 1
            first.setdefault(key, str(run.path.relative_to(root)))
    print(f"{title}: {sum(count.values())}, of {len(count)} kinds")
    for (tool, reason), number in count.most_common():
        print(one_line(f"{number:6} {tool}: {reason}  [{first[tool, reason]}]"))


def main(root: Path) -> int:
    """Read everything below `root`, and print what became of it."""
    runs: list[SavedRun] = []
    raised: list[str] = []
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    all_files = len(files)
    passed_over = 0
    for number, path in enumerate(files):
        try:
            found = read([path])
        except KeyboardInterrupt:
            files = files[:number]
            print(f"stopped after {number} of {all_files} files")
            break
        except Exception:
            raised.append(f"{path}: {traceback.format_exc()}")
            continue
        runs += found.runs
        passed_over += len(found.not_read)
    programs = Counter(run.parsed.tool for run in runs)
    sound = [run for run in runs if not run.parsed.problems]
    unread = [run for run in runs if run.parsed.unread]
    refused = [run for run in runs if run.parsed.problems and not run.parsed.unread]
    figures = sum(len(run.parsed.samples) for run in runs)
    print(f"{len(files)} files, {passed_over} of no known program, {len(runs)} runs:", end=" ")
    print(", ".join(f"{number} of {tool}" for tool, number in programs.most_common()))
    print(f"{len(sound)} sound, {len(refused)} refused, {len(unread)} not known; {figures} figures")
    print_reasons("reasons of refusals", refused, root)
    print_reasons("not known", unread, root)
    directories = result_directories(runs)
    compared = sum(len(each.phases) * bool(each.summaries) for each in directories)
    differences = [line for each in directories for line in each.differences()]
    print(f"{len(directories)} result directories, {compared} phases: {len(differences)} differ")
    for line in differences:
        print(one_line(line.replace(f"{root}/", "")))
    print(f"{len(raised)} readers raised")
    for line in raised:
        print(line)
    return int(bool(differences or raised)) or 2 * (len(files) < all_files)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(f"usage: {sys.argv[0]} DIRECTORY")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main(Path(sys.argv[1])))
