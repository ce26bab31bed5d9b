"""The bill of materials of the packages built from source, in SPDX 2.3.

No library is used: spdx-tools and cyclonedx-python-lib bring a dozen packages for one document. Its
form was checked with spdx-tools by hand.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from assay.cluster.software import Package


def render(name: str, built: Mapping[str, Sequence[Package]], made_at: datetime) -> str:
    """The document as JSON; the same packages at the same time give the same bytes."""
    packages = {package.hash: package for each in built.values() for package in each}
    identity = hashlib.sha256("".join(sorted(packages)).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}, built from source",
        "documentNamespace": f"urn:daos-assay:{name}:{identity}",
        "creationInfo": {
            "created": f"{made_at:%Y-%m-%dT%H:%M:%SZ}",
            "creators": ["Tool: daos-assay"],
        },
        "packages": [_package(package) for _, package in sorted(packages.items())],
        "relationships": [
            {
                "spdxElementId": "SPDXRef-DOCUMENT",
                "relationshipType": "DESCRIBES",
                "relatedSpdxElement": _id(package.hash),
            }
            for _, package in sorted(packages.items())
        ]
        + [
            {
                "spdxElementId": _id(package.hash),
                "relationshipType": "DEPENDS_ON",
                "relatedSpdxElement": _id(needed),
            }
            for _, package in sorted(packages.items())
            for needed in sorted(set(package.needs))
            if needed in packages
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _package(package: Package) -> dict[str, Any]:
    described: dict[str, Any] = {
        "SPDXID": _id(package.hash),
        "name": package.name,
        "versionInfo": package.version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "comment": "of the distribution" if package.external else f"Spack's hash {package.hash}",
    }
    if package.commit:
        described["sourceInfo"] = f"commit {package.commit}"
    return described


def _id(identity: str) -> str:
    return f"SPDXRef-{identity}"
