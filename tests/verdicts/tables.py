"""Prints the tables of a bench, line by line, as they are made."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping

from scipy.special import betaincinv

Parts = Mapping[str, Callable[[argparse.Namespace], Iterator[str]]]
"""The lines of each part of a bench, by its name."""


def share(count: int, of: int) -> str:
    """A share with its interval of 95 % (Clopper and Pearson, Biometrika 26, 1934)."""
    low = betaincinv(count, of - count + 1, 0.025) if count else 0.0
    high = betaincinv(count + 1, of - count, 0.975) if count < of else 1.0
    return f"{count / of:.3f} [{low:.3f} {high:.3f}]"


def show(head: str, parts: Parts, options: argparse.Namespace) -> None:
    """Print the parts that are named by `options.only`, and how long they took."""
    started = time.monotonic()
    print(head)
    for name in options.only:
        print()
        for line in parts[name](options):
            print(line, flush=True)
    print(f"\n{time.monotonic() - started:.0f} s")
