"""What `assay describe` writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.cluster.slurm import Slurm
from assay.commands.describe import _here, _write
from assay.survey.foreign_slurm import Seen
from assay.survey.guest import Asked, document
from commandline import assay


def test_an_old_description_stays_where_a_new_one_has_no_room(tmp_path: Path) -> None:
    for name in ("cluster.json", "environment.sh"):
        (tmp_path / name).write_text("old")
    (tmp_path / ".environment.sh.new").symlink_to("/dev/full")
    asked = Asked("borealis", Slurm(partitions={"clients": "batch"}), tmp_path)
    interfaces = {"lo": {"up": True, "address": "127.0.0.1", "speed_gbits": None}}
    host = Seen.model_validate(
        {
            "name": "n1",
            "host": {
                "cores": 2,
                "numa_nodes": 1,
                "memory": {"total_mib": 1024},
                "interfaces": interfaces,
            },
            "campaigns": {"inode": 7, "writable": True},
            "scratch": None,
            "programs": {"fio": "/usr/bin/fio"},
        }
    )
    described = document(asked, host, [host])
    with pytest.raises(OSError, match="No space left"):
        _write(asked, described, None)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "cluster.json": "old",
        "environment.sh": "old",
    }
    _write(asked, described, None)
    assert "borealis" in (tmp_path / "cluster.json").read_text()
    assert "ASSAY_CLUSTER" in (tmp_path / "environment.sh").read_text()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--container=c"], "--container, --mount, --share and --control are of a pool of DAOS"),
        (["--control=/nowhere.yml", "--pool=p"], "--control /nowhere.yml: there is no such file"),
        (["--share=0.1"], "--container, --mount, --share and --control are of a pool of DAOS"),
        (["--pool=p", "--mount=/m"], "--mount is where a container of yours is mounted"),
        (["--ssd=Intel D7-P5500 3.84TB"], "--ssd is the data sheet of a disk: name a directory"),
        (
            ["--scratch=/local", "--ssd=floppy"],
            "--ssd floppy: there is no such data sheet; choose from: Intel D7-P5500 3.84TB, ",
        ),
        (["--fabric=wet string"], "--fabric wet string: there is no such data sheet; choose from:"),
    ],
)
def test_what_belongs_to_something_else_names_it(
    tmp_path: Path, options: list[str], why: str
) -> None:
    code, printed, refused = assay("describe", tmp_path, "--partition=batch", *options)
    assert (code, printed) == (2, "")
    assert refused.startswith(why)


def test_where_nothing_was_described_no_directory_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "mine").mkdir()
    for prefix in (tmp_path / "new", tmp_path / "mine", tmp_path / "deep" / "er"):
        _, _, refused = assay("describe", prefix, "--partition=batch")
        assert refused == "srun is not on the PATH: run this on a host where jobs are submitted\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_paths_may_begin_with_the_home_which_bash_does_not_expand_in_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.chdir(tmp_path)
    assert _here(Path("~/data")) == Path("/home/me/data")
    assert _here(Path("data")) == tmp_path / "data"


@pytest.mark.parametrize("options", [[], ["--shared=~nobody-has-this-name/data"]])
def test_the_home_of_somebody_who_is_not_there_is_refused(
    tmp_path: Path, options: list[str]
) -> None:
    prefix = tmp_path if options else Path("~nobody-has-this-name/data")
    code, _, refused = assay("describe", prefix, "--partition=batch", *options)
    assert (code, refused) == (
        2,
        "~nobody-has-this-name/data: ~nobody-has-this-name is no known home directory;"
        " pass the whole path\n",
    )


def test_a_name_that_is_too_long_for_a_directory_is_refused(tmp_path: Path) -> None:
    code, _, refused = assay("describe", tmp_path / ("n" * 300), "--partition=batch")
    assert code == 2
    assert refused.endswith("File name too long\n")
