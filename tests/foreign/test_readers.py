"""Every reader, on whatever anybody may hand it: a value or its own error, and in bounded time."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.bundle import checksums
from assay.campaign.results import read as read_results
from assay.campaign.run_report import ReportError
from assay.cluster.description import Cluster
from assay.foreign.copy import copied
from assay.foreign.documents import from_json, from_yaml, misfits
from assay.foreign.files import ForeignError
from assay.judge import waivers
from assay.judge.waivers import WaiverError
from assay.preflight import examine
from assay.preflight.examine import ClusterError
from assay.report import reader
from assay.report.reader import RecordError
from assay.tools import PARSERS, json_output
from assay.tools.daos import (
    container,
    device_health,
    dmg,
    health_check,
    interception,
)
from clusters import description
from recordings import ROOT
from runs import report

BOUNDED = settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
NASTY = st.sampled_from(
    [
        *("", "\0", "../../etc", "/etc/passwd", "\x1b[2J", "a\u202eb", "x" * 5_000, "\ud800"),
        *(None, -1, 0, 10**400, 1e308, True, [], {}, [[[]]], {"\0": "\x9b"}, "1\n2", "NaN"),
    ]
)
BYTES = st.one_of(
    st.binary(max_size=300),
    st.sampled_from([b"[" * 50_000, b'{"a":' * 50_000, b"\xff\xfe\x00", b"\x00" * 99, b"NaN"]),
)


def places(document: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where in a document a value may be put in place of another."""
    if at:
        yield at
    children = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document[:3])
        if isinstance(document, list)
        else ()
    )
    for key, value in children:
        yield from places(value, (*at, key))


def put(document: Any, at: tuple[Any, ...], value: object) -> Any:
    changed = json.loads(json.dumps(document))
    inner = changed
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    return changed


@contextmanager
def only(*errors: type[Exception]) -> Iterator[None]:
    """Nothing but these errors, and each in one message that a terminal can show."""
    outcome = "nothing"
    try:
        yield
    except errors as error:
        outcome = str(error)
    assert outcome.encode()
    assert not any(sign in outcome for sign in "\x1b\0\u202e\x9b")
    assert len(outcome) < 20_000


DESCRIPTION = description()
IN_DESCRIPTION = list(places(DESCRIPTION))


@BOUNDED
@given(st.sampled_from(IN_DESCRIPTION), NASTY)
def test_a_description(tmp_path: Path, at: tuple[Any, ...], value: object) -> None:
    (tmp_path / "cluster.json").write_text(json.dumps(put(DESCRIPTION, at, value)))
    with only(ClusterError):
        examine.load(tmp_path / "cluster.json")


@pytest.fixture
def sound(cluster: Cluster, tmp_path: Path) -> dict[str, Any]:
    return report(cluster, tmp_path)


@BOUNDED
@given(st.data())
def test_a_run_report(
    tmp_path: Path, cluster: Cluster, sound: dict[str, Any], data: st.DataObject
) -> None:
    at = data.draw(st.sampled_from(list(places(sound))))
    (tmp_path / "run.json").write_text(json.dumps(put(sound, at, data.draw(NASTY))))
    with only(ReportError):
        read_results(str(tmp_path / "run.json"), cluster, tmp_path)


@BOUNDED
@given(
    st.sampled_from(["metric", "reason", "owner", "expires", "more"]),
    NASTY.filter(lambda value: value != "\ud800"),
)
def test_waivers(tmp_path: Path, key: str, value: object) -> None:
    waiver = {"metric": "x", "reason": "r", "owner": "o", "expires": "2999-01-01", key: value}
    (tmp_path / "waivers.yml").write_text(json.dumps({"waivers": [waiver]}))
    with only(WaiverError):
        waivers.load(tmp_path / "waivers.yml")


@BOUNDED
@given(BYTES)
def test_no_document_at_all(tmp_path: Path, cluster: Cluster, content: bytes) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    with only(ClusterError):
        examine.load(path)
    with only(WaiverError):
        waivers.load(path)
    with only(RecordError):
        reader.read(path)
    with only(ReportError):
        read_results(str(path), cluster, tmp_path)


