"""Stand in for a program of DAOS: ``replay_command.py RECORDING... -- COMMAND...``.

Gives what the real program printed for exactly this command, directories of paths apart, and ends
as it did; any other command ends with 64.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path


def neutral(words: list[str]) -> list[str]:
    """Words without the directories of their paths, and without variables before the program."""
    while re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    return [re.sub(r"/.*/", "", re.sub(r"assay\.\S+", "scratch", word)) for word in words]


def main() -> int:
    separator = sys.argv.index("--")
    asked = neutral(sys.argv[separator + 1 :])
    for name in sys.argv[1:separator]:
        first, _, rest = Path(name).read_text().partition("\n")
        printed, _, code = rest.rpartition("# exit: ")
        if neutral(shlex.split(first.removeprefix("$ "))) == asked:
            print(printed, end="")
            return int(code)
    print(f"nothing was recorded of {shlex.join(asked)}", file=sys.stderr)
    return 64


sys.exit(main())
