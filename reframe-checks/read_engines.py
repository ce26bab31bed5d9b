"""Read the metrics of DAOS's engines once, and keep the lines that the judgement uses.

Usage: read_engines.py OUTPUT PATTERN HOST=URL...

A job runs this on a host without `assay`, so it uses only the standard library of Python 3.9. All
servers are asked at once. The output is Prometheus's text format, compressed, with a comment before
the lines of each server. For a server that does not answer, the comment has the reason. Lines with
the value 0 are left out: most of an engine's 3,700 lines have it.
"""

import gzip
import re
import sys
import typing
import urllib.request
from concurrent.futures import ThreadPoolExecutor

LIMIT_S = 20
"""Time limit of one server, in seconds; with 4 targets, 0.2 s were seen under load."""

MOST_BYTES = 64 * 2**20
"""Maximum size of one server's answer: 100 engines and targets of 153 kB are 15 MB."""


def lines(server: str, pattern: "re.Pattern[str]") -> "list[str]":
    """The lines of one server, or the reason why it did not answer."""
    host, _, url = server.partition("=")
    # A proxy is for addresses outside; the engines are inside.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(url, timeout=LIMIT_S) as answer:
            text = answer.read(MOST_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        return [f"# no answer of {host}: {reason}"]
    kept = [each for each in text.splitlines() if pattern.match(each) and not each.endswith(" 0")]
    return [f"# server {host}", *kept]


def answers(pattern: str, servers: "typing.Iterable[str]") -> str:
    """The answers of all servers."""
    wanted = re.compile(pattern)
    with ThreadPoolExecutor(max_workers=64) as asking:
        every = asking.map(lambda server: lines(server, wanted), servers)
        return "\n".join(line for answer in every for line in answer) + "\n"


def main(output: str, pattern: str, *servers: str) -> None:
    """Ask all servers, and write their answers."""
    with open(output, "wb") as file:
        file.write(gzip.compress(answers(pattern, servers).encode(), mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
