"""One budget and one failure domain a source: an HTTP server, a program, compressed data.

Each function returns data, or `Missing` with the reason. None of them raises because of what a
source does, so that one hostile source costs its own data and nobody else's.

Hosts without `assay` use this file, too: `reframe-checks/read_engines.py` brings it along into a
job. So it uses only the standard library of Python 3.9.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import os
import selectors
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_CHUNK = 2**16
_REAPED_S = 5.0
"""How long a program may take to end once it was killed; one of another user cannot be."""


@dataclass(frozen=True)
class Budget:
    """The most that one source may cost, as a whole and not for each read."""

    seconds: float
    bytes: int
    lines: int


@dataclass(frozen=True)
class Missing:
    """A source without data, and why, to follow the name of the source."""

    why: str

    def __str__(self) -> str:
        return self.why


class SpentError(Exception):
    """A budget is used up; the message says which part. It never leaves `assay.foreign`."""


class Meter:
    """What a source has cost so far."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._end = time.monotonic() + budget.seconds
        self._bytes = self._lines = 0

    def left_s(self) -> float:
        """The remaining time in seconds, which is more than 0.

        Raises:
            SpentError: there is none.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise SpentError(f"did not end within {self._budget.seconds:g} s")
        return left

    def add(self, some: bytes) -> None:
        """Count what was read.

        Raises:
            SpentError: it is too much.
        """
        self._bytes += len(some)
        self._lines += some.count(b"\n")
        for number, most, what in (
            (self._bytes, self._budget.bytes, "bytes"),
            (self._lines, self._budget.lines, "lines"),
        ):
            if number > most:
                raise SpentError(f"has more than {most:,} {what}, which is the limit")


def fetch(url: str, budget: Budget) -> bytes | Missing:
    """Get a document by HTTP from the server in its URL: by no proxy, and following no redirect.

    The whole answer is read within the budget, and only then parsed.

    Args:
        url: such as ``http://192.0.2.1:9191/metrics``.
        budget: for connecting and the whole answer, including its header.
    """
    meter = Meter(budget)
    try:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            return Missing(f"is not asked by HTTP: {url}")
        # An answer to HTTP/1.0 ends with its connection.
        asked = f"GET {parts.path or '/'} HTTP/1.0\r\nHost: {parts.netloc}\r\n\r\n"
        with _connected(parts.hostname, parts.port or 80, meter) as server:
            server.sendall(asked.encode("ascii"))
            received = _drained(server, meter)
    except SpentError as error:
        return Missing(str(error))
    except (OSError, ValueError) as error:
        return Missing(str(error) or type(error).__name__)
    return _document(received)


def _document(received: bytes) -> bytes | Missing:
    """The document in an answer of HTTP."""
    answer = http.client.HTTPResponse(_Recorded(received))  # type: ignore[arg-type]
    try:
        answer.begin()
        if answer.status != http.client.OK:
            return Missing(f"answered with {answer.status} {answer.reason}")
        return answer.read()
    # Not only HTTPException: a length beyond 2^63 is an OverflowError.
    except Exception as error:
        return Missing(f"gave no answer in HTTP: {type(error).__name__} {error}")


def _connected(host: str, port: int, meter: Meter) -> socket.socket:
    """A connection, whose name is resolved within the time limits of the resolver."""
    refused: OSError = OSError("has no address")
    for family, kind, protocol, _, address in socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM
    ):
        server = socket.socket(family, kind, protocol)
        try:
            server.settimeout(meter.left_s())
            server.connect(address)
            server.settimeout(meter.left_s())
        except socket.timeout:  # before Python 3.10 it is no TimeoutError
            server.close()
            meter.left_s()
        except OSError as error:
            server.close()
            refused = error
        except BaseException:
            server.close()
            raise
        else:
            return server
    raise refused


def _drained(server: socket.socket, meter: Meter) -> bytes:
    """All that a server sends until it ends the connection."""
    received = bytearray()
    while True:
        server.settimeout(meter.left_s())
        try:
            some = server.recv(_CHUNK)
        except socket.timeout:
            meter.left_s()
            continue
        if not some:
            return bytes(received)
        meter.add(some)
        received += some


class _Recorded:
    """An answer that was received, for a parser that expects a connection."""

    def __init__(self, received: bytes) -> None:
        self._received = received

    def makefile(self, _: str) -> io.BytesIO:
        """The answer as a file."""
        return io.BytesIO(self._received)


@dataclass(frozen=True)
class Printed:
    """What a program printed until it ended; bytes that are no UTF-8 are shown as `�`."""

    status: int
    out: str
    err: str


def output_of(
    command: Sequence[str],
    budget: Budget,
    *,
    stdin: str = "",
    env: Mapping[str, str] | None = None,
    meanwhile: Callable[[], str] = str,
    every_s: float = 5.0,
    end_with: signal.Signals = signal.SIGKILL,
) -> Printed | Missing:
    """Run a program in a session of its own, and end all of it when its budget is used up.

    Args:
        command: its command line.
        budget: for both of its outputs together.
        stdin: its standard input.
        env: variables to add to the environment.
        meanwhile: called now and then; what it returns, if anything, ends the program, and is the
            reason.
        every_s: the interval of these calls, in seconds.
        end_with: the signal that ends it; it is killed if it takes longer than a few seconds.
    """
    meter = Meter(budget)
    try:
        # Without a text it needs no room, which a full disk lacks.
        with tempfile.TemporaryFile() if stdin else open(os.devnull, "w+b") as given:
            given.write(stdin.encode())
            given.seek(0)
            process = subprocess.Popen(
                command,
                env={**os.environ, **(env or {})},
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
    except (OSError, ValueError) as error:
        return Missing(str(error))
    ended = False
    try:
        printed = _printed(process, meter, meanwhile, every_s)
        process.wait(meter.left_s())
        ended = True
    except SpentError as error:
        return Missing(str(error))
    except subprocess.TimeoutExpired:
        return Missing(f"did not end within {budget.seconds:g} s")
    except OSError as error:
        return Missing(str(error))
    finally:
        if not ended:
            _end(process, end_with)
        for stream in (process.stdout, process.stderr):
            assert stream
            stream.close()
    out, err = (bytes(each).decode("utf-8", "replace") for each in printed)
    return Printed(process.returncode, out, err)


def _printed(
    process: subprocess.Popen[bytes], meter: Meter, meanwhile: Callable[[], str], every_s: float
) -> tuple[bytearray, bytearray]:
    """What a program prints on standard output and standard error, until it closes both."""
    printed = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        for stream, kept in zip((process.stdout, process.stderr), printed):
            assert stream
            selector.register(stream, selectors.EVENT_READ, kept)
        look = time.monotonic() + every_s
        while selector.get_map():
            for key, _ in selector.select(min(meter.left_s(), every_s)):
                if some := os.read(key.fd, _CHUNK):
                    meter.add(some)
                    key.data.extend(some)
                else:
                    selector.unregister(key.fileobj)
            if time.monotonic() > look:
                look = time.monotonic() + every_s
                if why := meanwhile():
                    raise SpentError(why)
    return printed


def _end(process: subprocess.Popen[bytes], by: signal.Signals) -> None:
    """End a program and what it started; one of another user, such as sudo's, is left behind."""
    for number in dict.fromkeys((by, signal.SIGKILL)):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_REAPED_S)
            return


def inflate(packed: bytes, budget: Budget) -> bytes | Missing:
    """Decompress a file of gzip, which must be whole, with nothing after it."""
    meter, unpacking, content = Meter(budget), zlib.decompressobj(wbits=31), bytearray()
    try:
        for start in range(0, len(packed), _CHUNK):
            waiting = packed[start : start + _CHUNK]
            while waiting and not unpacking.eof:
                meter.left_s()
                some = unpacking.decompress(waiting, _CHUNK)
                meter.add(some)
                content += some
                waiting = unpacking.unconsumed_tail
            if unpacking.unused_data or (unpacking.eof and start + _CHUNK < len(packed)):
                return Missing("has more after its end")
    except SpentError as error:
        return Missing(str(error))
    except zlib.error as error:
        return Missing(f"is not compressed: {error}")
    return bytes(content) if unpacking.eof else Missing("is cut off")


def text_of(content: bytes) -> str | Missing:
    """A text in UTF-8, without guessing what another byte may be."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        return Missing(f"has a byte that is no UTF-8 at {error.start:,}")
