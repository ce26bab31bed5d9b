"""fio: job files that an engineer can run, and its command line."""

import pytest

from assay.tools.daos.dfs import Dfs
from assay.tools.fio import Job, JobFile, command, parse
from recordings import recorded

TWO_PROCESSES = JobFile(
    "/scratch/d",
    "64m",
    (
        Job("write_1m.1", "write", "1m", depth=8, fsync=True),
        Job("write_1m.2", "write", "1m", depth=8, fsync=True),
        Job("read_1m.1", "read", "1m", depth=8),
        Job("read_4k.1", "randread", "4k", depth=16, seconds=1),
        Job("write_4k.1", "randwrite", "4k", depth=16, seconds=1),
    ),
    processes=2,
)


def test_renders_the_job_file_whose_report_was_recorded():
    assert TWO_PROCESSES.render() == recorded("fio", "two_processes.fio")


def test_the_dfs_engine_has_a_container_and_no_directory():
    jobs = (Job("write_1m.1", "write", "1m", depth=8),)
    container = Dfs("tank", "cont1", oclass="SX", chunk_bytes=1048576)
    rendered = JobFile("", "64m", jobs, processes=2, engine="dfs", dfs=container).render()
    assert rendered.splitlines()[:7] == [
        "[global]",
        "ioengine=dfs",
        "pool=tank",
        "cont=cont1",
        "object_class=SX",
        "chunk_size=1048576",
        "filename_format=fio.$jobnum",
    ]


def test_the_dfs_engine_took_the_job_file_that_is_rendered():
    jobs = (
        Job("write_1m.1", "write", "1m", depth=8),
        Job("read_1m.1", "read", "1m", depth=8),
        Job("read_4k.1", "randread", "4k", depth=16, seconds=2),
    )
    container = Dfs("tank", "cont1", oclass="SX")
    rendered = JobFile("", "64m", jobs, processes=2, engine="dfs", dfs=container).render()
    assert rendered == recorded("fio", "dfs_rendered.fio")
    parsed = parse(recorded("fio", "dfs_rendered.json"), written_here=True)
    assert parsed.problems == ()
    assert {sample.labels["phase"] for sample in parsed.samples} == {
        "write_1m",
        "read_1m",
        "read_4k",
    }


def test_each_process_has_a_core_of_its_own_of_those_that_are_named():
    jobs = (Job("read_1m.1", "read", "1m"),)
    assert "cpus_allowed" not in JobFile("/scratch/d", "64m", jobs).render()
    rendered = JobFile("/scratch/d", "64m", jobs, cpus="${CPUS}").render().splitlines()
    place = rendered.index("cpus_allowed=${CPUS}")
    assert rendered[place + 1] == "cpus_allowed_policy=split"


def test_threads_are_asked_for():
    assert "thread=1" in JobFile("/d", "64m", (), threads=True).render().splitlines()
    assert "thread" not in JobFile("/d", "64m", ()).render()


@pytest.mark.parametrize(
    ("directory", "engine", "dfs"),
    [("", "dfs", None), ("/d", "libaio", Dfs("tank", "cont1")), ("/d", "dfs", Dfs("t", "c"))],
)
def test_refuses_a_place_that_the_engine_does_not_know(directory, engine, dfs):
    with pytest.raises(ValueError, match="fio's"):
        JobFile(directory, "64m", (), engine=engine, dfs=dfs)


def test_writes_json_away_from_what_is_printed():
    assert command("jobs.fio", "out.json") == [
        "fio",
        "--output-format=json",
        "--output=out.json",
        "jobs.fio",
    ]
