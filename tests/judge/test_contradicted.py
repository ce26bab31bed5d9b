"""No acceptance by a description that the running system contradicts; answers are made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.cluster.description import Cluster
from assay.judge.contradicted import contradicted
from assay.judge.signoff import Gate, sign_off
from clusters import described
from ended import campaign_of, ended
from sites import put, site

RECORDED = Path(__file__).parents[1] / "recorded" / "dmg"
TARGETS = {"s1: engines/0/targets": 2, "s1: engines/0/nr_xs_helpers": 0}
TWO_SSDS = {"s1: engines/0/storage/1/bdev_list": ["0000:65:00.0", "0000:66:00.0"]}


def cluster(changes: dict[str, object] | None = None) -> Cluster:
    # As many servers as a class of three copies needs.
    document = site(servers=3 if changes == RP_3 else 1, engines=1, clients=1)
    document["daos"] |= {"pool": "tank", "container": "posix"}
    return described(put(document, changes or {}))


def health(version: str) -> dict[str, Any]:
    parts = {name: {"version": version} for name in ("server", "client", "libdaos")}
    return {"component_build_info": parts | {"mercury": {"version": "2.4.1"}}}


def pool(targets: int) -> dict[str, Any]:
    tier = {"media_type": "scm", "total": 1, "free": 1, "min": 1}
    return {"uuid": "a", "total_targets": targets, "active_targets": targets, "tier_stats": [tier]}


def devices(ssds: int) -> dict[str, Any]:
    listed = [
        {
            "uuid": str(number),
            "rank": 0,
            "tgt_ids": [number],
            "ctrlr": {"pci_addr": f"0000:{65 + number}:00.0", "dev_state": "NORMAL"},
        }
        for number in range(ssds)
    ]
    return {"host_storage_map": {"1": {"storage": {"smd_info": {"devices": listed}}}}}


def said(root: Path, name: str, response: object, changes: dict[str, object]) -> tuple[str, ...]:
    place = root / "output" / "IorEasy" / "raw" / "system"
    place.mkdir(parents=True)
    answer = {"response": response, "error": None, "status": 0}
    (place / f"{name}.before.json").write_text(json.dumps(answer))
    measured, described_so = campaign_of(ended(root, "IorEasy")), cluster(changes)
    found = contradicted(described_so, measured)
    signed = sign_off(described_so, measured, Gate.ACCEPTANCE)
    assert set(found) <= set(signed.gaps)
    assert all(each in signed.headline for each in found)
    return found


def container(files: str, directories: str = "RP_3G1") -> dict[str, Any]:
    return {"container_uuid": "a", "pool_uuid": "b", "container_type": "POSIX"} | {
        "file_object_class": files,
        "dir_object_class": directories,
    }


RP_3: dict[str, object] = {"daos/file_oclass": "RP_3GX", "daos/dir_oclass": "RP_3G1"}
OLDER: dict[str, object] = {"daos/version": "2.6"}


@pytest.mark.parametrize(
    ("name", "response", "changes", "starts"),
    [
        ("health", health("2.8.0"), OLDER, "DAOS 2.6 is described, and its server is of 2.8.0"),
        ("version", {"version": "2.8.0"}, OLDER, "DAOS 2.6 is described, and its client is of"),
        ("version", {"version": "3.1.0"}, OLDER, "DAOS 2.6 is described, and its client is of"),
        ("pool", pool(16), TARGETS, "the pool has 16 targets, and the engines of the description"),
        ("container", container("SX"), RP_3, "the container's files have the object class SX, but"),
        (
            "container",
            container("RP_3GX", "S1"),
            RP_3,
            "the container's directories have the object class S1, but the description has RP_3G1",
        ),
        ("devices", devices(4), TWO_SSDS, "dmg storage query: 4 SSDs have data, and bdev_list has"),
    ],
)
def test_what_the_system_answers_otherwise_blocks_acceptance_in_the_first_line(
    tmp_path: Path, name: str, response: object, changes: dict[str, object], starts: str
) -> None:
    found = said(tmp_path, name, response, changes)
    assert found[0].startswith(starts)


@pytest.mark.parametrize(
    ("name", "response", "changes"),
    [
        ("health", health("2.8.1"), {}),
        ("version", {"version": "2.6.4"}, OLDER),
        ("pool", pool(16), {}),
        # A pool on a part of the ranks is slower, and not judged by less.
        ("pool", pool(8), {}),
        ("pool", {"unknown": 1}, {}),
        ("container", container("RP_3GX"), RP_3),
        ("devices", devices(4), {}),
        ("devices", None, {}),
    ],
)
def test_what_it_answers_as_described_does_not(
    tmp_path: Path, name: str, response: object, changes: dict[str, object]
) -> None:
    assert said(tmp_path, name, response, changes) == ()


def test_a_recorded_answer_says_its_release(tmp_path: Path) -> None:
    lines = (RECORDED / "health_check.txt").read_text().splitlines()
    recorded = json.loads("\n".join(lines[2:-1]))["response"]
    assert len(said(tmp_path, "health", recorded, OLDER)) == 3


def test_what_nobody_was_asked_contradicts_nothing() -> None:
    assert contradicted(cluster(), campaign_of()) == ()
