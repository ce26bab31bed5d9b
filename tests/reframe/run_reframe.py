"""ReFrame with the checks of this tree, for a site that is only described."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from assay.checks.plan import CHECKS as CATALOGUE
from assay.checks.plan import LAYERS

TESTS = Path(__file__).parents[1]
CHECKS = TESTS.parent / "reframe-checks"
RECORDED = TESTS / "recorded"
POOL = RECORDED / "dmg" / "quick" / "pool.txt"


def reframe(document: dict[str, Any], directory: Path, *options: str) -> str:
    """What ReFrame prints for a site, of which it keeps everything in a directory."""
    names = [option for option in options if option.startswith("--name=")]
    # To load the checks of all layers takes longer.
    layers = {CATALOGUE[name].layer for name in re.findall(r"[A-Z]\w+", "".join(names))} or LAYERS
    cluster = directory / "cluster.json"
    cluster.write_text(json.dumps(document))
    done = subprocess.run(
        [Path(sys.executable).with_name("reframe"), *options],
        env={
            **os.environ,
            "HOME": str(directory),
            "ASSAY_CLUSTER": str(cluster),
            "RFM_CONFIG_FILES": str(CHECKS / "settings.py"),
            "RFM_CHECK_SEARCH_PATH": ":".join(str(CHECKS / layer) for layer in layers),
        },
        cwd=directory,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def scripts(
    document: dict[str, Any], directory: Path, *options: str, dmg: str = ""
) -> dict[str, str]:
    """What the jobs of the checks that the options select would run, by the check's name.

    Args:
        document: a site of `sites.site`, whose system has a pool; dmg tells that all is well.
        directory: an empty one.
        options: of ReFrame.
        dmg: shell that dmg runs before it answers.
    """
    members = []
    for name in document["servers"]:
        host = document["hosts"][name]
        for number, engine in enumerate(host["engines"]):
            address = f"10.0.{number}.{host['address'].rpartition('.')[2]}"
            host["interfaces"][f"ib{number}"]["address"] = address
            uri = f"ofi+verbs;ofi_rxm://{address}:{engine['fabric_iface_port']}"
            member = {"rank": len(members), "addr": name, "state": "joined", "fabric_uri": uri}
            members.append(member)
    pool = json.loads("".join(POOL.read_text().splitlines()[1:-1]))
    for figure in ("total", "free", "min", "max", "mean"):
        pool["response"]["tier_stats"][0][figure] *= 10**6
    answers = {"system": {"members": members}, "pool": pool["response"], "list": {"pools": None}}
    for name, answer in answers.items():
        (directory / name).write_text(json.dumps({"response": answer, "error": None}))
    (directory / "bin").mkdir()
    programs = {
        "dmg": (
            f"{dmg}\ncase \"$*\" in *'pool list'*) asked=list ;; *pool*) asked=pool ;;"
            f" *) asked=system ;; esac\ncat {directory}/$asked"
        ),
        "daos": (
            f"[[ $* = *health* ]] && asked=dmg/quick/health || asked=container/posix\n"
            f"sed '1d; $d' {RECORDED}/$asked.txt"
        ),
    }
    for name, script in programs.items():
        program = directory / "bin" / name
        program.write_text(f"#!/bin/bash\n{script}\n")
        program.chmod(0o755)
    document["daos"]["prefix"] = str(directory)
    reframe(document, directory, "--dry-run", f"--prefix={directory}", *options)
    written = [
        path
        for name in ("partition", *document["clients"], *document["servers"])
        for path in directory.rglob(f"{name}.sh")
    ]
    by_check: dict[str, str] = {}
    for path in written:
        check = path.parent.name.partition("_")[0]
        by_check[check] = by_check.get(check, "") + path.read_text()
    return by_check
