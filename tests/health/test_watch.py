"""A night from measurement to outcome, on campaigns that never ran."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from assay.checks.accepted import Accepted
from assay.health.choice import choose
from assay.health.measure import MeasureError
from assay.health.night import Watched
from assay.health.nights import Nights, load
from assay.health.outcome import Health, State
from assay.health.watch import Watch
from assay.judge.waivers import Waiver
from clusters import described, description
from nightly import Campaigns, Change, absent, leave, remember, slower, sound

CLUSTER = described(description(clients=4, servers=4))
CHOSEN = choose(CLUSTER, 15)


@pytest.fixture(scope="session")
def medians(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """The figures of a sound night."""
    _, night = Watch(
        Nights(tmp_path_factory.mktemp("first")),
        Watched(CLUSTER, None, (), ()),
        CHOSEN,
        15,
        Campaigns(CLUSTER, sound),
    ).night()
    assert night is not None
    return dict(night.medians)


Make = Callable[..., tuple[Health, Campaigns]]


@pytest.fixture
def tonight(tmp_path: Path, medians: dict[str, float]) -> Make:
    """A night with a change for each of its runs, after some nights."""

    def make(
        *changes: Change,
        nights: int = 20,
        waivers: tuple[Waiver, ...] = (),
        accepted: Accepted | None = None,
        took_s: float = 0.0,
    ) -> tuple[Health, Campaigns]:
        kept = Nights(tmp_path)
        remember(kept, CLUSTER, medians, nights)
        campaigns = Campaigns(CLUSTER, *changes)
        times = iter([0.0, 0.0])
        watch = Watch(
            kept,
            Watched(CLUSTER, accepted, waivers, kept.read()),
            CHOSEN,
            15,
            campaigns,
            clock=lambda: next(times, took_s),
        )
        health, _ = watch.night()
        assert load(kept.last, Health) == health
        return health, campaigns

    return make


def test_a_sound_night_is_ok_and_runs_once(tonight: Make, tmp_path: Path) -> None:
    health, campaigns = tonight(sound)
    assert (health.state, health.status) == (State.OK, 0)
    assert campaigns.ran == [CHOSEN.checks]
    assert health.figures == health.charted > 0
    assert health.headline.startswith("OK proving-ground: ")
    assert health.headline.endswith(" have one; 20 nights)")
    assert (tmp_path / "alarms").read_text() == ""


def test_a_large_loss_is_an_alarm_that_names_layer_host_and_check(
    tonight: Make, tmp_path: Path
) -> None:
    lost = slower(0.3, "s3", check="SsdFio")
    health, campaigns = tonight(lost, lost)
    assert (health.state, health.status) == (State.ALARM, 1)
    assert campaigns.ran[1] == ("SsdFio",), "only what is suspected is measured again"
    (finding,) = (each for each in health.findings if each.against == "history")
    assert (finding.layer, finding.hosts) == ("ssd", ("s3",))
    assert "SsdFio" in finding.what
    assert finding.loss == pytest.approx(0.3, abs=0.03)
    assert health.headline.startswith("ALARM proving-ground: ssd: SsdFio")
    assert (tmp_path / "alarms").read_text().startswith("s3 ALARM proving-ground: ssd: SsdFio")


def test_a_loss_that_a_second_run_does_not_show_is_no_alarm(tonight: Make) -> None:
    health, campaigns = tonight(slower(0.3, "s3", check="SsdFio"), sound)
    assert len(campaigns.ran) == 2
    assert (health.state, health.findings, health.unconfirmed) == (State.OK, (), ())


def test_a_suspicion_without_time_for_a_second_run_is_open(tonight: Make) -> None:
    health, campaigns = tonight(slower(0.3, "s3", check="SsdFio"), took_s=15 * 60)
    assert len(campaigns.ran) == 1
    assert (health.state, health.status) == (State.UNKNOWN, 3)
    assert health.unconfirmed[0].hosts == ("s3",)
    assert "not measured again: ssd: SsdFio" in "\n".join(health.lines())


def test_a_suspicion_whose_second_run_fails_is_open(tonight: Make) -> None:
    health, _ = tonight(slower(0.3, "s3", check="SsdFio"), absent("s3", "SsdFio"))
    assert (health.state, health.findings) == (State.UNKNOWN, ())
    assert health.unconfirmed


def test_a_second_campaign_that_does_not_begin_leaves_it_open(
    tmp_path: Path, medians: dict[str, float]
) -> None:
    campaigns = Campaigns(CLUSTER, slower(0.3, "s3", check="SsdFio"))

    def measure(directory: Path, checks: object, limit_s: float) -> bool:
        if campaigns.ran:
            raise MeasureError("another campaign is running", 75)
        return campaigns(directory, CHOSEN.checks, limit_s)

    kept = Nights(tmp_path)
    remember(kept, CLUSTER, medians, 20)
    health, night = Watch(
        kept, Watched(CLUSTER, None, (), kept.read()), CHOSEN, 15, measure
    ).night()
    assert night is not None
    assert health.state is State.UNKNOWN


def test_a_host_that_slows_in_all_it_does_is_named_once(tonight: Make) -> None:
    names = [f"s4{part}" for part in ("", "/engine0")]
    slow = slower(0.4, *names, "s3>s4", "s4>s1")
    health, _ = tonight(slow, slow)
    against = [each for each in health.findings if each.against == "history"]
    assert [each.subject for each in against] == ["s4"]
    assert against[0].layer == "network", "the lowest of its layers"


def test_a_loss_of_all_is_that_of_their_kind_and_of_no_host(tonight: Make) -> None:
    lost = slower(0.3, *(f"s{n}" for n in range(1, 5)), check="SsdFio.read_1m")
    health, _ = tonight(lost, lost)
    (finding,) = (each for each in health.findings if each.against == "history")
    assert (finding.what, finding.hosts) == ("SsdFio.read_1m of all 4 subjects", ())
    assert health.of_host("s1").findings == tuple(
        each for each in health.findings if "s1" in each.hosts
    )


def test_a_figure_that_is_too_good_is_an_alarm(tonight: Make) -> None:
    better = slower(-1.0, "s3", check="SsdFio.read_1m")
    health, _ = tonight(better, better)
    assert health.state is State.ALARM
    (finding,) = (each for each in health.findings if each.against == "history")
    assert finding.reason.startswith("implausible: ")
    assert finding.loss == pytest.approx(-1.0, abs=0.05)


def test_what_was_not_measured_is_no_ok(tonight: Make) -> None:
    health, _ = tonight(absent("s2", "SsdFio"))
    assert (health.state, health.status) == (State.UNKNOWN, 3)
    (gap,) = health.gaps
    assert (gap.check, gap.hosts, gap.reason) == ("SsdFio", ("s2",), "s2 was lost")
    assert health.headline.startswith("UNKNOWN proving-ground: not measured: SsdFio on s2, ")


def test_without_a_history_only_limits_judge(tonight: Make) -> None:
    health, _ = tonight(sound, nights=0)
    assert (health.state, health.charted, health.nights) == (State.OK, 0, 0)


def test_what_is_below_a_limit_is_an_alarm_unless_it_is_waived(tonight: Make) -> None:
    """A network of 25 Gbit/s does not carry 2,000 MiB/s with 97 % of its frames lost."""
    lost = slower(0.97, "c1>c2", "c2>c3", "c3>c4", "c4>c1", check="FiPingpong.bandwidth")
    health, _ = tonight(lost, lost, nights=0)
    limited = [each for each in health.findings if each.against == "limit"]
    assert {each.subject for each in limited} == {"c1>c2", "c2>c3", "c3>c4", "c4>c1"}
    assert all(each.reason.startswith("below: ") for each in limited)


def test_a_waiver_excuses_what_is_below_a_limit(tonight: Make) -> None:
    waiver = Waiver(
        metric="FiPingpong.bandwidth_1m on *",
        reason="the switch is replaced next week",
        owner="network group",
        expires=date.today(),
    )
    lost = slower(0.97, "c1>c2", "c2>c3", "c3>c4", "c4>c1", check="FiPingpong.bandwidth")
    health, _ = tonight(lost, nights=0, waivers=(waiver,))
    assert health.state is State.OK


@pytest.mark.parametrize(("loss", "state"), [(0.05, State.OK), (0.15, State.ALARM)])
def test_without_a_history_an_accepted_campaign_judges(
    tonight: Make, medians: dict[str, float], loss: float, state: State
) -> None:
    """All clients lose as much, so their peers show nothing; 90 % of what was accepted remain."""
    at = datetime(2001, 1, 1, tzinfo=UTC)
    floors = Accepted(campaign="borealis", measured_to=at, sha256="0" * 64, medians=medians)
    lost = slower(loss, "c1", "c2", "c3", "c4", check="FdbHammer.write")
    health, _ = tonight(lost, lost, nights=0, accepted=floors)
    assert health.state is state
    for finding in health.findings:
        assert (finding.against, finding.what[: len("FdbHammer.write")]) == (
            "limit",
            "FdbHammer.write",
        )


def test_a_campaign_without_a_report_is_unknown(tmp_path: Path) -> None:
    def nothing(directory: Path, checks: object, limit_s: float) -> bool:
        del directory, checks, limit_s
        return False

    kept = Nights(tmp_path)
    health, night = Watch(kept, Watched(CLUSTER, None, (), ()), CHOSEN, 15, nothing).night()
    assert (health.state, night, kept.read()) == (State.UNKNOWN, None, [])
    assert "it was ended after " in health.headline
    assert load(kept.last, Health) == health


def test_what_a_night_has_no_time_for_says_so(tmp_path: Path) -> None:
    """Nobody runs the campaign of a night again, which is what an interruption asks for."""
    (run, interrupted), later = CHOSEN.checks[:2], CHOSEN.checks[2:]

    def measure(directory: Path, checks: Sequence[str], limit_s: float) -> bool:
        del checks, limit_s
        leave(CLUSTER, directory, (run, interrupted), sound)
        (path,) = directory.glob("reports/*.json")
        document = json.loads(path.read_text())
        for case in document["runs"][0]["testcases"]:
            if case["name"].startswith(interrupted):
                case.update(result="abort", fail_phase="run", fail_reason="ended", samples={})
        path.write_text(json.dumps(document))
        return False

    health, _ = Watch(Nights(tmp_path), Watched(CLUSTER, None, (), ()), CHOSEN, 15, measure).night()
    assert health.state is State.UNKNOWN
    assert {gap.check for gap in health.gaps} == {interrupted, *later}
    assert {gap.reason for gap in health.gaps} == {"it was ended after 13 min, all that was left"}


def test_the_runs_of_a_night_share_its_time(tonight: Make) -> None:
    lost = slower(0.3, "s3", check="SsdFio")
    _, campaigns = tonight(lost, lost, took_s=300.0)
    first, second = campaigns.limits_s
    assert first - second == pytest.approx(300.0)
    assert first < 15 * 60


def test_a_night_is_remembered_with_its_first_figures(
    tonight: Make, tmp_path: Path, medians: dict[str, float]
) -> None:
    """Those of a confirmation are of what was suspected, and would bias the history."""
    tonight(slower(0.3, "s3", check="SsdFio"), sound)
    last = Nights(tmp_path).read()[-1]
    key = "SsdFio.read_1m on s3"
    assert last.medians[key] == pytest.approx(0.7 * medians[key], rel=0.01)
