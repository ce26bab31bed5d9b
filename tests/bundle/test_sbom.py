"""The bill of materials, from a lock of Spack to the bundle."""

from __future__ import annotations

import importlib.util
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.bundle import sbom
from assay.cluster.software import Package, versions

ROLES = Path(__file__).parents[2] / "roles"
DAOS, OFI, SSL, CMAKE = "d" * 32, "f" * 32, "s" * 32, "c" * 32
COMMIT = "5a2536493607f065e0f6be51fd87b534a5eafa52"
AT = datetime(2026, 11, 22, 12, tzinfo=UTC)


def needs(hash_: str, *kinds: str) -> dict[str, Any]:
    return {"name": "any", "hash": hash_, "parameters": {"deptypes": kinds, "virtuals": []}}


LOCK = json.dumps(
    {
        "concrete_specs": {
            DAOS: {
                "name": "daos",
                "version": "2.8.0",
                "parameters": {"commit": COMMIT},
                "dependencies": [
                    needs(OFI, "build", "link"),
                    needs(SSL, "link"),
                    needs(CMAKE, "build"),
                ],
            },
            OFI: {"name": "libfabric", "version": "1.22.0", "parameters": {}},
            SSL: {
                "name": "openssl",
                "version": "3.0.0",
                "parameters": {},
                "external": {"path": "/usr"},
            },
            CMAKE: {"name": "cmake", "version": "3.25.1", "parameters": {}},
        }
    }
)


def built() -> tuple[Package, ...]:
    path = ROLES / "spack/filter_plugins/spack_lock.py"
    spec = importlib.util.spec_from_file_location("spack_lock", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return tuple(Package.model_validate(package) for package in module.packages(LOCK))


def test_the_sign_off_names_version_commit_and_hash_of_what_was_built() -> None:
    assert versions({"debian12": built()}) == {
        "daos from source": f"2.8.0, commit {COMMIT}, hash {DAOS}",
        "libfabric from source": f"1.22.0, hash {OFI}",
    }


def test_the_programs_that_measure_are_named_like_daos() -> None:
    programs = ["fdb", "fio", "io500", "ior"]
    named = versions({"one": [Package(name=name, version="1", hash=DAOS) for name in programs]})
    assert sorted(named) == [f"{name} from source" for name in programs]


def test_with_several_kinds_of_hosts_each_is_named() -> None:
    kinds = {"debian12": built(), "rocky9": built()}
    assert "daos from source (rocky9)" in versions(kinds)


def test_the_bill_names_each_package_once_and_what_it_links() -> None:
    document = json.loads(sbom.render("hall", {"one": built(), "two": built()}, AT))
    daos = next(package for package in document["packages"] if package["name"] == "daos")
    assert daos["versionInfo"] == "2.8.0"
    assert daos["sourceInfo"] == f"commit {COMMIT}"
    assert len(document["packages"]) == 4
    needed = {
        relation["relatedSpdxElement"]
        for relation in document["relationships"]
        if relation["relationshipType"] == "DEPENDS_ON"
    }
    assert needed == {f"SPDXRef-{OFI}", f"SPDXRef-{SSL}"}, "what only builds is not part of it"


def test_the_same_packages_give_the_same_bill() -> None:
    assert sbom.render("hall", {"one": built()}, AT) == sbom.render("hall", {"one": built()}, AT)
