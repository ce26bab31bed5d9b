"""Prints the tables of a bench, line by line, as they are made."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping

Parts = Mapping[str, Callable[[argparse.Namespace], Iterator[str]]]
"""The lines of each part of a bench, by its name."""


def show(head: str, parts: Parts, options: argparse.Namespace) -> None:
    """Print the parts that are named by `options.only`, and how long they took."""
    started = time.monotonic()
    print(head)
    for name in options.only:
        print()
        for line in parts[name](options):
            print(line, flush=True)
    print(f"\n{time.monotonic() - started:.0f} s")
