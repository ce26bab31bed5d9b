"""`assay probe`: the small program that prints the facts of a host for `assay check`."""

from __future__ import annotations


def probe() -> None:
    """Print a program that reads a host's facts; run it there: assay probe | ssh HOST python3 -.

    It needs Python 3.9 and nothing else, changes nothing, and prints JSON for --host-facts.
    """
    from assay.survey.host_program import program

    print(program())
