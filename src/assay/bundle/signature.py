"""Signatures with OpenSSH keys, which engineers already have, checked by `ssh-keygen`."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from assay.foreign.text import printable

NAMESPACE = "daos-assay"
"""What a signature is for: one that was made for a mail or for git does not pass here."""


class SignatureError(RuntimeError):
    """A signature that cannot be made or is not valid, in ssh-keygen's own words."""


def sign(file: Path, key: Path) -> None:
    """Sign a file; the signature is the file beside it with the suffix ``.sig``.

    The key is a private one, or the public one of a key that an ssh-agent holds. One with a
    passphrase is asked for on the terminal.

    Raises:
        SignatureError: the key cannot be used.
    """
    _ssh_keygen("sign", "-f", str(key), str(file))


def verify(
    signed: bytes, signature: bytes, allowed_signers: Path, signer: str, made_at: datetime
) -> str:
    """Check that a signature is by the signer; return ssh-keygen's sentence with the key.

    A key that is not valid today may have been when the bundle was made; the sentence says so.

    Args:
        signed: what was signed.
        signature: the signature.
        allowed_signers: which key is whose, as ssh-keygen(1) describes it.
        signer: a name in that file.
        made_at: when it was signed, by the signer's own word.

    Raises:
        SignatureError: it is not, or the signer is not in that file.
    """
    with _as_file(signature) as path:
        options = ("-f", str(allowed_signers), "-I", signer, "-s", path)
        try:
            return _ssh_keygen("verify", *options, signed=signed)
        except SignatureError as today:
            # ssh-keygen takes local time, as the times in the file are.
            then = made_at.astimezone().strftime("%Y%m%d%H%M%S")
            try:
                answer = _ssh_keygen("verify", *options, "-O", f"verify-time={then}", signed=signed)
            except SignatureError:
                raise today from None
            return (
                f"{answer}; the key is not valid today ({today}), and was on {made_at:%Y-%m-%d},"
                " when, by its own word, the bundle was made"
            )


def key_of(signed: bytes, signature: bytes) -> str:
    """Check that a signature is of these bytes, by any signer; return ssh-keygen's sentence.

    Raises:
        SignatureError: it is not.
    """
    with _as_file(signature) as path:
        return _ssh_keygen("check-novalidate", "-s", path, signed=signed)


@contextmanager
def _as_file(signature: bytes) -> Iterator[str]:
    """The signature in a file of our own: ssh-keygen reads it from nowhere else."""
    with tempfile.NamedTemporaryFile(suffix=".sig") as file:
        file.write(signature)
        file.flush()
        yield file.name


def _ssh_keygen(action: str, *options: str, signed: bytes | None = None) -> str:
    command: Sequence[str] = ("ssh-keygen", "-Y", action, "-n", NAMESPACE, *options)
    try:
        done = subprocess.run(
            command,
            input=signed,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise SignatureError(
            "ssh-keygen is not installed (Debian: openssh-client; it must be OpenSSH 8.2 or later)"
        ) from error
    answer = printable((done.stdout + done.stderr).decode("utf-8", "replace")).strip()
    if done.returncode:
        raise SignatureError("; ".join(answer.splitlines()) or f"exit status {done.returncode}")
    return answer.splitlines()[0] if answer else ""
