"""Problems in the words of DAOS's files, where the rules say what an inventory calls it."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.problems import Problem

_AGENT = "daos_agent.yml: "

_KEYS = (
    ("server.settings.", ""),
    ("server.log_mask", "control_log_mask"),
    ("server.", ""),
    ("agent.settings.", _AGENT),
    ("agent.log_mask", f"{_AGENT}control_log_mask"),
    ("agent.", _AGENT),
    ("daos.pools[0].size", "--pool-size"),
    ("daos.version", "--release"),
    ("daos.", ""),
)

_SENTENCES = (
    (r"Leave out daos_server_eadr", "Leave it out"),
    (r"\b(?:server|agent)\.(?:settings\.)?(?=[a-z_]+\b(?! writes))", ""),
    (r"\bdaos_server_settings( of all servers)?", r"daos_server.yml\1"),
    (r"\bdaos_(?:server|agent)_(?=[a-z_]+)(?!helper|yml)", ""),
    (r"\(daos_(provider|port|prefix)\)", r"(\1)"),
    (r" \(daos_system_pools\)", ""),
)
"""What the rules call the keys of cluster.json and the variables of the roles."""


def in_words_of_files(problem: Problem, replicas: str) -> Problem:
    """The same problem, with the keys as the files have them.

    Args:
        problem: of a description that was made of files.
        replicas: the key of the replicas in the file.
    """
    key = problem.key
    if key == "daos.mgmt_svc_replicas":
        key = replicas
    else:
        for ours, of_file in _KEYS:
            if key.startswith(ours):
                key = of_file + key.removeprefix(ours)
                break
    allowed = problem.allowed
    for pattern, words in _SENTENCES:
        allowed = re.sub(pattern, words, allowed)
    return replace(problem, key=key, allowed=allowed)
