"""dmg support collect-log: the whole logs of servers, for whoever supports DAOS.

On each server, it copies them into a directory, whose path it prints. Only logs are asked for: by
default it also copies the server's environment and the arguments of all processes (`SystemCmd` in
src/control/lib/support/log.go of DAOS 2.8), which may have passwords. DAOS 2.4 cannot limit it.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.cluster.description import Cluster
from assay.cluster.releases import until


def collect(servers: Sequence[str], cluster: Cluster) -> str:
    """The command line, as an administrator types it; empty if there is none.

    Args:
        servers: names of the servers.
        cluster: the cluster, for its version of DAOS.
    """
    if not servers or cluster.daos is None or cluster.daos.version in until("2.4"):
        return ""
    return f"dmg support collect-log --host-list={','.join(servers)} --log-type=server,control"
