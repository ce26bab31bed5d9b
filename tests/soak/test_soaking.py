"""A soak from its first round to its outcome, on campaigns that never ran."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assay.health.choice import choose
from assay.health.measure import BUSY, MeasureError
from assay.health.nights import HistoryError, load
from assay.health.outcome import State
from assay.soak.outcome import Soak
from assay.soak.rounds import Rounds
from assay.soak.soaking import FAILURES, Soaking
from assay.survey.host_counters import Answers, KernelCounts
from clusters import described, description
from nightly import Campaigns, Change, absent, slower, sound

CLUSTER = described(description(clients=2, servers=3))
CHOSEN = choose(CLUSTER, 15)
BEGAN = datetime(2026, 3, 1, 2, 0, tzinfo=UTC)
HOSTS = (*CLUSTER.clients, *CLUSTER.servers)


class Clock:
    """A clock that only measuring and waiting move on, and that somebody may set."""

    def __init__(self) -> None:
        self.time = BEGAN
        self.seconds = 0.0

    def now(self) -> datetime:
        return self.time

    def wait(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)
        self.seconds += seconds

    def elapsed(self) -> float:
        return self.seconds


NOTHING = {
    "link_down": {"eth0": 0},
    "port_down": {"mlx5_0:1": 0},
    "memory_uncorrected": {"mc0": 0},
    "pci_fatal": {"0000:81:00.0": 0},
}


def quiet(cluster: object) -> Answers:
    """No kernel has counted anything."""
    del cluster
    return Answers({name: KernelCounts(boot="a", counts=NOTHING) for name in HOSTS})


class Lab:
    """A directory of rounds, and what happens in them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.clock = Clock()
        self.said: list[str] = []
        self.campaigns = Campaigns(CLUSTER)
        self.chosen = CHOSEN

    def soak(
        self,
        *changes: Change,
        hours: float,
        counters: Callable[[Any], Answers] = quiet,
        fails: Callable[[int], MeasureError | None] = lambda _: None,
    ) -> Soak:
        """Measure; each run is as the next change has it, and then sound."""
        self.campaigns.changes = [*changes, *[sound] * 200]

        def measure(directory: Path, checks: Sequence[str], limit_s: float) -> bool:
            if error := fails(len(self.campaigns.ran)):
                self.campaigns.ran.append(())
                raise error
            self.clock.wait(900)
            return self.campaigns(directory, checks, limit_s)

        return Soaking(
            Rounds(self.directory),
            CLUSTER,
            None,
            (),
            (),
            self.chosen,
            15,
            hours,
            0.05,
            measure,
            counters,
            self.said.append,
            self.clock.now,
            self.clock.wait,
            self.clock.elapsed,
        ).run()


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def test_a_sound_soak_is_ok(lab: Lab) -> None:
    soak = lab.soak(hours=2)
    assert (soak.state, soak.rounds, soak.measured_h) == (State.OK, 8, 2.0)
    assert soak.headline.startswith("OK proving-ground: 8 rounds in 2.0 h: ")
    assert soak.headline.endswith(
        "; nothing failed, and no kernel of 5 hosts counted an error",
    )
    assert soak.figures > 0
    assert lab.said[0].startswith("round 1, 0.2 of 2 h: OK, ")
    assert load(Rounds(lab.directory).outcome, Soak) == soak


def test_an_interrupted_soak_goes_on_and_says_where_it_paused(lab: Lab) -> None:
    def ended(number: int) -> MeasureError | None:
        if number == 3:
            raise KeyboardInterrupt
        return None

    with pytest.raises(KeyboardInterrupt):
        lab.soak(hours=2, fails=ended)
    so_far = load(Rounds(lab.directory).outcome, Soak)
    assert so_far.state is State.UNKNOWN
    assert so_far.unknown[0] == "0.8 of 2 h are measured"
    lab.clock.wait(7200)
    soak = lab.soak(hours=2)
    assert (soak.state, soak.rounds) == (State.OK, 8)
    assert soak.notes == ("paused for 2.0 h after the round of 2026-03-01 02:30 UTC",)
    # Once it is over, nothing is measured.
    before = len(lab.campaigns.ran)
    assert lab.soak(hours=2) == soak
    assert len(lab.campaigns.ran) == before


