"""Keys, certificates and passwords, removed from what goes into a bundle, which is handed on.

Hosts without `assay` use this file, too: the module `daos_engine_errors` of the role daos_server
applies it before anything leaves the host. So it uses only the standard library of Python 3.9.
"""

from __future__ import annotations

import re

_BEGIN = re.compile(r"-----BEGIN ([A-Z0-9][A-Z0-9 ]{0,60})-----")
_END = re.compile(r"-----END [A-Z0-9][A-Z0-9 ]{0,60}-----")
_REST = re.compile(r"(?:[A-Za-z0-9+/=\s]|\\[nr])*")
"""What follows the beginning of a PEM block without an end; `\\n` where it is quoted."""

_MOST = 2**16
"""Characters of a PEM block; a chain of 20 certificates has one for each of them."""

_WORD = re.compile(r"[A-Za-z0-9+/_-]{40,}={0,2}")
"""A line of PEM has 64 characters. A word of 40 (own choice) may be a key; a shorter one goes only
if it has a name."""

_NAMED = re.compile(
    r"(pass(?:word|wd|phrase)|secret|token|(?:private|secret|api|access|auth)[-_ ]?key)"
    r"([\"']?[ \t]*[=:][ \t]*)(?!\[removed\b|\(null\))(\"[^\"\n]*\"|'[^'\n]*'|[^\s,;]+)",
    re.IGNORECASE,
)
"""The name may end a longer one, such as `DB_PASSWORD`; a value in quotes may have spaces.
`(null)`, which DAOS logs where no key is set, stays."""


def without_blocks(content: bytes) -> bytes:
    """A file without its PEM blocks; everything else stays byte for byte, also if it is no text."""
    if b"-----BEGIN " not in content:
        return content
    return _without_blocks(content.decode("latin-1")).encode("latin-1")


def without_secrets(text: str) -> str:
    """A log, or a line of one, without its PEM blocks, keys and passwords.

    Applied twice, it changes nothing more.
    """
    if "-----BEGIN " in text:
        text = _without_blocks(text)
    text = _NAMED.sub(r"\1\2[removed]", text)
    return _WORD.sub(_unless_ordinary, text)


def _without_blocks(text: str) -> str:
    """The text with a word in place of each PEM block.

    A block without an end, or with one too far away to be its own, ends with its base64.
    """
    kept, at = [], 0
    end = _END.search(text)
    while begin := _BEGIN.search(text, at):
        while end and end.start() < begin.end():
            end = _END.search(text, end.end())
        own = end and end.start() - begin.end() <= _MOST
        last = end if own else _REST.match(text, begin.end())
        kept += [text[at : begin.start()], f"[removed: {begin[1]}]"]
        at = last.end() if last else begin.end()
    return "".join(kept) + text[at:]


def _unless_ordinary(word: re.Match[str]) -> str:
    """The word if it is a name, a path, a hash or a UUID, which base64 is most unlikely to be."""
    text = word[0]
    encoded = (
        any(map(str.isupper, text)) and any(map(str.islower, text)) and any(map(str.isdigit, text))
    )
    is_path = text.count("/") > len(text) / 10
    return "[removed]" if encoded and not is_path else text
