"""One budget a source: data, or the reason why there is none, in bounded time, and no exception."""

from __future__ import annotations

import errno
import gzip
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.foreign import sources
from assay.foreign.files import ForeignError, Tree, read_file
from assay.foreign.sources import Budget, Missing, Printed, fetch, inflate, output_of, text_of

BUDGET = Budget(seconds=1, bytes=10_000, lines=100)
GENEROUS = Budget(seconds=30, bytes=10_000, lines=100)
"""For what ends by itself, or by another part of its budget."""

Serve = Callable[[socket.socket], object]


@contextmanager
def server(serve: Serve) -> Iterator[str]:
    """A server that answers one connection after another as told."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection, suppress(OSError):
                        connection.recv(10_000)
                        serve(connection)

        threading.Thread(target=answer, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/metrics"
        listening.shutdown(socket.SHUT_RDWR)


def saying(answer: bytes) -> Serve:
    return lambda connection: connection.sendall(answer)


def drip(connection: socket.socket) -> None:
    """A byte at a time, without end: no single read takes long."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"x")
        time.sleep(0.05)


def flood(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"x" * 1000)


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        HEAD + b"\r\none\ntwo\n",
        HEAD + b"Content-Length: 8\r\n\r\none\ntwo\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n4\r\ntwo\n\r\n0\r\n\r\n",
    ],
)
def test_a_document_is_fetched(answer: bytes) -> None:
    with server(saying(answer)) as url:
        assert fetch(url, GENEROUS) == b"one\ntwo\n"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"", "gave no answer in HTTP: RemoteDisconnected"),
        (b"\x00\xff\n\n", "gave no answer in HTTP: BadStatusLine"),
        (b"HTTP/1.1 2e2 OK\r\n\r\n", "gave no answer in HTTP: BadStatusLine"),
        (b"HTTP/1.1 503 No\r\n\r\n", "answered with 503 No"),
        (HEAD + b"Content-Length: 9\r\n\r\nshort", "gave no answer in HTTP: IncompleteRead"),
        (
            HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            "gave no answer in HTTP: IncompleteRead",
        ),
        (HEAD + b"Content-Length: 9223372036854775808\r\n\r\n", "gave no answer in HTTP: Overflow"),
        (
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\n",
            "gave no answer in HTTP: OverflowError",
        ),
        (HEAD + b"x: y\r\n" * 100, "has more than 100 lines, which is the limit"),
        (HEAD + b"\r\n" + b"x" * 10_000, "has more than 10,000 bytes, which is the limit"),
    ],
)
def test_a_document_is_missing(answer: bytes, why: str) -> None:
    with server(saying(answer)) as url:
        missing = fetch(url, GENEROUS)
    assert isinstance(missing, Missing)
    assert why in missing.why


def test_more_than_a_hundred_headers_are_refused() -> None:
    with server(saying(HEAD + b"x: y\r\n" * 300 + b"\r\n")) as url:
        missing = fetch(url, Budget(30, 10_000, 1_000))
    assert isinstance(missing, Missing)
    assert "got more than 100 headers" in missing.why


def test_no_redirect_is_followed() -> None:
    """A host under test could have asked any other server in the name of the one that measures."""
    asked: list[bool] = []
    with server(lambda connection: asked.append(bool(connection))) as other:
        answer = b"HTTP/1.1 302 Found\r\nLocation: " + other.encode() + b"\r\n\r\n"
        with server(saying(answer)) as url:
            assert fetch(url, GENEROUS) == Missing("answered with 302 Found")
    assert not asked


@pytest.mark.parametrize("serve", [drip, lambda connection: time.sleep(3)])
def test_the_whole_answer_has_a_deadline(serve: Serve) -> None:
    """A byte every five seconds was waited for without end."""
    with server(serve) as url:
        assert fetch(url, BUDGET) == Missing("did not end within 1 s")


