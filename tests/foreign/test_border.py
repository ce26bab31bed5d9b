"""The border is one: whatever others serve, print, compress or leave is read by `assay.foreign`.

Imports and calls are compared with a list of exceptions, each with its reason.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FOREIGN = "src/assay/foreign/"

MODULES = {
    *("urllib.request", "http", "socket", "ssl", "ftplib", "requests", "asyncio", "selectors"),
    *("gzip", "zlib", "bz2", "lzma", "zipfile", "tarfile", "shelve", "pickle", "marshal"),
    *("subprocess", "pty", "fileinput", "mmap", "os.popen", "os.system", "os.fdopen"),
}
"""What reads from servers and programs, or decompresses."""

CALLS = {
    *("open", "read_text", "read_bytes", "urlopen", "popen", "fdopen", "copyfile", "copytree"),
    *("run_command", "os.system"),
}
"""How files are opened, and programs started, by the last part of a call's name."""

OF_HOSTS = "it runs on the host that it describes, without assay, and reads that host's own kernel"
OF_OURS = "it is a file of this package"
REFRAMES = "ReFrame's scheduler asks Slurm in this way each time it polls"
STARTS = "it keeps a program of our own running, which reads from it what it is told"

ALLOWED: dict[str, dict[str, str]] = {
    "src/assay/bundle/signature.py": {
        "subprocess": "ssh-keygen asks for a passphrase on the terminal, and prints a sentence"
    },
    "src/assay/bundle/checksums.py": {"open": "it is Tree.open"},
    "src/assay/campaign/outputs.py": {"open": "it is Tree.open, or the copy, made with O_EXCL"},
    "src/assay/campaign/support_logs.py": {"open": "it is Tree.open"},
    "src/assay/campaign/unpack.py": {
        "tarfile": "it is the border itself: it limits what it reads, and unpacks nothing else",
        "open": "it is tarfile.open, of a limited standard input",
    },
    "src/assay/checks/references.py": {"read_text": OF_OURS},
    "src/assay/checks/renamed.py": {"read_text": OF_OURS},
    "src/assay/cluster/advisories.py": {"read_text": OF_OURS},
    "src/assay/cluster/hardware.py": {"read_text": OF_OURS},
    "src/assay/cluster/platforms.py": {"read_text": OF_OURS},
    "src/assay/report/reader.py": {"read_text": OF_OURS},
    "src/assay/health/measure.py": {
        "subprocess": "it starts campaign.sh, ends it with its jobs, and reads 2,000 characters"
    },
    "src/assay/soak/rounds.py": {"open": "it is the lock of a soak, of which nothing is read"},
    "src/assay/tools/host/host_identity.py": {"read_bytes": OF_HOSTS},
    "src/assay/tools/host/host_setup.py": {"socket": OF_HOSTS, "subprocess": OF_HOSTS},
    "src/assay/tools/host/counters.py": {"socket": OF_HOSTS, "read_text": OF_HOSTS},
    "src/assay/tools/host/probe.py": {"socket": OF_HOSTS, "open": OF_HOSTS},
    "src/assay/tools/host/sysfs.py": {"read_text": OF_HOSTS},
    "src/assay/tools/host/trusted.py": {"subprocess": OF_HOSTS},
    "reframe-checks/begun.py": dict.fromkeys(
        ("open", "fdopen", "read_text", "read_bytes"),
        "campaign.sh calls it where nobody but this user may write",
    ),
    "reframe-checks/attach.py": {"subprocess": OF_HOSTS, "open": OF_HOSTS},
    "reframe-checks/read_engines.py": {
        "gzip": "it compresses what it has read within budgets",
        "open": "it writes its own output",
    },
    "reframe-checks/patient_squeue.py": {"run_command": REFRAMES},
    "reframe-checks/telling_squeue.py": {"run_command": REFRAMES},
    "reframe-checks/bring_back.py": {
        "open": "it is the lock of the ledger, of which nothing is read"
    },
    "reframe-checks/lose_rank.py": {"open": "it writes its own output"},
    "reframe-checks/mixins/losses.py": {"subprocess": STARTS, "open": STARTS},
    "reframe-checks/mixins/own_container.py": {"subprocess": STARTS},
    "reframe-checks/mixins/rank_pools.py": {"subprocess": STARTS, "open": STARTS},
}


def used(source: str) -> Iterator[tuple[str, int]]:
    """What a module uses of these, each with its line."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{each.name}" for each in node.names]
        for name in names:
            parts = name.split(".")
            starts = {".".join(parts[:n]) for n in range(1, len(parts) + 1)}
            for module in sorted(starts & MODULES):
                yield module, node.lineno
        if isinstance(node, ast.Call):
            called = node.func
            last = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            for name in sorted(CALLS & {last, ast.unparse(called)}):
                yield name, node.lineno


def sources() -> Iterator[Path]:
    for directory in ("src/assay", "reframe-checks"):
        yield from sorted((ROOT / directory).rglob("*.py"))


def found() -> dict[str, dict[str, list[int]]]:
    uses: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for path in sources():
        name = str(path.relative_to(ROOT))
        if not name.startswith(FOREIGN):
            for what, line in used(path.read_text(encoding="utf-8")):
                uses[name][what].append(line)
    return uses


def test_nothing_foreign_is_read_beside_the_border() -> None:
    beside = [
        f"{name}:{lines[0]}: {what}: read it by assay.foreign, or say in this test why not"
        for name, uses in found().items()
        for what, lines in uses.items()
        if what not in ALLOWED.get(name, {})
    ]
    assert beside == []


def test_each_exception_is_needed() -> None:
    uses = found()
    needless = [
        f"{name}: {what}"
        for name, exceptions in ALLOWED.items()
        for what in exceptions
        if what not in uses.get(name, {})
    ]
    assert needless == []


@pytest.mark.parametrize(
    ("source", "what"),
    [
        *(
            ("import urllib.request", "urllib.request"),
            ("from urllib import request", "urllib.request"),
        ),
        *(("import http.client as x", "http"), ("from http.client import HTTPResponse", "http")),
        *(("import gzip", "gzip"), ("def f():\n    import socket", "socket")),
        *(("open('x')", "open"), ("Path('x').open()", "open"), ("p.read_text()", "read_text")),
        *(("import os\nos.popen('x')", "popen"), ("import os\nos.system('x')", "os.system")),
        ("from os import system as s", "os.system"),
        *(("import subprocess as s\ns.run(['x'])", "subprocess"),),
    ],
)
def test_each_kind_is_found(source: str, what: str) -> None:
    assert what in dict(used(source))


@pytest.mark.parametrize(
    "source",
    ["from urllib.parse import quote", "import glob", "files.read(path, 1)", "tree.read('x', 1)"],
)
def test_nothing_else_is_found(source: str) -> None:
    assert list(used(source)) == []