@BOUNDED
@given(BYTES, BYTES)
def test_checksums(tmp_path: Path, sums: bytes, listing: bytes) -> None:
    (tmp_path / checksums.SUMS).write_bytes(sums)
    (tmp_path / checksums.LISTING).write_bytes(listing)
    with copied(tmp_path) as copy:
        assert checksums.differences(copy, sums)


@pytest.mark.parametrize(
    "bomb",
    [
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n",
        "&a [*a]",
        "<<: *x",
    ],
)
def test_aliases_are_refused(bomb: str) -> None:
    with pytest.raises(ForeignError, match="is not YAML: it has an alias"):
        from_yaml(bomb.encode())


@pytest.mark.parametrize("tagged", ["!!int ''", "!!float ''", "!!bool x", "!!timestamp x", "!x y"])
def test_tags_are_refused(tagged: str) -> None:
    with pytest.raises(ForeignError, match=r"is not YAML: it has a tag \("):
        from_yaml(f"waivers: [{tagged}]".encode())


@pytest.mark.parametrize("twice", ["a: 1\nb: 2\na: 3", "x: {a: 1, 'a': 1}", "- {a: 1, a: 2}"])
def test_a_key_twice_is_refused(twice: str) -> None:
    """The first was lost, with whatever it had: the expiry of a waiver, or a list of them."""
    with pytest.raises(ForeignError, match="is not YAML: it has the key a 2 times in one place"):
        from_yaml(twice.encode())
    assert from_yaml(b"a: {a: 1}\nb: {a: 2}") == {"a": {"a": 1}, "b": {"a": 2}}


@pytest.mark.parametrize("twice", ['{"a": 1, "b": 2, "a": 3}', '[{"x": {"a": 1, "\\u0061": 2}}]'])
def test_a_key_twice_is_refused_in_json_too(twice: str) -> None:
    """The last one of a cluster.json counted, and whoever read it saw the first."""
    with pytest.raises(ForeignError, match="is not JSON: it has the key a 2 times in one place"):
        from_json(twice.encode())
    assert from_json(b'{"a": {"a": 1}, "b": {"a": 2}}') == {"a": {"a": 1}, "b": {"a": 2}}


def test_a_description_has_each_key_once(tmp_path: Path) -> None:
    text = json.dumps(DESCRIPTION)
    (tmp_path / "cluster.json").write_text(f'{text[:-1]}, "name": "other"}}')
    with pytest.raises(ClusterError, match="it has the key name 2 times in one place"):
        examine.load(tmp_path / "cluster.json")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_what_is_not_a_number_is_not_json(number: str) -> None:
    with pytest.raises(ForeignError, match=f"is not JSON: {number} is not a JSON number"):
        from_json(f"[{number}]".encode())


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (2**53 + 1, "2^53 or more"),
        (-(10**400), "-2^1328 or more"),
        (1e17, "1e"),
        (5e-324, "4.94e-324"),
    ],
)
def test_a_number_beyond_arithmetic_is_refused(number: float, shown: str) -> None:
    assert list(misfits({"cores": 2**53, "on": True})) == []
    [(key, value, allowed)] = misfits({"cores": number})
    assert (key, value[: len(shown)]) == ("cores", shown)
    assert allowed == (
        "must be 0 or a number from 1e-12 to 9,007,199,254,740,992, or the same below 0"
    )


TOOLS = sorted(PARSERS)