def test_a_cluster_that_gets_slower_is_an_alarm(lab: Lab) -> None:
    """Each suspicion is measured again in its round."""
    worse = [slower(0.02 * n, "s2", check="SsdFio") for n in range(12) for _ in range(2)]
    soak = lab.soak(*[sound] * 6, *worse, hours=4)
    assert soak.state is State.ALARM
    drift = next(each for each in soak.findings if "worse than in its first nights" in each)
    assert drift.startswith("ssd: SsdFio")
    assert " of s2" in drift
    assert " rounds, first at 2026-03-01 " in drift


def test_figures_that_vary_are_an_alarm(lab: Lab) -> None:
    shaky = [slower(0.3 * (n % 2), "s1", check="SsdFio") for n in range(40)]
    soak = lab.soak(*shaky, hours=2)
    assert soak.state is State.ALARM
    varying = [each for each in soak.findings if "varies by up to" in each]
    assert varying
    assert all(each.startswith("SsdFio.") for each in varying)


def test_a_check_that_fails_once_leaves_the_soak_open(lab: Lab) -> None:
    soak = lab.soak(*[sound] * 3, absent("s1", "SsdFio"), hours=2)
    assert soak.state is State.UNKNOWN
    assert soak.status == 3
    (gap,) = soak.unknown
    assert gap.startswith("not measured: SsdFio on s1, ")
    assert gap.endswith("(in 1 of 8 rounds, first at 2026-03-01 02:45 UTC)")


def counts(kind: str, *numbers: int, place: str = "x") -> Callable[[Any], Answers]:
    """Each look at the kernels sees the next number on s2, and then the last one."""
    left = list(numbers)

    def ask(cluster: object) -> Answers:
        number = left.pop(0) if len(left) > 1 else left[0]
        grown: Mapping[str, KernelCounts] = {
            "s2": KernelCounts(boot="a", counts={**NOTHING, kind: {place: number}})
        }
        return Answers({**quiet(cluster).hosts, **grown})

    return ask


def test_an_error_that_a_kernel_counts_between_two_rounds_is_an_alarm(lab: Lab) -> None:
    soak = lab.soak(hours=2, counters=counts("memory_uncorrected", 0, 0, 1, place="mc0"))
    assert soak.state is State.ALARM
    assert soak.findings == (
        "s2 mc0: uncorrected errors of memory: 1, first seen at 2026-03-01 02:15 UTC",
    )


def test_corrected_errors_are_only_noted(lab: Lab) -> None:
    soak = lab.soak(hours=2, counters=counts("memory_corrected", 0, 5, place="mc0"))
    assert soak.state is State.OK
    (note,) = soak.notes
    assert note == "s2 mc0: corrected errors of memory: 5, first seen at 2026-03-01 02:15 UTC"


def test_hosts_whose_kernels_do_not_answer_leave_it_open(lab: Lab) -> None:
    def ask(cluster: object) -> Answers:
        hosts = dict(quiet(cluster).hosts)
        del hosts["s3"]
        return Answers(hosts, ("s3: no route",))

    soak = lab.soak(hours=2, counters=ask)
    assert soak.state is State.UNKNOWN
    assert soak.unknown == (
        "the counters of kernels were not read on s3: no route (16 of 16 times)",
    )
    assert soak.counted == len(HOSTS) - 1


def test_a_round_that_does_not_begin_is_not_measured_and_the_next_one_is_tried(lab: Lab) -> None:
    soak = lab.soak(hours=2, fails=lambda n: MeasureError("no campaign: x", 68) if n == 2 else None)
    assert soak.state is State.UNKNOWN
    assert soak.rounds == 9
    assert "no campaign: x (in 1 of 9 rounds" in soak.unknown[0]


