import pytest

from assay.judge.signoff import Gate
from assay.report import html, summary
from clusters import described
from found import found_description
from synthetic import campaign, cluster, every_verdict, judgement, mixed, signed

LONG = "-".join(["storage"] * 12)


def test_it_begins_with_the_verdict_and_ends_with_what_the_gate_asks_for():
    sign_off = every_verdict()
    text = summary.render(sign_off)
    assert " ".join(text.split()).startswith(f"{sign_off.headline} ")
    assert " ".join(text.split()).endswith("measured; no reference available.")


def test_the_table_has_median_limits_and_unit():
    line = next(x for x in summary.render(every_verdict()).splitlines() if x.startswith("below"))
    assert line.split() == ["below", "below", "100", "120..200", "MiB/s"]


def test_what_was_not_measured_and_has_no_limit_shows_a_dash():
    text = summary.render(every_verdict())
    line = next(x for x in text.splitlines() if x.startswith("missing"))
    assert line.split() == ["missing", "missing", "-", "-", "MiB/s"]


def test_each_cause_is_named_with_its_metrics():
    text = summary.render(every_verdict())
    assert "  1 missing: SsdFio.read_1m on missing: fio was killed after 600 s\n" in text
    assert "  1 unsteady: SsdFio.read_1m on unsteady: 5 samples leave the median" in text


def test_nothing_stops_what_passes():
    passing = signed(cluster(), Gate.ACCEPTANCE, [judgement(floor=80.0)])
    assert "What blocks acceptance" not in summary.render(passing)


@pytest.mark.parametrize(
    "sign_off",
    [
        mixed(),
        campaign(cluster(), problem="down " * 200),
        signed(cluster(), Gate.ACCEPTANCE, [judgement([1e9], 1e9, subject=f"{LONG}>{LONG}")]),
        signed(cluster(), Gate.ACCEPTANCE, []),
    ],
    ids=["mixed", "all missing", "long names", "nothing required"],
)
def test_no_line_is_longer_than_a_terminal_is_wide(sign_off):
    lines = summary.render(sign_off).splitlines()
    assert max(map(len, lines)) <= 80
    assert not any("\x1b" in line for line in lines)
    assert not any(line != line.rstrip() for line in lines)


def test_what_a_user_could_not_test_is_named_with_the_reason():
    cluster_of_others = described(found_description())
    signed_off = signed(cluster_of_others, Gate.MEASURED, [judgement()])
    text = " ".join(summary.render(signed_off).split())
    assert "IorByRank: it makes a pool on each rank, which only an administrator may" in text
    assert "DAOS 2.8, system daos_server, as a user of it sees it: 2 ranks, ofi+tcp;" in text
    assert "IorByRank: it makes a pool on each rank" in html.render(signed_off)
    assert "not tested" not in summary.render(every_verdict())


def test_a_long_name_is_folded_and_not_cut():
    strange = judgement(subject=LONG)
    text = summary.render(signed(cluster(), Gate.ACCEPTANCE, [strange]))
    rows = text[text.index("verdict") :].split("\n\n")[0]
    assert "".join(rows.split()).count("-") >= LONG.count("-")
    assert "…" not in rows


def test_of_many_subjects_the_worst_are_listed():
    figures = [judgement([100.0 + number] * 7, 80.0, subject=f"n{number}") for number in range(500)]
    slow = judgement([1.0] * 7, 80.0, subject="slow")
    text = summary.render(signed(cluster(), Gate.ACCEPTANCE, [*figures, slow]))
    assert "slow" in text
    assert "and 497 more, none worse" in text
    assert len(text.splitlines()) < 30


def test_of_many_causes_the_first_are_listed():
    many = [judgement(problems=[f"reason {n}"], subject=f"n{n}") for n in range(50)]
    text = summary.render(signed(cluster(), Gate.ACCEPTANCE, many))
    assert "and 30 more causes, which report.html lists" in text