@pytest.mark.parametrize("repeated", ["\n", " ", "0", "a", "[", "0: ", "Exception: ", " ("])
@pytest.mark.parametrize("tool", TOOLS)
def test_an_output_of_one_thing_alone_is_read_in_no_time(tool: str, repeated: str) -> None:
    """80,000 empty lines took ior's parser 40 s of CPU time: the square of their number."""
    text = repeated * (80_000 // len(repeated))
    start = time.process_time()
    PARSERS[tool](text)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "repeated", ["Assertion ", "pid:1 (", "object '", "(/src/", "Exception: (/src/", "\t", ": "]
)
@pytest.mark.parametrize("tool", TOOLS)
def test_the_begin_of_a_pattern_alone_is_read_in_no_time(tool: str, repeated: str) -> None:
    """A line of 400 kB took 11 s and more, and the time grew with the square of its length."""
    text = repeated * (400_000 // len(repeated))
    start = time.process_time()
    PARSERS[tool](text)
    assert time.process_time() - start < 5


def test_no_part_of_an_output_takes_the_square_of_its_length() -> None:
    """Patterns that are reached by no output of one thing alone."""
    start = time.process_time()
    list(interception.problems("object '" * 50_000, "ioil", 1))
    PARSERS["fdb_hammer"](f"0: Exception: x{' ' * 400_000}x\n")
    for line in (f"\ta{' ' * 400_000}x", "\t" + " " * 400_000):
        PARSERS["daos_perf"](f"Parameters :\n{line}\n")
    uri = "://" * 100_000
    member = {"rank": 0, "state": "joined", "addr": "a", "fabric_uri": uri, "incarnation": 1}
    dmg.ranks(json.dumps({"response": {"members": [member]}, "error": None, "status": 0}))
    assert time.process_time() - start < 5


BROKEN = st.sampled_from(["\x1b[2J", "\0", "9" * 5_000, "-1", "nan", "{", "}", "\u202e", "%", "\n"])


@pytest.mark.parametrize("tool", TOOLS)
@BOUNDED
@given(st.data())
def test_a_parser(tool: str, data: st.DataObject) -> None:
    """A recording with hostile text in some place of it."""
    directory = ROOT / tool
    recorded = sorted(p for p in directory.glob("*") if p.name != "README.md" and p.is_file())
    output = data.draw(st.sampled_from(recorded)).read_text(errors="replace")[:20_000]
    start = data.draw(st.integers(0, len(output)))
    end = data.draw(st.integers(start, min(len(output), start + 40)))
    PARSERS[tool](output[:start] + data.draw(BROKEN) + output[end:])


@pytest.mark.parametrize("tool", TOOLS)
@BOUNDED
@given(st.text(max_size=300))
def test_a_parser_of_anything(tool: str, content: str) -> None:
    assert not PARSERS[tool](content).samples or content


ANSWERS = [
    (ROOT / "dmg" / name).read_text()
    for name in ("pool_query_md_on_ssd.txt", "system_query_joined.txt", "list_devices.txt")
] + ['{"response": {"host_errors": {"error": "s1"}}, "error": "1 host failed", "status": 0}']
READERS: list[Callable[[str], object]] = [
    *(dmg.busy_pools, dmg.failure, dmg.fullest, dmg.labels, dmg.parse, dmg.pressed, dmg.ranks),
    *(dmg.uuid, container.identity, container.parse, device_health.of_targets),
    *(device_health.problems, health_check.problems),
]


@BOUNDED
@given(st.data())
def test_an_answer_of_daos(data: st.DataObject) -> None:
    """A size of 400 digits, or `host_errors` that are a text, raised in ReFrame."""
    text = data.draw(st.sampled_from(ANSWERS))
    document = json.loads(text[text.index("{") : text.rindex("}") + 1])
    *above, last = data.draw(st.sampled_from(list(places(document))))
    inner = document
    for key in above:
        inner = inner[key]
    inner[last] = data.draw(NASTY)
    for read in READERS:
        read(json.dumps(document, indent=2))


@pytest.mark.parametrize(
    "document",
    [
        {"response": {"host_errors": "s1"}, "error": "one failed", "status": 0},
        {"response": {"members": [{"rank": 10**400}]}, "error": None, "status": 10**400},
        {"response": {"tier_stats": [{"total": 10**400, "free": 10**400}]}, "error": None},
    ],
)
def test_an_answer_of_daos_that_is_none(document: object) -> None:
    for read in READERS:
        read(json.dumps(document, indent=2))


def test_a_number_beyond_any_counter_is_no_json() -> None:
    assert json_output.json_objects('{"size": 18446744073709551615}')[1] is None
    assert json_output.json_objects('{"size": 100000000000000000000}') == (
        [],
        "its JSON is not readable",
    )
