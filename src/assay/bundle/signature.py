"""Signatures with OpenSSH keys, which engineers already have, checked by `ssh-keygen`."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assay.foreign.text import printable

NAMESPACE = "daos-assay"
"""The purpose of a signature: a signature made for a mail or for git is not accepted here."""


class SignatureError(RuntimeError):
    """A signature that cannot be made or is not valid, in ssh-keygen's own words."""


def sign(file: Path, key: Path) -> None:
    """Sign a file; the signature is written beside it with the suffix ``.sig``.

    The key is a private key, or the public key of one that an ssh-agent holds. ssh-keygen asks for
    a passphrase on the terminal.

    Raises:
        SignatureError: the key cannot be used.
    """
    _ssh_keygen("sign", "-f", str(key), str(file))


@dataclass(frozen=True, slots=True)
class Valid:
    """A valid signature: ssh-keygen's sentence with the key, and on what condition it is valid."""

    sentence: str
    condition: str = ""
    """To follow the signer's name; empty if there is none."""


def verify(
    signed: bytes, signature: bytes, allowed_signers: Path, signer: str, made_at: datetime
) -> Valid:
    """Check that a signature is by the signer.

    A key that is no longer valid may have been valid when the bundle was made. Only the bundle says
    when that was, so the signature is valid on the condition that it says the truth.

    Args:
        signed: the signed bytes.
        signature: the signature.
        allowed_signers: file with each signer's keys, see ssh-keygen(1).
        signer: a name in that file.
        made_at: when it was signed, according to the signer.

    Raises:
        SignatureError: the signature is not by the signer, or the signer is not in that file.
    """
    with _as_file(signature) as path:
        options = ("-f", str(allowed_signers), "-I", signer, "-s", path)
        try:
            return Valid(_ssh_keygen("verify", *options, signed=signed))
        except SignatureError as today:
            # ssh-keygen expects local time, as in the file of allowed signers.
            then = made_at.astimezone().strftime("%Y%m%d%H%M%S")
            try:
                answer = _ssh_keygen("verify", *options, "-O", f"verify-time={then}", signed=signed)
            except SignatureError:
                raise today from None
            return Valid(
                f"{answer}; the key is not valid today ({today}), but was on {made_at:%Y-%m-%d},"
                " when the bundle claims to have been made",
                f" if it was signed on {made_at:%Y-%m-%d}, as it claims: the key is not valid"
                " today, and whoever has it can sign with any date",
            )


def key_of(signed: bytes, signature: bytes) -> str:
    """Check that a signature matches the bytes, by any signer; return ssh-keygen's sentence.

    Raises:
        SignatureError: it does not match.
    """
    with _as_file(signature) as path:
        return _ssh_keygen("check-novalidate", "-s", path, signed=signed)


@contextmanager
def _as_file(signature: bytes) -> Iterator[str]:
    """The signature in a temporary file, since ssh-keygen reads it only from a file."""
    with tempfile.NamedTemporaryFile(suffix=".sig") as file:
        file.write(signature)
        file.flush()
        yield file.name


def _ssh_keygen(action: str, *options: str, signed: bytes | None = None) -> str:
    command: Sequence[str] = ("ssh-keygen", "-Y", action, "-n", NAMESPACE, *options)
    if shutil.which("setpriv"):
        # It may wait for a passphrase or for an agent, and must not wait on when this is killed.
        command = ("setpriv", "--pdeathsig", "KILL", *command)
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
