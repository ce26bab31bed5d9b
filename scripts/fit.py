"""Break lines of `make help` between words where they are longer than the terminal.

What follows stands below the text of a command, and a little to the right below a heading. It runs
on the system's Python, before there is `.venv`.
"""

import os
import re
import signal
import sys
import textwrap

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as of `make help | head`
width = os.get_terminal_size(1).columns or 80 if sys.stdout.isatty() else sys.maxsize
for line in sys.stdin:
    name = re.match(r" +\S+ +", line)
    print(
        textwrap.fill(
            line.rstrip("\n"),
            width,
            subsequent_indent=" " * (len(name.group()) if name else 4),
            break_long_words=False,
            break_on_hyphens=False,
        )
    )
