"""Read the metrics of DAOS's engines, once, and keep the lines that the judgement uses.

Usage: read_engines.py OUTPUT PATTERN HOST=URL...

A job runs this on a host without `assay`, so it has the standard library and Python 3.9 alone. All
servers are asked at once. What is kept is Prometheus's text format, compressed, with a comment
before the lines of each server; a server that does not answer is a comment with the reason. Lines
with the value 0 are left out: most of 3,700 an engine are.
"""

import gzip
import re
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor

LIMIT_S = 20
"""How long one server may take; with 4 targets 0.2 s were seen, beside other load."""

MOST_BYTES = 64 * 2**20
"""How much of one server is read: 100 engines and targets of 153 kB are 15 MB."""


def lines(server: str, pattern: "re.Pattern[str]") -> "list[str]":
    """What one server says, or why it says nothing."""
    host, _, url = server.partition("=")
    # A proxy is for what is outside; the engines are inside.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(url, timeout=LIMIT_S) as answer:
            text = answer.read(MOST_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        return [f"# no answer of {host}: {reason}"]
    kept = [each for each in text.splitlines() if pattern.match(each) and not each.endswith(" 0")]
    return [f"# server {host}", *kept]


def main(output: str, pattern: str, *servers: str) -> None:
    """Ask all servers, and write what they said."""
    wanted = re.compile(pattern)
    with ThreadPoolExecutor(max_workers=64) as asking:
        answers = asking.map(lambda server: lines(server, wanted), servers)
        text = "\n".join(line for answer in answers for line in answer) + "\n"
    with open(output, "wb") as file:
        file.write(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
