"""The sizes of a check are variables of ReFrame: shown, set with -S, and noted where set."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from run_reframe import reframe, scripts

from sites import site


@pytest.fixture
def document() -> dict[str, Any]:
    described = site(clients=2)
    described["benchmarks"] = {"ior": "/opt/ior", "ior_apis": ["DFS"], "fio": "/opt/fio"}
    described["daos"] |= {"pool": "POOL", "container": "CONT", "perf_pool": "PERF"}
    return described


def shown(document: dict[str, Any], directory: Path, *options: str) -> dict[str, Any]:
    """What `--describe` prints of IorEasy at the scale `acceptance`."""
    printed = reframe(
        document, directory, "--describe", "--name=^IorEasy%", "--tag=acceptance", *options
    )
    (described,) = json.loads(printed[printed.index("[") :])
    return described  # type: ignore[no-any-return]


def test_the_scale_sets_what_nobody_set(document: dict[str, Any], tmp_path: Path) -> None:
    described = shown(document, tmp_path)
    assert (described["repetitions"], described["stonewall_s"]) == (5, 30)
    assert described["deviations"] == {}


def test_what_is_set_is_noted(document: dict[str, Any], tmp_path: Path) -> None:
    described = shown(document, tmp_path, "-S", "IorEasy.stonewall_s=60", "-S", "repetitions=5")
    assert described["stonewall_s"] == 60
    assert described["deviations"] == {"stonewall_s": {"asked": 30, "was": 60}}


def test_what_is_set_is_run(document: dict[str, Any], tmp_path: Path) -> None:
    options = ("--name=^IorEasy%", "--tag=quick", "-S", "IorEasy.stonewall_s=60")
    script = scripts(document, tmp_path, *options)["IorEasy"]
    assert set(re.findall(r" -D (\d+) ", script)) == {"60"}
    assert set(re.findall(r"^step write\S+ (\d+) ", script, re.MULTILINE)) == {str(60 + 6 * 60)}


def test_a_larger_size_has_a_longer_limit(document: dict[str, Any], tmp_path: Path) -> None:
    options = ("--name=^FiPingpong%", "--tag=quick", "-S", "small_messages=60000")
    document["benchmarks"]["fi_pingpong"] = "/opt/fi_pingpong"
    script = scripts(document, tmp_path, *options)["FiPingpong"]
    limits = dict(re.findall(r"^step (\w+)\.1 (\d+) ", script, re.MULTILINE))
    assert limits == {"bandwidth_1m": "240", "latency_64b": "720"}


def test_the_detailed_list_shows_the_sizes(document: dict[str, Any], tmp_path: Path) -> None:
    printed = reframe(document, tmp_path, "-L", "--name=^(IorEasy|DaosPerf)%", "--tag=acceptance")
    assert "(repetitions=5, stonewall_s=30, scratch_mib=65536)" in printed
    assert "values_1m=1024, in_flight.update_4k=16, in_flight.fetch_4k=16," in printed


@pytest.mark.parametrize(
    "settings",
    [
        {
            "NetTest.repetitions=0": "repetitions = 0: should be 1 to 250",
            "DaosPerf.in_flight=update_4k:32": (
                "in_flight: update_4k = 32 and fetch_4k = 16: one run"
            ),
            "SelfTestClientServer.in_flight=latency_empty:16": (
                "in_flight.latency_empty = 16: should be 1 or more, for empty, get_1m, iov_2k,"
                " put_1m"
            ),
        },
        {
            "NetTest.repetitions=251": "repetitions = 251: should be 1 to 250",
            "SelfTestClientServer.in_flight=speed:16": (
                "in_flight.speed = 16: should be 1 or more, for empty, get_1m, iov_2k, put_1m"
            ),
        },
    ],
    ids=["too few", "too many"],
)
def test_what_nobody_could_measure_with_is_refused(
    settings: dict[str, str], document: dict[str, Any], tmp_path: Path
) -> None:
    """Of several checks at once, since each start of ReFrame takes seconds."""
    checks = "|".join(setting.partition(".")[0] for setting in settings)
    set_to = [word for setting in settings for word in ("-S", setting)]
    with pytest.raises(subprocess.CalledProcessError) as refused:
        scripts(document, tmp_path, f"--name=^({checks})%", "--tag=quick", *set_to)
    failed = re.findall(
        r"^FAILURE INFO for (\w+) .*?^  \* Reason: (.*?)$", refused.value.stdout, re.M | re.S
    )
    reasons = dict(failed)
    assert len(reasons) == len(settings)
    for setting, message in settings.items():
        assert message in reasons[setting.partition(".")[0]]


def test_one_metric_has_more_in_flight(document: dict[str, Any], tmp_path: Path) -> None:
    options = ("--name=^SelfTestClientServer%", "--tag=quick", "-S", "in_flight=empty:32")
    script = scripts(document, tmp_path, *options)["SelfTestClientServer"]
    counts = dict(re.findall(r"^step (\w+)\.1\.1 .*--max-inflight-rpcs (\d+) ", script, re.M))
    assert (counts["empty"], counts["get_1m"], counts["latency_empty"]) == ("32", "16", "1")
