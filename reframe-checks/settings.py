"""ReFrame's view of the cluster, made from the same cluster.json as everything else.

ASSAY_CLUSTER names the description if it is not /etc/assay/cluster.json.
"""

import glob
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from reframe.core.logging import log_files

from assay.campaign import results
from assay.checks.plan import CaseKey, features
from assay.cluster.description import PARTITIONS, Partition
from assay.preflight import examine as preflight
from assay.tools.slurm.squeue import IN_VAIN
from patient_squeue import SCHEDULER

# The checks import their base classes from this directory. It is appended, since ReFrame later
# removes its own entry from sys.path by its index.
sys.path.append(str(Path(__file__).resolve().parent))


def _strange(name: str) -> bool:
    """Whether a variable names what shells, the loader or Python read first, or is a function."""
    if name.startswith("BASH_FUNC_"):
        return "module" not in name and name != "BASH_FUNC_ml%%"
    return name in ("BASH_ENV", "ENV", "LD_PRELOAD", "LD_AUDIT") or name.startswith("PYTHON")


# Jobs inherit the environment: nothing in it may take the place of what they run.
for name in filter(_strange, [*os.environ]):
    del os.environ[name]

CLUSTER = preflight.load(Path(os.environ.get("ASSAY_CLUSTER", "/etc/assay/cluster.json")))

REPORTS = os.environ.get("ASSAY_REPORTS", "")
EARLIER = results.read(REPORTS, CLUSTER) if glob.glob(REPORTS) else None
"""The results of earlier sessions of the campaign; None if there were none.

A session measures the checks of one phase of DAOS, or until it is interrupted.
"""

ANOTHER_ROUND = os.environ.get("ASSAY_ROUND", "1") != "1"
"""Whether only what is undecided is measured now; `campaign.sh` sets it."""

MORE_HOURS = float(os.environ.get("ASSAY_MORE_HOURS") or 0)
"""The time for rounds beyond the scale; `campaign.sh` sets it."""


def _undecided() -> Mapping[CaseKey, int]:
    """What needs another round, with the number of its subjects whose verdicts are open."""
    if EARLIER is None or not (EARLIER.stopped or (ANOTHER_ROUND and MORE_HOURS)):
        return {}
    # It imports what judges, and most sessions need none of it.
    from assay.judge.rounds import undecided

    return undecided(CLUSTER, EARLIER, MORE_HOURS * 3600 if ANOTHER_ROUND else 0.0)


UNDECIDED = _undecided()


def _scheduler(name: Partition) -> dict[str, object]:
    if name == "servers" and CLUSTER.servers_scheduler == "ssh":
        # ReFrame's own ssh scheduler gives a job one host, but a job here has all hosts. So it runs
        # locally, and everywhere.sh reaches the hosts.
        return {"scheduler": "local", "launcher": "local"}
    jobs = CLUSTER.jobs
    return {
        "scheduler": SCHEDULER,
        "launcher": "srun",
        "access": [
            f"--partition={jobs.partitions[name]}",
            *(["--exclusive"] if jobs.exclusive else []),
            *jobs.options,
            "--no-requeue",
            "--comment=daos-assay",  # campaign.sh finds its own jobs by it
        ],
        "sched_options": {"slurm_job_cancel_reasons": [*IN_VAIN]},
    }


def _partition(name: Partition) -> dict[str, object]:
    members = CLUSTER.members(name)
    return {
        "name": name,
        "descr": f"{len(members)} {name} of {CLUSTER.name}",
        **_scheduler(name),
        "environs": ["site"],
        # Two checks at once would disturb each other.
        "max_jobs": 1,
        "features": sorted(features(CLUSTER, name)),
        "extras": {
            "cluster": CLUSTER,
            "partition": name,
            "earlier": EARLIER,
            "undecided": UNDECIDED,
            "another_round": ANOTHER_ROUND,
        },
        "processor": {"num_cpus": min(CLUSTER.hosts[host].cores for host in members)},
    }


site_configuration = {
    "systems": [
        {
            "name": CLUSTER.name,
            "descr": f"DAOS cluster {CLUSTER.name}",
            "hostnames": [".*"],
            "partitions": [_partition(name) for name in PARTITIONS if CLUSTER.members(name)],
        }
    ],
    "environments": [{"name": "site"}],
    "general": [
        {
            "remote_detect": False,
            # Each is one squeue. The end of a job is noticed within half a second at first, and
            # within two where it takes longer; the controller of a large site has others to serve.
            "poll_rate_max": 2,
            "poll_rate_min": 0.5,
            "perf_report_spec": "now-1d:now/last:/+pref+plower+pupper+presult",
        }
    ],
    "storage": [{"enable": True}],
    "logging": [
        {
            "level": "debug",
            "handlers$": [
                {"type": "stream", "name": "stdout", "level": "info", "format": "%(message)s"},
            ],
            "handlers": [
                {
                    "type": "file",
                    "name": "reframe.log",
                    "level": "debug",
                    "format": "[%(asctime)s] %(levelname)s: %(check_info)s: %(message)s",
                    "append": False,
                },
            ],
            "handlers_perflog": [
                {
                    "type": "filelog",
                    "prefix": "%(check_system)s/%(check_partition)s",
                    "level": "info",
                    "format": (
                        "%(check_job_completion_time)s|%(check_display_name)s|%(check_jobid)s|"
                        "%(check_perfvalues)s"
                    ),
                    "format_perfvars": (
                        "%(check_perf_value)s|%(check_perf_unit)s|%(check_perf_ref)s|"
                        "%(check_perf_lower_thres)s|%(check_perf_upper_thres)s|"
                    ),
                    "append": True,
                },
            ],
        }
    ],
}

# Until it has read this file, ReFrame logs to a temporary file of its own, which it never removes.
for _log in log_files():
    if Path(_log).name.startswith("rfm-"):
        Path(_log).unlink(missing_ok=True)
