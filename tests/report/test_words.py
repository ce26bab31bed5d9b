import pytest

from assay.checks.plan import LAYERS
from assay.cluster.daos import System
from assay.foreign.text import printable
from assay.judge.signoff import FAILING, Gate
from assay.judge.verdict import Verdict
from assay.report import html, words
from synthetic import cluster, every_verdict, judgement, signed


def test_every_layer_and_verdict_has_its_words():
    assert set(words.LAYER) == set(LAYERS)
    assert set(words.SIGN) == set(words.MEANING) == set(Verdict)


def test_signs_differ_so_that_no_verdict_needs_its_colour():
    assert len(set(words.SIGN.values())) == len(Verdict)


@pytest.mark.parametrize("gate", Gate)
def test_there_is_advice_for_all_that_can_stop_a_sign_off(gate):
    assert set(FAILING[gate]) <= set(words.ADVICE)


def test_the_measured_gate_says_that_it_accepts_nothing():
    assert "not an acceptance" in words.gate(every_verdict(Gate.MEASURED))
    assert "no acceptance" not in words.gate(every_verdict(Gate.ACCEPTANCE))


def test_the_gate_counts_what_nothing_vouches_for():
    assert "1 metric is unrated" in words.gate(every_verdict())


def with_daos(*, allow_insecure):
    system = System(
        name="ice",
        version="2.8",
        mgmt_svc_replicas=("s1",),
        allow_insecure=allow_insecure,
        servers=("s1", "s2"),
        admin="c1",
    )
    return cluster().model_copy(update={"daos": system})


def test_the_system_is_named_where_there_is_one():
    assert words.system(cluster()) is None
    sentence = words.system(with_daos(allow_insecure=False))
    assert sentence.startswith("DAOS 2.8, system ice: 2 servers with 2 engines, ofi+tcp. ")
    assert "INSECURE" not in sentence


def test_a_system_without_certificates_is_called_insecure():
    assert "INSECURE (allow_insecure: true)" in words.system(with_daos(allow_insecure=True))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, µs × 2, 🙂\tand\nlines", "plain, µs × 2, 🙂\tand\nlines"),
        ("\x1b[31mred\x1b[0m", "�[31mred�[0m"),
        (
            "nul \x00, lone surrogate \ud800, not a character \uffff",
            "nul �, lone surrogate �, not a character �",
        ),
        ("dos\r\nand mac\r", "dos\nand mac\n"),
    ],
)
def test_printable_replaces_only_what_cannot_be_written(text, shown):
    assert printable(text) == shown
    assert printable(text).encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("short", "short"),
        ("exactly 10", "exactly 10"),
        ("longer than ten", "longer th…"),
        ("first\nsecond", "first…"),
        ("", ""),
    ],
)
def test_shorten_keeps_the_start_of_the_first_line(text, shown):
    assert words.shorten(text, 10) == shown


@pytest.mark.parametrize(
    ("floor", "ceiling", "hidden"),
    [
        (None, None, ["bits for bytes", "GB for GiB"]),
        (20.0, None, ["bits for bytes", "GB for GiB"]),
        (20.0, 160.0, ["bits for bytes", "GB for GiB"]),
        (20.0, 159.0, ["GB for GiB"]),
        (95.0, 103.0, ["GB for GiB"]),
        (97.0, 104.0, []),
    ],
)
def test_mistakes_of_units_that_the_limits_would_not_show(
    floor: float | None, ceiling: float | None, hidden: list[str]
) -> None:
    made = signed(cluster(), Gate.ACCEPTANCE, [judgement(floor=floor, ceiling=ceiling)])
    assert words.units(made) == [f"{mistake}: SsdFio" for mistake in hidden]
    is_named = "A bandwidth in a wrong unit shows only where" in html.render(made)
    assert is_named == bool(hidden)
