"""Which properties of DAOS's pool and container were in force while the checks ran."""

from __future__ import annotations

from collections.abc import Mapping

from assay.campaign.results import Results
from assay.cluster.description import Cluster
from assay.judge.answers import answers_of
from assay.tools.daos import daos_properties


def in_force(cluster: Cluster, results: Results) -> Mapping[str, str]:
    """The properties that figures depend on, by the words ``container posix: cksum``.

    They are those before each check. A value that changed during the campaign is followed by the
    next one, as in ``off, then crc32``.
    """
    if cluster.daos is None:
        return {}
    labels = {"pool": cluster.daos.pool, "container": cluster.daos.container}
    seen: dict[str, list[str]] = {}
    for case in sorted(results.cases.values(), key=lambda each: each.started):
        for what, names in daos_properties.OF.items():
            for answer in answers_of(case, f"{what}_properties.before"):
                for name, value in daos_properties.kept(answer, names).items():
                    values = seen.setdefault(f"{what} {labels[what]}: {name}", [])
                    if value not in values[-1:]:
                        values.append(value)
    return {name: ", then ".join(values) for name, values in seen.items()}
