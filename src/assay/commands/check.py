"""`assay check`: validates the description of a cluster, or DAOS's own files."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.commands.terminal import NO, NOT_DONE, complain, misuse, print_problems
from assay.foreign.text import one_line

_DESCRIPTION = {".json", ""}
"""The suffixes of descriptions; - for standard input has none."""


def check(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="A cluster.json, or - for standard input; or daos_server.yml, daos_agent.yml and"
            " daos_control.yml, in any order."
        ),
    ],
    inventory: Annotated[
        bool,
        typer.Option("--inventory", help="Report inventory variables instead of the file's keys."),
    ] = False,
    release: Annotated[
        str | None,
        typer.Option(help="The release of DAOS; by default that which the files' keys fit."),
    ] = None,
    binary: Annotated[
        Path | None,
        typer.Option(help="A daos_server or daos_agent, which knows its release."),
    ] = None,
    host_facts: Annotated[
        Path | None,
        typer.Option(help="What `assay probe` printed on the server, or `ansible -m setup`."),
    ] = None,
    pool_size: Annotated[
        str | None, typer.Option(help="Judge also whether a pool of this size, 1TiB, would fit.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    width: Annotated[
        int | None, typer.Option(help="Characters of a line; the terminal's by default.", min=40)
    ] = None,
) -> None:
    """Validate a cluster's description or DAOS's own files; print everything that is wrong.

    Exit 0 if it is valid, 1 if it is not, 2 if it cannot be read.
    """
    if any(file.suffix not in _DESCRIPTION for file in files):
        if inventory:
            misuse("--inventory is for a cluster.json: DAOS's own files have the file's keys")
        _check_files(files, release, binary, host_facts, pool_size, as_json, width)
        return
    for option, given in {
        "--release": release,
        "--binary": binary,
        "--host-facts": host_facts,
        "--pool-size": pool_size,
    }.items():
        if given is not None:
            misuse(f"{option} is for DAOS's own files: a cluster.json has it")
    if len(files) > 1:
        misuse("a cluster.json describes a whole cluster: name one")
    _check_description(files[0], inventory, as_json, width)


def _check_description(file: Path, inventory: bool, as_json: bool, width: int | None) -> None:
    from assay.preflight import examine as preflight
    from assay.preflight import table
    from assay.problems import variable

    status = NO
    try:
        described, problems = preflight.examine(preflight.read(file))
    except preflight.ClusterError as error:
        if not as_json:
            misuse(str(error))
        described, problems, status = None, list(error.problems), NOT_DONE
    if as_json:
        print(json.dumps(table.as_json(problems, variable), indent=2))
        raise typer.Exit(0 if described else status)
    print_problems(problems, variable if inventory else str, width)
    name = "standard input" if file == preflight.STDIN else one_line(str(file))
    if described is None:
        errors = sum(problem.severity == "error" for problem in problems)
        print(f"{name}: {errors} error{'s' * (errors != 1)}", file=sys.stderr)
        raise typer.Exit(status)
    count = len(described.hosts)
    print(f"{name}: {described.name} is valid: {count:,} host{'s' * (count != 1)}")


def _check_files(
    files: Sequence[Path],
    release: str | None,
    binary: Path | None,
    host_facts: Path | None,
    pool_size: str | None,
    as_json: bool,
    width: int | None,
) -> None:
    from assay.cluster.releases import names
    from assay.preflight import table
    from assay.preflight.daos_files import facts as facts_of_hosts
    from assay.preflight.daos_files import judge as of_files
    from assay.preflight.daos_files.keys import FileKind
    from assay.tools.daos.pools import POOL_SIZE, SIZES_ALLOWED

    if release is not None and release not in names():
        misuse(f"--release {one_line(release)}: should be one of {', '.join(names())}")
    if pool_size is not None and not POOL_SIZE.match(pool_size):
        misuse(f"--pool-size {one_line(pool_size)}: {SIZES_ALLOWED}")
    documents: dict[FileKind, Mapping[str, Any]] = {}
    try:
        for file in files:
            kind, document = of_files.read(file)
            if kind in documents:
                misuse(f"{file}: is another daos_{kind}.yml; check the files of one host at a time")
            documents[kind] = document
        facts = facts_of_hosts.read(host_facts) if host_facts else None
        hosts = of_files.on_one_host(documents, facts)
        judged = of_files.judge(hosts, release, program=binary, pool=pool_size)
    except (of_files.FilesError, facts_of_hosts.FactsError) as error:
        misuse(str(error))
    problems = list(judged.problems)
    status = 0 if judged.is_valid else NO
    if as_json:
        rows = table.as_json(problems, str)
        print(json.dumps({"release": judged.version, "problems": rows}, indent=2))
        raise typer.Exit(status)
    print_problems(problems, str, width)
    named = ", ".join(one_line(str(file)) for file in files)
    known = release is not None or binary is not None
    other = "" if known else "; --release names another"
    complain(f"judged as DAOS {judged.version}, {judged.source}{other}")
    if judged.unknown:
        complain(
            f"not judged, since --host-facts does not say it: {', '.join(judged.unknown)}"
            if host_facts
            else f"not judged without --host-facts: {', '.join(judged.unknown)}"
        )
    errors = sum(problem.severity == "error" for problem in problems)
    if status:
        complain(f"{named}: {errors} error{'s' * (errors != 1)}")
        raise typer.Exit(status)
    print(f"{named}: valid")
