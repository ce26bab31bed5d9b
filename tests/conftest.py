"""Clusters to test with."""

from __future__ import annotations

import pytest

from assay.cluster import Cluster
from clusters import described, description


@pytest.fixture
def cluster() -> Cluster:
    """Two clients and two servers."""
    return described(description())


@pytest.fixture
def one_machine() -> Cluster:
    """One host that is client and server at once."""
    document = description(clients=1, servers=1)
    host = {**document["hosts"]["s1"], "interface": "lo", "interfaces": {"lo": {}, "eth0": {}}}
    document |= {
        "controller": "here",
        "clients": ["here"],
        "servers": ["here"],
        "colocated": True,
        "hosts": {"here": host},
    }
    return described(document)
