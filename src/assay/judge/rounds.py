"""Which checks take another round: those whose verdicts further samples may decide.

A campaign plans its looks before it begins: at the first samples, if it stops when decided, at
those of the scale, and after each further round, if it has a budget for them. Each look has an
equal part of every chance of error (`assay.judge.stopping` has the rule), so that they stay what
they are for one look, whatever makes the campaign go on or stop: an open verdict, the budget or a
person. The last samples are not better than the first ones: all of them are judged together.

No number of samples decides what drifts, differs from its few peers or is of two populations. How
many would decide the others is known too roughly by those that there are to give up for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.campaign.further import affordable, may_go_on
from assay.campaign.results import Results
from assay.checks.plan import CaseKey, requirements
from assay.cluster.description import Cluster
from assay.judge.campaign import judge_campaign
from assay.judge.stopping import BETWEEN
from assay.subject import Subject


def undecided(cluster: Cluster, results: Results, budget_s: float = 0.0) -> Mapping[CaseKey, int]:
    """What takes another round, and how many of its subjects are open.

    The number is 0 for what has taken its first samples, and needs the others of its scale.

    Args:
        cluster: the cluster.
        results: the results of the campaign so far.
        budget_s: time of all rounds beyond the scale together, in seconds.
    """
    goes_on = may_go_on(results) if budget_s else set()
    if not (goes_on or results.stopped):
        return {}
    plan = requirements(cluster, results.scale)
    found, _ = judge_campaign(cluster, plan, results, looks=results.looks * BETWEEN)
    others = dict.fromkeys(results.stopped - found.decided, 0)
    is_open: dict[CaseKey, set[Subject]] = {}
    for each in found.judgements:
        if (key := each.requirement.case) in goes_on and each.scatters:
            is_open.setdefault(key, set()).add(each.requirement.subject)
    return others | {key: len(is_open[key]) for key in affordable(is_open, results, budget_s)}
