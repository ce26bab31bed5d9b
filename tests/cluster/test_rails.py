"""The rails of a client: what DAOS's agent would give to its processes."""

from __future__ import annotations

from typing import Any

import pytest

from assay.cluster.description import Cluster
from assay.cluster.rails import rails
from sites import put, site


def cluster(changes: dict[str, object], **shape: Any) -> Cluster:
    return Cluster.model_validate(put(site(engines=2, **shape), changes))


@pytest.mark.parametrize(
    ("changes", "given"),
    [
        ({}, ("ib0", "ib1")),
        ({"c1: agent": {"include_fabric_ifaces": ["ib1"]}}, ("ib1",)),
        ({"c1: agent": {"exclude_fabric_ifaces": ["ib1"]}}, ("ib0",)),
        ({"c1: interfaces/ib1/up": False}, ("ib0",)),
        ({"c1: interfaces/ib1/has_address": False}, ("ib0",)),
        ({"c1: interfaces/ib1/rdma": False}, ("ib0",)),
        ({"c1: interfaces/ib1/rdma": False, "provider": "ofi+tcp"}, ("ib0", "ib1")),
        # What has no card is no rail, and neither is the network of the administrators.
        ({"c1: interfaces/br0": {"network": "192.0.2.0/24"}}, ("ib0", "ib1")),
        ({"c1: interfaces/eth0": {"network": "10.0.0.0/8", "speed_gbits": 25.0}}, ("ib0", "ib1")),
        # Beyond a router, all that the provider can use are rails.
        (
            {f"c1: interfaces/ib{n}/network": f"10.{n}.0.0/16" for n in (0, 1)},
            ("ib0", "ib1"),
        ),
        (
            {
                "c1: agent/settings": {
                    "fabric_ifaces": [{"numa_node": 0, "devices": [{"iface": "ib1"}]}]
                }
            },
            ("ib1",),
        ),
        # An agent that leaves nothing is the preflight's matter.
        ({"c1: agent": {"exclude_fabric_ifaces": ["ib0", "ib1"]}}, ("ib0",)),
        ({"daos": None}, ("ib0",)),
    ],
)
def test_the_interfaces_that_an_agent_gives(
    changes: dict[str, object], given: tuple[str, ...]
) -> None:
    assert rails(cluster(changes, rails=2), "c1") == given