def test_an_answer_without_end_is_cut() -> None:
    with server(flood) as url:
        missing = fetch(url, GENEROUS)
    assert missing == Missing("has more than 10,000 bytes, which is the limit")


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1:1/", "http://[::1", "http://127.0.0.1:99999/", "http:///x", "file:///"),
        *("http://\udcff/", f"http://{'a' * 300}/", "http://127.0.0.1:1/\u20ac", ""),
    ],
)
def test_an_address_that_leads_nowhere_is_missing(url: str) -> None:
    assert isinstance(fetch(url, GENEROUS), Missing)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *(b"HTTP/1.1 200 OK", b"HTTP/1.1 100 Continue", b"HTTP/9", b"\r\n", b"\n", b"\0"),
                *(
                    b"Content-Length: -1",
                    b"Content-Length: 9" + b"9" * 30,
                    b"5",
                    b"-1",
                    b"ffffffff",
                ),
                *(b"Transfer-Encoding: chunked", b"\xff", b": ", b" ", b"Transfer-Encoding: \xff"),
            ]
        ),
        max_size=12,
    )
)
def test_no_answer_raises(parts: list[bytes]) -> None:
    with server(saying(b"".join(parts))) as url:
        assert isinstance(fetch(url, GENEROUS), bytes | Missing)


def shell(script: str, budget: Budget = GENEROUS) -> Printed | Missing:
    return output_of(["sh", "-c", script], budget)


def test_a_program_is_asked() -> None:
    assert shell("echo out; echo err >&2; exit 3") == Printed(3, "out\n", "err\n")
    assert output_of(["cat"], GENEROUS, stdin="given") == Printed(0, "given", "")
    assert output_of(["sh", "-c", "echo $X"], GENEROUS, env={"X": "y"}) == Printed(0, "y\n", "")


def test_a_byte_that_is_no_utf8_is_shown() -> None:
    assert shell(r"printf 'a\377b\n'") == Printed(0, "a\ufffdb\n", "")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("seq 200", "has more than 100 lines, which is the limit"),
        ("cat /dev/zero", "has more than 10,000 bytes, which is the limit"),
        ("cat /dev/zero >&2", "has more than 10,000 bytes, which is the limit"),
    ],
)
def test_an_output_without_end_is_cut(script: str, why: str) -> None:
    """3 GiB were kept of a `sinfo` that printed for a minute."""
    assert shell(script) == Missing(why)


@pytest.mark.parametrize(
    "script",
    [
        "sleep 60",
        "exec >/dev/null 2>&1; sleep 60",
        "sleep 60 &",
        "trap '' TERM; while true; do echo; sleep 0.1; done",
    ],
)
def test_a_program_has_a_deadline(script: str) -> None:
    start = time.monotonic()
    assert shell(script, BUDGET) == Missing("did not end within 1 s")
    assert time.monotonic() - start < 20


def test_what_a_program_started_ends_with_it(tmp_path: Path) -> None:
    shell(f"sleep 60 & echo $! >{tmp_path}/pid; wait", BUDGET)
    pid = int((tmp_path / "pid").read_text())
    late = time.monotonic() + 20
    while Path(f"/proc/{pid}/status").exists() and time.monotonic() < late:
        if "State:\tZ" in Path(f"/proc/{pid}/status").read_text():
            break
        time.sleep(0.05)
    else:
        assert not Path(f"/proc/{pid}").exists()


def test_a_program_may_end_in_order(tmp_path: Path) -> None:
    script = f"trap 'echo >{tmp_path}/told; exit' TERM; while true; do sleep 0.1; done"
    output_of(["sh", "-c", script], BUDGET, end_with=signal.SIGTERM)
    assert (tmp_path / "told").exists()


def test_whoever_asks_may_end_a_program() -> None:
    ended = output_of(["sleep", "60"], GENEROUS, meanwhile=lambda: "in vain", every_s=0.1)
    assert ended == Missing("in vain")


@pytest.mark.parametrize("command", [["/none/such"], ["x\0y"], ["/"]])
def test_a_program_that_cannot_be_run_is_missing(command: list[str]) -> None:
    assert isinstance(output_of(command, GENEROUS), Missing)


