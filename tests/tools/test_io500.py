"""IO500: its phases, its score, and what makes a run of it no measurement."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tools import ior, mdtest
from assay.tools.daos.dfs import Dfs
from assay.tools.io500 import BANDWIDTHS, RATES, Io500, collected, parse, score
from assay.tools.output import Parsed
from recordings import ROOT, recorded

TOOL = "io500"
PHASES = ROOT / TOOL / "phases"
RUN = Io500(
    "/scratch/io500",
    "/scratch",
    stonewall_s=1,
    easy_block="3g",
    hard_segments=60000,
    easy_files=50000,
    hard_files=30000,
)


def figures(parsed):
    return {sample.metric: sample.value for sample in parsed.samples}


def test_the_phases_are_the_ones_that_were_recorded():
    for name, run in RUN.runs().items():
        command = run.command(f"{name}.json") if isinstance(run, ior.Ior) else run.command()
        recorded_command = (PHASES / f"{name}.txt").read_text().splitlines()[0]
        assert recorded_command == " ".join(["$ mpiexec -n 2", *command]), name


def test_all_writes_come_before_all_reads():
    names = list(RUN.runs())
    writes = [number for number, name in enumerate(names) if name.endswith("write")]
    assert writes == [0, 1, 2, 3]
    assert set(names) == {*BANDWIDTHS, *RATES} - {"find"}


def test_the_size_of_a_hard_transfer_and_file_are_those_of_the_rules():
    hard = RUN.runs()["ior-hard-write"].command("s")
    assert "-F" not in hard
    assert " ".join(hard).count("47008") == 2
    assert " ".join(RUN.runs()["mdtest-hard-write"].command()).count("3901") == 2


def test_on_daos_each_phase_names_the_container_and_its_classes():
    run = Io500("/io500", "/tmp/r", dfs=Dfs("tank", "io500", oclass="SX", dir_oclass="RP_3GX"))
    options = ["--dfs.pool=tank", "--dfs.cont=io500", "--dfs.oclass=SX", "--dfs.dir_oclass=RP_3GX"]
    for phase in run.runs().values():
        command = phase.command("s") if isinstance(phase, ior.Ior) else phase.command()
        assert command[1:3] == ["-a", "DFS"]
        assert command[3:7] == options


def test_the_program_gets_the_same_in_a_file():
    lines = RUN.configuration().splitlines()
    assert lines[0] == "[global]"
    assert "datadir = /scratch/io500" in lines
    assert "stonewall-time = 1" in lines
    assert lines[lines.index("[mdtest-hard]") + 1] == "n = 30000"


def test_a_score_is_the_geometric_mean_of_two_geometric_means():
    phases = dict.fromkeys(BANDWIDTHS, 2.0) | dict.fromkeys(RATES, 8.0)
    assert score(phases).total == pytest.approx(4.0)
    assert score(phases | {"ior-easy-read": 32.0}).bandwidth == pytest.approx(4.0)


def test_the_program_and_this_module_come_to_the_same_score():
    parsed = parse(recorded(TOOL, "one_second.txt"), stonewall_s=1)
    assert parsed.problems == ()
    values = figures(parsed)
    assert values["bandwidth_score"] == pytest.approx(0.807377, rel=1e-5)
    assert values["metadata_score"] == pytest.approx(198.974791, rel=1e-5)
    assert values["score"] == pytest.approx(12.674687, rel=1e-5)
    assert values["ior_easy_write"] == 0.270513
    assert values["mdtest_hard_stat"] == 855.160901
    units = {sample.metric: sample.unit for sample in parsed.samples}
    assert (units["ior_hard_read"], units["find"]) == ("GiB/s", "kop/s")
    # An extended phase is a figure of its own, and those that did not run are none.
    assert values["ior_rnd4k_easy_read"] > 0
    assert len(values) == 13 + 3


def test_the_summary_is_read_like_the_output():
    summary = parse(recorded(TOOL, "result_summary.txt"), stonewall_s=1)
    output = parse(recorded(TOOL, "too_short.txt"), stonewall_s=1)
    assert summary.samples == output.samples
    assert summary.problems == tuple(
        problem for problem in output.problems if not problem.startswith("io500: ")
    )


def test_a_valid_submission_has_no_problem():
    assert parse(recorded(TOOL, "valid.txt")).problems == ()


def test_a_short_stonewall_is_not_a_valid_submission():
    problems = parse(recorded(TOOL, "one_second.txt")).problems
    assert problems[:2] == (
        "io500: stonewall-time 1s != 300s",
        "io500: Runtime is smaller than expected minimum runtime",
    )
    assert problems[-1] == (
        "io500 calls ior-easy-write, mdtest-easy-write, ior-hard-write, mdtest-hard-write invalid;"
        " see its earlier output for the reason"
    )


def test_a_phase_shorter_than_its_stonewall_is_not_a_measurement():
    assert parse(recorded(TOOL, "too_short.txt"), stonewall_s=1).problems == (
        "io500: Write phase needed 0.372792s instead of stonewall 1s. Stonewall was hit at 0.3s",
        "io500: Runtime of phase (0.406067) is below stonewall time. This shouldn't happen!",
        "io500: Write phase needed 0.291290s instead of stonewall 1s. Stonewall was hit at 0.1s",
        "io500: Runtime of phase (0.319786) is below stonewall time. This shouldn't happen!",
        "ior-easy-write took 0.406 s, less than the required 1 s: give it that stonewall, and more"
        " to write",
        "ior-hard-write took 0.320 s, less than the required 1 s: give it that stonewall, and more"
        " to write",
    )


def test_a_phase_that_the_configuration_leaves_out_is_no_figure():
    text = recorded(TOOL, "valid.txt")
    printed = re.search(r"^\[RESULT\] +ior-easy-write .*$", text, re.MULTILINE)
    off = "[RESULT]       ior-easy-write        0.000000 GiB/s : time 0.000 seconds"
    parsed = parse(text.replace(printed[0], off), stonewall_s=1)
    assert "ior_easy_write" not in figures(parsed)
    assert parsed.problems == (
        "io500 did not run ior-easy-write, with 0 in 0 s: the configuration leaves it out, or it"
        " failed at once",
    )


def test_a_number_of_files_is_created_whatever_the_stonewall():
    run = Io500("/io500", "/tmp/r", stonewall_s=2, files=200)
    assert run.configuration().count("\nn = 200\n") == 2
    for name, phase in run.runs().items():
        command = " ".join(phase.command("s") if isinstance(phase, ior.Ior) else phase.command())
        assert (" -n 200 " in command) == name.startswith("mdtest"), name
        assert not (name.startswith("mdtest") and " -W " in command), name


def test_mdtest_may_end_before_the_stonewall_where_it_creates_a_number_of_files():
    text = recorded(TOOL, "counted.txt")
    parsed = parse(text, stonewall_s=2, counted=True)
    assert parsed.problems == ()
    assert figures(parsed)["score"] == pytest.approx(4.084777, rel=1e-5)
    assert [problem.split(":")[0] for problem in parse(text, stonewall_s=2).problems] == [
        *["io500"] * 2,
        "mdtest-easy-write took 1.465 s, less than the required 2 s",
        "mdtest-hard-write took 1.097 s, less than the required 2 s",
    ]


def test_where_few_files_are_created_find_may_find_none():
    text = recorded(TOOL, "found_nothing.txt")
    parsed = parse(text, stonewall_s=2, counted=True)
    assert parsed.problems == ()
    assert figures(parsed)["find"] == 0.034012
    assert figures(parsed)["score"] == pytest.approx(0.018197, rel=1e-4)
    (problem,) = parse(text, stonewall_s=2).problems
    assert problem == "io500: Find didn't find anything, this is likely invalid."


def test_where_all_files_were_created_find_finds_some():
    text = recorded(TOOL, "found_nothing.txt")
    all_created = "ERROR INVALID (src/main.c:1) Runtime of phase (1.9) is below stonewall time.\n"
    (problem,) = parse(text + all_created, stonewall_s=2, counted=True).problems
    assert problem == "io500: Find didn't find anything, this is likely invalid."


def test_ior_may_not_end_before_it_even_then():
    problems = parse(recorded(TOOL, "too_short.txt"), stonewall_s=1, counted=True).problems
    assert [problem.split()[0] for problem in problems[-2:]] == ["ior-easy-write", "ior-hard-write"]


def test_a_run_that_was_killed_has_no_score():
    parsed = parse(recorded(TOOL, "killed.txt"), stonewall_s=1)
    assert "score" not in figures(parsed)
    assert parsed.problems[0].startswith("io500 did not finish: it did not report ior-hard-write, ")


def test_a_run_by_the_check_has_every_metric():
    parsed = parse(recorded(TOOL, "program/quick.txt"), stonewall_s=2)
    assert parsed.problems == ()
    assert figures(parsed)["score"] == pytest.approx(8.010729, rel=1e-6)


def test_a_full_file_system_is_the_reason_that_is_reported_first():
    first, *_ = parse(recorded(TOOL, "disk_full.txt"), stonewall_s=2).problems
    assert first.startswith("io500: write(15, ")
    assert first.endswith(" failed No space left on device")


def test_a_score_that_is_not_that_of_the_phases_is_noticed():
    (problem,) = parse(recorded(TOOL, "score_changed.txt")).problems
    assert problem.startswith("the score of 21.674687 does not follow from the phases")


def outputs():
    return {
        name: (
            ior.parse(
                (PHASES / f"{name}.txt").read_text() + (PHASES / f"{name}.json").read_text(),
                expected_tasks=2,
            )
            if isinstance(run, ior.Ior)
            else mdtest.parse((PHASES / f"{name}.txt").read_text(), expected_tasks=2)
        )
        for name, run in RUN.runs().items()
    }


def test_the_phases_by_ior_and_mdtest_alone_have_all_but_find():
    parsed = collected(outputs())
    assert parsed.problems == ()
    values = figures(parsed)
    assert len(values) == 11 + 3
    assert {"metadata_score_without_find", "score_without_find"} <= set(values)
    assert "score" not in values
    bandwidth = outputs()["ior-hard-write"].samples[0]
    assert values["ior_hard_write"] == pytest.approx(bandwidth.value / 1024)
    rate = next(s for s in outputs()["mdtest-hard-stat"].samples if s.metric == "file_stat")
    assert values["mdtest_hard_stat"] == pytest.approx(rate.value / 1000)


def test_a_phase_that_went_wrong_leaves_no_score():
    broken = outputs() | {"ior-hard-read": Parsed("ior", (), ("it was killed",))}
    parsed = collected(broken)
    assert parsed.problems == (
        "ior-hard-read: it was killed",
        "ior-hard-read has 0 figures instead of one",
    )
    assert "score_without_find" not in figures(parsed)


@given(st.text())
def test_never_raises(text):
    assert parse(text).problems


@given(st.integers(min_value=0, max_value=recorded(TOOL, "valid.txt").rindex("TOTAL")))
def test_an_output_that_is_cut_off_is_not_a_measurement(length):
    assert parse(recorded(TOOL, "valid.txt")[:length]).problems


def test_phases_of_a_program_that_names_no_version_are_not_known():
    text = recorded(TOOL, "valid.txt")
    banner = next(line for line in text.splitlines() if line.startswith("IO500 version"))
    parsed = parse(text.replace(banner, ""))
    assert (parsed.samples, parsed.unread) == ((), True)
    assert parsed.problems[0].startswith("not known: phases without the line 'IO500 version' (")


@pytest.mark.parametrize(
    ("name", "total"),
    [("io500_isc20_gb_score.txt", 97.671251), ("io500_no_version.txt", 15.611801)],
)
def test_summaries_of_2020_are_read(name, total):
    parsed = parse(recorded(TOOL, f"posted/{name}"))
    assert parsed.problems == ()
    assert figures(parsed)["score"] == pytest.approx(total, rel=1e-3)


def test_its_other_file_has_the_same_figures_if_it_names_its_release():
    text = recorded(TOOL, "posted/io500_2023_result_ini.txt")
    parsed = parse(text)
    assert parsed.problems == ()
    assert figures(parsed)["ior_easy_write"] == 20693.627959
    assert figures(parsed)["find"] == 229672.102323
    assert figures(parsed)["score"] == pytest.approx(32165.926368, rel=1e-6)
    unnamed = parse(text.replace("io500-sc23_v1", ""))
    assert unnamed.unread
    assert "a result.txt that names no version, and so no units" in unnamed.problems[0]


def test_a_phase_that_io500_calls_invalid_makes_the_run_invalid():
    text = recorded(TOOL, "posted/io500_isc20_gb_score.txt").replace(
        "[RESULT]                 find", "[RESULT-invalid]         find"
    )
    (problem,) = parse(text).problems
    assert problem == "io500 calls find invalid; see its earlier output for the reason"


@pytest.mark.parametrize(
    ("name", "easy_write", "score"),
    [
        ("io500sh_2018.txt", 218.322, 70.6409),
        # Its TOTAL is the product of both scores.
        ("io500sh_2017_product.txt", 34.134, 587.42643**0.5),
    ],
)
def test_summaries_of_the_script_are_read(name, easy_write, score):
    parsed = parse(recorded(TOOL, f"posted/{name}"))
    assert parsed.problems == ()
    assert figures(parsed)["ior_easy_write"] == easy_write
    assert figures(parsed)["score"] == pytest.approx(score, rel=2e-3)


def test_extended_phases_are_figures_of_their_own():
    parsed = parse(recorded(TOOL, "posted/io500_sc21_extended.txt"))
    assert parsed.problems == ()
    values = figures(parsed)
    assert values["ior_rnd4k_read"] == 0.494981
    assert values["mdworkbench_bench"] == 75.540489
    assert "timestamp" not in values
    assert values["score"] == pytest.approx(21.717851, rel=1e-5)


def test_a_remark_of_io500_about_itself_is_no_problem():
    text = recorded(TOOL, "posted/io500_2023_result_ini.txt")
    remark = "; WARNING Using internal pfind, will ignore any arguments to the external script\n"
    below = "; ERROR INVALID stonewall-time < 30s\n"
    assert parse(remark + below + text).problems == ()
    assert parse(below + text.replace("-D 300", "-D 3")).problems[0] == (
        "io500: stonewall-time < 30s"
    )


def test_the_script_marks_an_invalid_score_in_its_own_way():
    text = recorded(TOOL, "posted/io500sh_2018.txt").replace("[SCORE] ", "[SCORE-invalid] ")
    assert parse(text).problems == (
        "io500 calls the run invalid; see its earlier output for the reason",
    )
