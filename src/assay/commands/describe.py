"""`assay describe`: a cluster that was there before, as a normal user sees it."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

import assay
from assay import whole
from assay.commands.terminal import (
    NOT_DONE,
    complain,
    finite,
    misuse,
    print_problems,
    refuse_no_directory,
)
from assay.foreign.text import one_line
from assay.subject import folded

if TYPE_CHECKING:
    from assay.survey.guest import Asked


def describe(
    prefix: Annotated[Path, typer.Argument(help="A directory of yours that all nodes share.")],
    partition: Annotated[
        str | None, typer.Option(help="The partition of Slurm that has the clients; required.")
    ] = None,
    nodes: Annotated[
        str | None, typer.Option(help="Its nodes, such as nid[001-016]; by default idle ones.")
    ] = None,
    most_nodes: Annotated[
        int, typer.Option(help="The number of nodes if --nodes is not given.", min=1)
    ] = 16,
    name: Annotated[
        str | None, typer.Option(help="The cluster's name; by default Slurm's ClusterName.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(help="An option of sbatch for each job: account=proj."),
    ] = None,
    exclusive: Annotated[
        bool, typer.Option("--exclusive", help="Share no node with other jobs.")
    ] = False,
    module: Annotated[
        list[str] | None, typer.Option(help="A module to load before each benchmark.")
    ] = None,
    prolog: Annotated[
        Path | None, typer.Option(help="A shell file to source before loading modules.")
    ] = None,
    launcher: Annotated[
        Literal["srun", "openmpi", "hydra"],
        typer.Option(help="The MPI launcher: srun, or the mpirun of an MPI."),
    ] = "srun",
    mpi: Annotated[str, typer.Option(help="srun's MPI plugin: pmix, pmi2, cray_shasta.")] = "pmi2",
    wait_min: Annotated[
        int, typer.Option(help="How long a job may wait for its nodes, in minutes.", min=1)
    ] = 5,
    interface: Annotated[
        str | None, typer.Option(help="The network interface to measure; by default the fastest.")
    ] = None,
    scratch: Annotated[
        Path | None, typer.Option(help="A directory on a disk to measure, on each node.")
    ] = None,
    ssd: Annotated[
        str | None, typer.Option(help="The data sheet of the SSD that has the scratch directory.")
    ] = None,
    fabric: Annotated[
        str | None,
        typer.Option(help="The data sheet of the interface, such as 'InfiniBand HDR'."),
    ] = None,
    shared: Annotated[
        Path | None, typer.Option(help="A directory that all nodes share, for IOR and mdtest.")
    ] = None,
    pool: Annotated[
        str | None, typer.Option(help="The label of a pool of DAOS that you may write to.")
    ] = None,
    container: Annotated[
        str | None,
        typer.Option(help="The label of a container in it; by default the checks make one."),
    ] = None,
    mount: Annotated[
        Path | None, typer.Option(help="Where dfuse mounts that container on each node.")
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(
            help="The part of the pool's free space that a check may fill; by default 0.05.",
            min=0.0,
            max=1.0,
            callback=finite,
        ),
    ] = None,
    control: Annotated[
        Path | None,
        typer.Option(
            help="A daos_control.yml whose key you may read; by default /etc/daos/daos_control.yml."
        ),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="The site's ReFrame settings.py, to extend.")
    ] = None,
    files: Annotated[
        Path | None,
        typer.Option(
            help="Start from DAOS's own files: a directory with one for each host, with its"
            " daos_*.yml and the facts that `assay probe` printed there. No job is run."
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace an existing description.")
    ] = False,
) -> None:
    """Describe a cluster that is already there, as a normal user, by a small job on its nodes.

    Writes cluster.json and environment.sh below PREFIX, and lists what it could not see.
    """
    from pydantic import ValidationError

    from assay.cluster.slurm import Slurm
    from assay.problems import from_pydantic
    from assay.survey import foreign_slurm, found_daos, guest
    from assay.survey.foreign_slurm import SlurmError
    from assay.tools.daos import dmg
    from assay.tools.daos.daos_user import UnansweredError

    refuse_no_directory(prefix)
    if files is not None:
        _describe_files(prefix, files, partition, name, replace)
        return
    if partition is None:
        try:
            known = ", ".join(foreign_slurm.partitions())
        except SlurmError as error:
            misuse(f"--partition is missing; {error}")
        misuse(f"--partition is missing; choose from: {known}")
    if pool is None and (container or mount or share or control):
        of_a_pool = "--container, --mount, --share and --control"
        _end([f"{of_a_pool} are of a pool of DAOS: name it with --pool"])
    if mount is not None and container is None:
        _end(["--mount is where a container of yours is mounted: name it with --container"])
    if ssd is not None and scratch is None:
        _end(["--ssd is the data sheet of a disk: name a directory on it with --scratch"])
    if unknown := list(guest.unknown_sheets(ssd, fabric)):
        _end(unknown)
    scratch, shared, mount, prolog, settings, control = (
        path and _here(path) for path in (scratch, shared, mount, prolog, settings, control)
    )
    for named, path in (("settings", settings), ("control", control)):
        if path is not None and not path.is_file():
            _end([f"--{named} {path}: there is no such file"])
    wanted = pool and found_daos.Wanted(pool, container, mount, share, control or Path(dmg.CONTROL))
    words = {
        "partitions": {"clients": partition},
        "options": [f"--{each.removeprefix('--')}" for each in option or ()],
        "exclusive": exclusive,
        "launcher": launcher,
        "mpi": mpi,
        "modules": module or (),
        "prolog": prolog,
        "wait_min": wait_min,
    }
    try:
        slurm = Slurm.model_validate(words)
    except ValidationError as error:
        _end(f"slurm.{problem}" for problem in from_pydantic(error, Slurm, None))
    prefix = _here(prefix)
    made: list[Path] = []
    try:
        if (prefix / "cluster.json").exists() and not replace:
            why = "already exists; pass --replace, or name another directory"
            _end([f"{prefix}/cluster.json {why}"])
        made += (path for path in (prefix, *prefix.parents) if not path.exists())
        prefix.mkdir(parents=True, exist_ok=True)
        among = foreign_slurm.cluster(slurm.option("clusters"))
        foreign_slurm.refuse_other_plugin(slurm)
        chosen, others = foreign_slurm.nodes(partition, nodes, slurm.option("reservation"))
        if nodes is None:
            chosen = chosen[:most_nodes]
        alone = foreign_slurm.is_exclusive(partition, exclusive)
        longest_min = foreign_slurm.longest_min(partition)
        slurm = slurm.model_copy(update={"longest_min": longest_min, "exclusive": alone})
        asked = guest.Asked(
            name or among or foreign_slurm.name(),
            slurm,
            prefix,
            scratch,
            shared,
            interface,
            wanted or None,
            ssd,
            fabric,
        )
        here = foreign_slurm.ask_here(asked.question)
        seen = foreign_slurm.ask(slurm, chosen, asked.question)
        if refused := guest.refusals(asked, here, seen):
            _end(refused)
        found = found_daos.find(wanted, here, seen) if wanted else None
        _write(asked, guest.document(asked, here, seen, found), settings)
    except (SlurmError, UnansweredError) as error:
        _end([str(error)])
    except OSError as error:
        _end([f"{error.filename or prefix}: {error.strerror}"])
    finally:
        # The nodes had to see them; where nothing was described they are empty.
        with contextlib.suppress(OSError):
            for path in made:
                path.rmdir()
    print(f"{prefix}/cluster.json describes {len(seen):,} clients: {folded(chosen)}")
    for why in others.values():
        print(f"left out: {why}")
    if found:
        print(guest.summary(found))
    print("not found, and left unset:")
    for each in guest.left_open(asked, seen, found):
        print(f"  {one_line(str(each))}")
    if foreign_slurm.is_shared_by_force(partition):
        print(
            f"note: other jobs may run on the nodes of {partition} at the same time"
            " (OverSubscribe=FORCE), which slows down figures; measure in a reservation"
        )
    print("next: fill in what you know of these; then")
    print(f"  . {prefix}/environment.sh && assay check {prefix}/cluster.json && assay plan")


def _describe_files(
    prefix: Path, directory: Path, partition: str | None, name: str | None, replace: bool
) -> None:
    """Write a description of the servers and clients whose files and facts are in a directory."""
    from assay.preflight import examine
    from assay.preflight.daos_files import collected
    from assay.preflight.daos_files.facts import FactsError
    from assay.preflight.daos_files.judge import FilesError, judge

    if partition is None:
        misuse("--partition is missing: the partition of Slurm that has the clients")
    target = prefix / "cluster.json"
    if target.exists() and not replace:
        misuse(f"{target} already exists; pass --replace, or name another directory")
    try:
        hosts = collected.collect(directory)
        judged = judge(hosts, complete=True)
        document, _ = collected.description(hosts, judged.version, name or "files", partition)
    except (FilesError, FactsError) as error:
        misuse(str(error))
    print_problems(list(judged.problems), str)
    described, _ = examine.examine(document)
    if described is None or not judged.is_valid:
        complain(f"{directory}: nothing is described, since the files have errors")
        raise typer.Exit(NOT_DONE)
    prefix.mkdir(parents=True, exist_ok=True)
    whole.write({target: json.dumps(document, indent=2) + "\n"})
    engines = sum(len(host.engines) for host in described.hosts.values())
    print(
        f"{target} describes {len(described.servers):,} servers with {engines:,} engines, and"
        f" {len(described.clients):,} clients; DAOS {judged.version}, {judged.source}"
    )
    print("not found, and left unset:")
    for each in collected.left_open(hosts):
        print(f"  {one_line(each)}")


def _write(asked: Asked, document: dict[str, Any], settings: Path | None) -> None:
    """Write the description if it is valid, and what a shell reads."""
    from assay.preflight import examine
    from assay.survey import guest

    described, problems = examine.examine(document)
    if described is None:
        _end(map(str, problems))
    environment = guest.environment(asked, Path(sys.prefix, "bin"), checks_directory(), settings)
    whole.write(
        {
            asked.prefix / "cluster.json": json.dumps(document, indent=2) + "\n",
            asked.prefix / "environment.sh": environment,
        }
    )


def _here(path: Path) -> Path:
    """A path as the user means it: bash leaves the ~ of --shared=~/data as it is."""
    try:
        return path.expanduser().absolute()
    except RuntimeError:
        _end([f"{path}: {path.parts[0]} is no known home directory; pass the whole path"])


def checks_directory() -> Path:
    """Where the checks are: the wheel brings them, and beside the source they have a directory."""
    installed = Path(sys.prefix, "share", "daos-assay", "reframe-checks")
    beside = Path(assay.__file__).parents[2] / "reframe-checks"
    return beside if beside.is_dir() else installed


def _end(sentences: Iterable[str]) -> NoReturn:
    for sentence in sentences:
        complain(sentence)
    raise typer.Exit(NOT_DONE)
