"""Whether DAOS held writes back while a check ran, because the check's pool was too full."""

from __future__ import annotations

import contextlib

from assay.campaign.cases import Case
from assay.checks.plan import CHECKS
from assay.cluster.description import Cluster
from assay.foreign.files import ForeignError
from assay.tools.daos import dmg


def pressed(cluster: Cluster, case: Case) -> str:
    """How full a check's pool was, if DAOS held writes back for that; empty if it did not.

    The fullest of all answers about the pool counts.
    """
    assert cluster.daos
    reading = CHECKS[case.check].reading
    if reading.of_one_rank:
        return ""  # its pools are new
    answers: list[tuple[str, str]] = []
    for job in case.jobs:
        if job.output is None:
            continue
        raw = job.output.raw
        for when in ("after", "before"):
            with contextlib.suppress(ForeignError, OSError):
                answers.append((when, raw.answer(f"{reading.pool}.{when}")))
    when, answer = max(answers, key=lambda each: dmg.fullest(each[1]), default=("", ""))
    why = dmg.pressed(answer)
    return why and f"the pool {getattr(cluster.daos, reading.pool)}, {when} the run: {why}"
