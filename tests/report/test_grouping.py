from assay.checks.plan import LAYERS
from assay.judge.verdict import Verdict
from assay.report import grouping
from synthetic import campaign, cluster, every_verdict, judgement


def test_layers_come_from_the_bottom_up_and_only_where_required():
    layers = [layer for layer, _ in grouping.by_layer(campaign(cluster()))]
    assert layers == list(LAYERS)
    assert [layer for layer, _ in grouping.by_layer(every_verdict())] == ["ssd"]


def test_the_worst_verdicts_come_first():
    judgements = every_verdict().judgements
    kept = grouping.worst(list(reversed(judgements)), 3)
    assert [j.verdict for j in kept] == [Verdict.MISSING, Verdict.IMPLAUSIBLE, Verdict.BELOW]


def test_of_one_verdict_the_worst_figures_come_first():
    slow, middle, fast = (judgement([value], subject=f"n{value}") for value in (5.0, 6.0, 7.0))
    assert grouping.worst([fast, slow, middle], 2) == [slow, middle]


def test_what_finds_room_keeps_its_order():
    judgements = list(every_verdict().judgements)[::-1]
    assert grouping.worst(judgements, len(judgements)) == judgements
