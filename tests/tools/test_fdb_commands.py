"""fdb-hammer's commands, and the schemas and containers that go with them."""

import json
import re
from pathlib import Path

import pytest

from assay.tools.fdb_hammer import (
    CONTAINERS,
    FIELD_BYTES,
    Fields,
    Layout,
    configuration,
    daos_configuration,
    read_command,
    root_container,
    schema,
    write_command,
)

FIELDS = Fields(per_step=16, steps=8)
BENCHMARKS = Path(__file__).parents[2] / "roles" / "benchmarks"


def option(command: list[str], name: str) -> int:
    return int(next(word for word in command if word.startswith(f"--{name}=")).split("=")[1])


def test_processes_have_no_field_in_common() -> None:
    levels = [
        range(first, first + option(command, "nlevels"))
        for command in (write_command("fdb-hammer", "f.grib", i, FIELDS) for i in range(4))
        for first in [option(command, "level")]
    ]
    assert sorted(level for each in levels for level in each) == list(range(1, 65))


def words(command: list[str], name: str) -> str:
    return next(word for word in command if word.startswith(f"--{name}="))


def test_processes_are_dealt_over_containers() -> None:
    layout = Layout(containers=10)
    commands = [write_command("fdb-hammer", "f.grib", i, FIELDS, layout) for i in range(40)]
    assert len({words(command, "expver") for command in commands}) == 10
    assert all(len(words(command, "expver")) == len("--expver=") + 4 for command in commands)


def test_a_process_reads_under_the_keys_that_it_wrote_under() -> None:
    layout = Layout(containers=3, separate_index=True)
    for process in range(5):
        program, *wrote = write_command("fdb-hammer", "f.grib", process, FIELDS, layout)
        assert read_command(program, "f.grib", process, FIELDS, layout)[2:] == wrote


def databases(layout: Layout, processes: int) -> list[tuple[str, int]]:
    """Of each process the key of every database that it writes to: its expver and its number."""
    numbered = []
    for process in range(processes):
        command = write_command("fdb-hammer", "f.grib", process, FIELDS, layout)
        first, count = option(command, "number"), option(command, "nensembles")
        numbered += [(words(command, "expver"), first + member) for member in range(count)]
    return numbered


def test_of_more_containers_than_processes_each_has_several_to_itself() -> None:
    layout = Layout(containers=300, of_each=2)
    made = databases(layout, 150)
    assert len(made) == len(set(made)) == 300
    first, *_ = schema(layout).splitlines()
    assert first.endswith(", number")
    # GRIB has one byte for a number.
    assert max(number for _, number in made) < 255


def test_the_field_is_as_long_as_the_role_makes_it() -> None:
    made = (BENCHMARKS / "files" / "make_field.py").read_text()
    assert f"BYTES = {FIELD_BYTES:_}\n" in made
    assert (
        f"__benchmarks_field_bytes: {FIELD_BYTES} "
        in (BENCHMARKS / "vars" / "main.yml").read_text()
    )


@pytest.mark.parametrize(("databases", "fields"), [(1, 1024), (2, 1024), (75, 975), (2000, 2000)])
def test_fields_are_dealt_over_the_databases_of_a_process(databases: int, fields: int) -> None:
    assert databases * Fields(64, 16).over(databases).bytes == fields * FIELD_BYTES


@pytest.mark.parametrize(
    "label",
    [*("rd:assy:enfo:20200101:0000:g", "rd:a007:enfo:20200101:0000:g"), root_container("17", 1)],
)
def test_the_containers_of_these_commands_are_identified_by_their_labels(label: str) -> None:
    assert re.search(CONTAINERS, label)


@pytest.mark.parametrize(
    "label", ["", "posix", "assay", "assay.old.1", "rd:0001:enfo:20200101:0000:g", "od:assy:oper"]
)
def test_other_containers_are_not(label: str) -> None:
    assert not re.search(CONTAINERS, label)


def test_separate_indexes_need_a_key_of_their_own() -> None:
    separate = Layout(separate_index=True)
    commands = [write_command("fdb-hammer", "f.grib", i, FIELDS, separate) for i in range(4)]
    assert {words(command, "number") for command in commands} == {
        f"--number={n}" for n in (1, 2, 3, 4)
    }
    index, field = (line.strip(" []") for line in schema(separate).splitlines()[1:])
    assert "number" in index.split(", ")
    assert "number" not in field.split(", ")


def test_the_shared_schema_is_the_one_that_the_role_installs() -> None:
    installed = BENCHMARKS / "files" / "fdb-schema"
    assert schema(Layout()) == installed.read_text()


def test_the_daos_backend_keeps_index_and_fields_in_one_pool() -> None:
    numbered = json.loads(daos_configuration("tank", "fdb_root", "/etc/fdb/schema"))
    assert (numbered["engine"], numbered["store"]) == ("daos", "daos")
    assert numbered["daos"]["catalogue"] == {"pool": "tank", "root_cont": "fdb_root"}
    assert numbered["daos"]["store"] == {"pool": "tank"}


def test_a_process_moves_the_bytes_that_its_command_asks_for() -> None:
    command = write_command("fdb-hammer", "f.grib", 3, FIELDS)
    fields = option(command, "nsteps") * option(command, "nlevels") * option(command, "nparams")
    assert fields * FIELD_BYTES == FIELDS.bytes


def test_both_phases_check_the_fields() -> None:
    write = write_command("/opt/assay/bin/fdb-hammer", "f.grib", 1, FIELDS)
    assert write == [
        "/opt/assay/bin/fdb-hammer",
        "--expver=assy",
        "--class=rd",
        "--nensembles=1",
        "--number=1",
        "--nsteps=8",
        "--nlevels=16",
        "--level=17",
        "--nparams=1",
        "--full-check",
        "f.grib",
    ]
    read = read_command("/opt/assay/bin/fdb-hammer", "f.grib", 1, FIELDS)
    assert read == [write[0], "--read", *write[1:]]


def test_the_configuration_quotes_any_path() -> None:
    value = json.loads(configuration('/scratch/a "b": c', "/share/schema"))
    assert value["spaces"][0]["roots"][0]["path"] == '/scratch/a "b": c'
    assert value["schema"] == "/share/schema"
