"""IOR: its command line."""

from dataclasses import replace

import pytest

from assay.tools.daos.dfs import Dfs
from assay.tools.ior import Ior, Stonewall


def test_writes_reads_and_removes_a_file_for_each_rank():
    run = Ior("/scratch/d/ior", "1m", "16m", iterations=3)
    assert " ".join(run.command("/scratch/ior.json")) == (
        "ior -a POSIX -C -e -F -g -w -r -t 1m -b 16m -i 3 -o /scratch/d/ior"
        " -O summaryFormat=JSON -O summaryFile=/scratch/ior.json"
    )


def test_keeps_files_for_a_run_that_reads_them():
    command = Ior("f", "1m", "16m", read=False, keep=True).command("s")
    assert "-r" not in command
    assert {"-w", "-k"} <= set(command)


def test_reads_through_dfs_what_another_run_wrote_and_checks_it():
    container = Dfs("tank", "cont1", oclass="SX", chunk_bytes=1048576)
    write = Ior("/d", "1m", "64m", read=False, keep=True, api="DFS", dfs=container, signature=7)
    assert " ".join(write.command("s.json")) == (
        "ior -a DFS --dfs.pool=tank --dfs.cont=cont1 --dfs.oclass=SX --dfs.chunk_size=1048576"
        " -C -e -F -g -w -k -G 7 -t 1m -b 64m -i 1 -o /d"
        " -O summaryFormat=JSON -O summaryFile=s.json"
    )
    read = replace(write, write=False, read=True, verify=True).command("s.json")
    assert {"-r", "-R", "-G"} <= set(read)


def test_a_shared_file_is_written_in_segments_until_a_deadline():
    deadline = Stonewall(300, "/tmp/hard.stonewall")
    write = Ior("f", "47008", "47008", segments=9, shared=True, read=False, stonewall=deadline)
    words = " ".join(write.command("s"))
    assert "-F" not in words
    assert "-b 47008 -s 9 -i 1" in words
    assert "-D 300 -O stoneWallingWearOut=1 -O stoneWallingStatusFile=/tmp/hard.stonewall" in words
    read = " ".join(replace(write, write=False, read=True).command("s"))
    assert "-D" not in read
    assert "-O stoneWallingStatusFile=/tmp/hard.stonewall" in read


def test_mpiio_finds_daos_by_its_path():
    command = Ior("daos:/d/f", "1m", "16m", api="MPIIO", shift=2).command("s")
    assert command[1:6] == ["-a", "MPIIO", "-C", "-Q", "2"]


def test_the_page_cache_can_be_let_in_and_kept_out():
    naive = Ior("f", "1m", "16m", shared=True, fsync=False, reorder=False).command("s")
    assert not {"-F", "-C", "-e"} & set(naive)
    kept_out = Ior("f", "1m", "16m", occupied="80", direct=True).command("s")
    assert "--posix.odirect" in kept_out
    assert kept_out[kept_out.index("-M") + 1] == "80%"


@pytest.mark.parametrize(("api", "dfs"), [("DFS", None), ("POSIX", Dfs("tank", "cont1"))])
def test_a_container_is_for_dfs_alone(api, dfs):
    with pytest.raises(ValueError, match="a container is for DFS, and DFS needs one"):
        Ior("f", "1m", "16m", api=api, dfs=dfs)


def test_a_run_of_a_time_begins_its_file_again_and_has_no_wear_out():
    words = " ".join(Ior("f", "2m", "16m", write=False, keep=True, lasts_s=30).command("s"))
    assert " -D 30 -O minTimeDuration=30 -O summaryFormat=JSON " in words
    assert "stoneWalling" not in words