def test_a_program_is_asked_where_no_disk_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python finds no directory for temporary files where all are full, and raised in ReFrame."""

    def full() -> None:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(sources.tempfile, "TemporaryFile", full)
    assert shell("echo out") == Printed(0, "out\n", "")
    missing = output_of(["cat"], GENEROUS, stdin="given")
    assert missing == Missing("No usable temporary directory found")


def test_a_program_is_missing_where_no_file_can_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(sources.selectors, "DefaultSelector", none_left)
    assert isinstance(shell("echo out"), Missing)
    assert isinstance(output_of(["cat"], GENEROUS, stdin="\udcff"), Missing)


def packed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def test_a_compressed_file_is_read() -> None:
    assert inflate(packed(b"one\n" * 100), GENEROUS) == b"one\n" * 100
    large = os.urandom(300_000).replace(b"\n", b"")
    assert inflate(packed(large), Budget(30, 300_000, 0)) == large


@pytest.mark.parametrize(
    ("compressed", "why"),
    [
        (b"", "is cut off"),
        (b"no gzip", "is not compressed: "),
        (packed(b"x" * 1000)[:-9], "is cut off"),
        (packed(b"x") + b"y", "has more after its end"),
        (packed(b"x") * 2, "has more after its end"),
        (packed(b"x" * 10_001), "has more than 10,000 bytes, which is the limit"),
        (packed(b"\n" * 101), "has more than 100 lines, which is the limit"),
    ],
)
def test_what_is_compressed_has_a_budget(compressed: bytes, why: str) -> None:
    missing = inflate(compressed, GENEROUS)
    assert isinstance(missing, Missing)
    assert why in missing.why


def test_a_small_file_that_is_large_inside_is_not_decompressed() -> None:
    """200 KiB of gzip, 200 MiB of line feeds, cost 3.6 GiB and 54 s of CPU."""
    bomb = packed(b"\n" * (200 * 2**20))
    start = time.process_time()
    missing = inflate(bomb, Budget(60, 2**30, 1_000_000))
    assert missing == Missing("has more than 1,000,000 lines, which is the limit")
    assert time.process_time() - start < 1


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 200), st.binary(max_size=4))
def test_no_compressed_file_raises(content: bytes, at: int, put: bytes) -> None:
    sound = packed(content)
    assert isinstance(inflate(sound[:at] + put + sound[at + 4 :], GENEROUS), bytes | Missing)


def test_a_text_is_not_guessed() -> None:
    assert text_of("ä\n".encode()) == "ä\n"
    assert text_of(b"ab\xff") == Missing("has a byte that is no UTF-8 at 2")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(b"text\n")
    (tmp_path / "a" / "link").symlink_to("file")
    os.mkfifo(tmp_path / "a" / "fifo")
    with (tmp_path / "a" / "sparse").open("wb") as file:
        file.truncate(300 * 2**20)
    (tmp_path / "out").symlink_to("a")
    return tmp_path


def test_a_file_is_read(root: Path) -> None:
    assert read_file(root / "a/file", GENEROUS) == b"text\n"
    assert read_file(root / "a/link", GENEROUS, follow=True) == b"text\n"
    assert Tree(root).read_file("a/file", GENEROUS) == b"text\n"


@pytest.mark.parametrize(
    "name", ["link", "fifo", "sparse", "none", ".", "x\0y", "file/x", "\udcff"]
)
def test_anything_else_is_missing(root: Path, name: str) -> None:
    for answer in (
        read_file(root / "a" / name, GENEROUS),
        Tree(root / "a").read_file(name, BUDGET),
    ):
        assert isinstance(answer, Missing)
        assert answer.why


def test_a_file_is_copied_and_hashed_at_once(root: Path) -> None:
    copied = Tree(root).copy("a/file", root / "copy", 5)
    assert (root / "copy").read_bytes() == b"text\n"
    assert copied.size == 5
    assert copied.sha256 == "b9e68e1bea3e5b19ca6b2f98b73a54b73daafaa250484902e09982e07a12e733"


@pytest.mark.parametrize(("name", "most"), [("a/file", 4), ("a/link", 9), ("out/file", 9)])
def test_nothing_else_is_copied(root: Path, name: str, most: int) -> None:
    with pytest.raises(ForeignError):
        Tree(root).copy(name, root / "copy", most)


def test_a_directory_is_listed_by_itself(root: Path) -> None:
    assert [entry.name for entry in Tree(root).list("a")] == [
        *("a/fifo", "a/file", "a/link", "a/sparse"),
    ]
    assert [entry.kind for entry in Tree(root).list()] == ["a directory", "a link"]


def test_a_directory_has_not_more_entries_than_subjects(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.foreign.files.ENTRIES", 3)
    with pytest.raises(ForeignError, match="a has more than 3 entries, which is the limit"):
        Tree(root).list("a")
