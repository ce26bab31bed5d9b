"""The locks of Spack in a campaign's directory and in its bundle."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bundles
from assay.bundle.verify import verify
from assay.campaign.locks import DIRECTORY
from assay.campaign.results import read
from assay.campaign.run_report import ReportError
from assay.cluster.description import Cluster
from assay.cluster.software import of_lock
from assay.judge.signoff import Gate, sign_off

DAOS, OFI = "d" * 32, "f" * 32
KIND = "debian12-x86_64_v3-all-0123abcd"


def lock(version: str = "2.8.0") -> dict[str, Any]:
    edge = {"name": "libfabric", "hash": OFI, "parameters": {"deptypes": ["build", "link"]}}
    return {
        "_meta": {"file-type": "spack-lockfile"},
        "concrete_specs": {
            DAOS: {
                "name": "daos",
                "version": version,
                "parameters": {"commit": "5" * 40, "client": True},
                "dependencies": [edge],
            },
            OFI: {"name": "libfabric", "version": "1.22.0", "parameters": {}},
        },
    }


def built(cluster: Cluster) -> Cluster:
    return cluster.model_copy(update={"built": {KIND: of_lock(lock())}})


def keep(campaign: Path, document: Any, name: str = f"{KIND}.lock") -> bytes:
    directory = campaign / DIRECTORY
    directory.mkdir(exist_ok=True)
    content = json.dumps(document).encode()
    (directory / name).write_bytes(content)
    return content


def test_a_bundle_has_the_lock_as_spack_wrote_it(
    cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    pattern = campaign()
    content = keep(tmp_path, lock())
    results = read(pattern, built(cluster), tmp_path)
    bundle = tmp_path / "bundle"
    bundles.write(sign_off(built(cluster), results, Gate.MEASURED), results, bundle)
    assert (bundle / DIRECTORY / f"{KIND}.lock").read_bytes() == content
    assert not [p for p in verify(bundle).problems if KIND in p]


def test_a_lock_of_other_packages_in_a_bundle_does_not_verify(
    cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    pattern = campaign()
    keep(tmp_path, lock())
    results = read(pattern, built(cluster), tmp_path)
    bundle = tmp_path / "bundle"
    bundles.write(sign_off(built(cluster), results, Gate.MEASURED), results, bundle)
    keep(bundle, lock("2.8.1"))
    assert [p for p in verify(bundle).problems if f"names daos@2.8.1/{DAOS}" in p]


def test_a_campaign_without_a_lock_is_read_as_ever(
    cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    assert read(campaign(), built(cluster), tmp_path).locks == ()


FEWER = {"concrete_specs": {OFI: lock()["concrete_specs"][OFI]}}


@pytest.mark.parametrize(
    ("document", "name", "message"),
    [
        (lock("2.8.1"), f"{KIND}.lock", f"names daos@2.8.1/{DAOS}, and the description"),
        (FEWER, f"{KIND}.lock", f"does not name daos@2.8.0/{DAOS}"),
        ({"specs": 1}, f"{KIND}.lock", "is not a lock of Spack: concrete_specs: Field required"),
        (
            lock(),
            "other.lock",
            f"does not name a kind of host that was built for; choose from: {KIND}.lock",
        ),
        (lock(), KIND, "does not name a kind of host that was built for"),
    ],
)
def test_a_lock_that_is_not_of_this_cluster_is_refused(
    cluster: Cluster,
    campaign: Callable[..., str],
    tmp_path: Path,
    document: Any,
    name: str,
    message: str,
) -> None:
    pattern = campaign()
    keep(tmp_path, document, name)
    with pytest.raises(ReportError) as refused:
        read(pattern, built(cluster), tmp_path)
    assert name in str(refused.value)
    assert message in str(refused.value)