def test_a_soak_in_which_nothing_begins_any_more_ends(lab: Lab) -> None:
    with pytest.raises(MeasureError, match="no campaign: x"):
        lab.soak(hours=2, fails=lambda _: MeasureError("no campaign: x", 68))
    assert len(lab.campaigns.ran) == FAILURES
    assert len(Rounds(lab.directory).read()) == FAILURES


@pytest.mark.parametrize("status", [66, 127])
def test_a_soak_that_no_waiting_lets_begin_ends_at_once(lab: Lab, status: int) -> None:
    with pytest.raises(MeasureError, match="no campaign: x"):
        lab.soak(hours=2, fails=lambda _: MeasureError("no campaign: x", status))
    assert (len(lab.campaigns.ran), lab.clock.seconds, lab.said) == (1, 0, [])
    assert not Rounds(lab.directory).read()
    soak = lab.soak(hours=2)
    assert (soak.state, soak.rounds) == (State.OK, 8)


def test_a_soak_that_has_begun_tries_again_whatever_it_was(lab: Lab) -> None:
    """As where the environment is on a file system that does not answer for a minute."""
    soak = lab.soak(hours=2, fails=lambda n: MeasureError("no campaign: x", 66) if n == 2 else None)
    assert (soak.state, soak.rounds) == (State.UNKNOWN, 9)


def test_a_soak_beside_another_campaign_does_not_begin(lab: Lab) -> None:
    with pytest.raises(MeasureError):
        lab.soak(hours=2, fails=lambda _: MeasureError("another campaign is running", BUSY))
    assert Rounds(lab.directory).read() == []


def test_a_directory_of_nights_is_not_one_of_a_soak(lab: Lab) -> None:
    history = lab.directory / "history"
    history.mkdir(parents=True)
    (history / "20260301T020000.json").write_text("{}")
    with pytest.raises(HistoryError, match="has nights of `assay health`; name another directory"):
        lab.soak(hours=1)


def test_too_few_rounds_say_nothing_of_drift(lab: Lab) -> None:
    soak = lab.soak(hours=0.5)
    assert soak.state is State.UNKNOWN
    assert soak.unknown == ("2 of 2 rounds have figures, and drift is judged from the 6th on",)


def test_a_soak_that_was_killed_before_its_first_round_was_kept_goes_on(lab: Lab) -> None:
    """Its figures are there already, as those of a night are."""
    looks = iter([quiet(None)])

    def ask(cluster: object) -> Answers:
        if (answers := next(looks, None)) is None:
            raise KeyboardInterrupt
        return answers

    with pytest.raises(KeyboardInterrupt):
        lab.soak(hours=2, counters=ask)
    assert any((lab.directory / "history").iterdir())
    lab.clock.wait(60)
    assert lab.soak(hours=2).rounds == 8


@pytest.mark.parametrize("hours", [-1, 5])
def test_a_clock_that_is_set_changes_neither_the_hours_nor_the_order(lab: Lab, hours: int) -> None:
    def fails(number: int) -> None:
        if number == 4:
            lab.clock.time += timedelta(hours=hours)

    soak = lab.soak(hours=2, fails=fails, counters=counts("oom_kills", 7))
    assert (soak.state, soak.rounds, soak.measured_h) == (State.OK, 8, 2.0)
    lab.clock.time = BEGAN
    more = lab.soak(hours=3, counters=counts("oom_kills", 7))
    assert (more.state, more.rounds, len(Rounds(lab.directory).read())) == (State.OK, 12, 12)


def test_two_soaks_in_one_directory_do_not_run_at_once(lab: Lab) -> None:
    with Rounds(lab.directory).alone(), pytest.raises(MeasureError, match="another soak") as busy:
        lab.soak(hours=1)
    assert busy.value.status == BUSY
    assert lab.campaigns.ran == []


def test_a_soak_waits_for_a_campaign_that_began_between_two_rounds(lab: Lab) -> None:
    """As that of a night does."""
    soak = lab.soak(
        hours=2,
        fails=lambda n: MeasureError("another campaign is running", BUSY) if 3 < n < 20 else None,
    )
    assert (soak.state, soak.rounds) == (State.OK, 8)
    assert lab.said.count("the soak waits: another campaign is running") == 1
    (paused,) = soak.notes
    assert paused.startswith("paused for 16 min ")


def test_a_soak_does_not_wait_for_ever(lab: Lab) -> None:
    with pytest.raises(MeasureError, match="another campaign is running"):
        lab.soak(
            hours=2,
            fails=lambda n: MeasureError("another campaign is running", BUSY) if n > 3 else None,
        )


def test_a_suspicion_of_any_round_that_is_not_measured_again_leaves_it_open(lab: Lab) -> None:
    def fails(number: int) -> MeasureError | None:
        return MeasureError("no campaign: x", 68) if number == 13 else None

    soak = lab.soak(*[sound] * 12, slower(0.3, "s2", check="SsdFio"), hours=24, fails=fails)
    (suspected,) = [each for each in soak.unknown if each.startswith("not measured again: ssd: ")]
    assert suspected.endswith("(in 1 of 96 rounds, first at 2026-03-01 05:00 UTC)")
    assert any("worse than its median in a round" in each for each in soak.notes)


def test_checks_that_only_some_rounds_have_leave_it_open(lab: Lab) -> None:
    lab.soak(hours=2)
    lab.chosen = choose(CLUSTER, 4)
    soak = lab.soak(hours=4)
    assert soak.state is State.UNKNOWN
    assert "FiPingpong belongs to 8 of 16 rounds: resumed with other options" in soak.unknown


def test_figures_that_are_gone_are_no_soak(lab: Lab) -> None:
    lab.soak(hours=2)
    min((lab.directory / "history").iterdir()).unlink()
    with pytest.raises(HistoryError, match="No such file"):
        lab.soak(hours=2)


def test_a_device_that_vanishes_is_an_alarm(lab: Lab) -> None:
    looks = iter(range(100))

    def ask(cluster: object) -> Answers:
        hosts = dict(quiet(cluster).hosts)
        if next(looks) == 5:
            hosts["s2"] = KernelCounts(boot="a", counts=NOTHING | {"pci_fatal": {}})
        return Answers(hosts)

    soak = lab.soak(hours=2, counters=ask)
    assert soak.findings == (
        "s2 0000:81:00.0 vanished, first seen at 2026-03-01 02:45 UTC: the kernel has no counters"
        " of it",
    )


def test_words_of_slurm_that_differ_each_time_are_one_line(lab: Lab) -> None:
    looks = iter(range(100))
    soak = lab.soak(hours=2, counters=lambda _: Answers({}, (f"c1: no job {next(looks)}",)))
    (unread,) = soak.unknown
    assert unread == "the counters of kernels were not read on c1: no job 15 (16 of 16 times)"


def test_what_kernels_do_not_count_is_said(lab: Lab) -> None:
    def ask(cluster: object) -> Answers:
        del cluster
        counted = {"link_down": {"eth0": 0}, "port_down": {"mlx5_0:1": 0}, "pci_fatal": {"x": 0}}
        return Answers({name: KernelCounts(boot="a", counts=counted) for name in HOSTS})

    soak = lab.soak(hours=2, counters=ask)
    assert soak.notes == ("not counted by the kernels of c[1-2],s[1-3]: errors of memory (EDAC)",)


def test_a_port_whose_counter_is_at_its_end_leaves_it_open(lab: Lab) -> None:
    soak = lab.soak(hours=2, counters=counts("port_full", 1, place="mlx5_0:1"))
    assert soak.state is State.UNKNOWN
    assert soak.unknown[0].startswith("s2 mlx5_0:1: a counter of errors is at its largest value")
