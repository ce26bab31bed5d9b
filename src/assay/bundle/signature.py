"""Signatures with OpenSSH keys, which engineers already have, checked by `ssh-keygen`."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assay.foreign import files, limits
from assay.foreign.text import printable

NAMESPACE = "daos-assay"
"""The purpose of a signature: a signature made for a mail or for git is not accepted here."""

ALLOWED = (
    "should be a private SSH key, or the public key of one that an ssh-agent holds; of a key in"
    " PEM, the public key must be beside it"
)
"""What can sign."""


class SignatureError(RuntimeError):
    """A signature that cannot be made or is not valid, in ssh-keygen's own words."""


class NoProgramError(SignatureError):
    """There is no ssh-keygen."""


def refuse_no_key(key: Path) -> None:
    """Refuse what can be no key, before anything is judged and without asking for a passphrase.

    Raises:
        SignatureError: it is no key, or one that ssh-keygen would not use.
    """
    try:
        private = files.read(key, limits.KEY_BYTES).startswith(b"-----BEGIN ")
        status = key.stat()
    except OSError as error:
        raise SignatureError(f"{key}: {error.strerror}; {ALLOWED}") from error
    except files.ForeignError as error:
        raise SignatureError(f"{error}; {ALLOWED}") from error
    mode = stat.S_IMODE(status.st_mode)
    if private and status.st_uid == os.geteuid() and mode & 0o077:
        raise SignatureError(
            f"{key} has the mode {mode:04o}, so that others can use it; should be 0600"
        )
    try:
        _ssh_keygen("-l", "-f", str(key))
    except NoProgramError:
        raise
    except SignatureError as error:
        raise SignatureError(f"{key} is no SSH key; {ALLOWED}") from error


def sign(file: Path, key: Path) -> None:
    """Sign a file; the signature is written beside it with the suffix ``.sig``.

    The key is a private key, or the public key of one that an ssh-agent holds. ssh-keygen asks for
    a passphrase on the terminal.

    Raises:
        SignatureError: the key cannot be used.
    """
    try:
        _signatures("sign", "-f", str(key), str(file))
    except SignatureError as error:
        # "Couldn't load public key" means its text, and "No private key found" the agent.
        allowed = f"; {ALLOWED}" if "public key" in str(error) else ""
        raise SignatureError(f"{error}{allowed}") from error


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
            return Valid(_signatures("verify", *options, signed=signed))
        except SignatureError as today:
            # ssh-keygen expects local time, as in the file of allowed signers.
            then = made_at.astimezone().strftime("%Y%m%d%H%M%S")
            try:
                answer = _signatures("verify", *options, "-O", f"verify-time={then}", signed=signed)
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
        return _signatures("check-novalidate", "-s", path, signed=signed)


@contextmanager
def _as_file(signature: bytes) -> Iterator[str]:
    """The signature in a temporary file, since ssh-keygen reads it only from a file."""
    with tempfile.NamedTemporaryFile(suffix=".sig") as file:
        file.write(signature)
        file.flush()
        yield file.name


def _signatures(action: str, *options: str, signed: bytes | None = None) -> str:
    return _ssh_keygen("-Y", action, "-n", NAMESPACE, *options, signed=signed)


def _ssh_keygen(*options: str, signed: bytes | None = None) -> str:
    command: Sequence[str] = ("ssh-keygen", *options)
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
        raise NoProgramError(
            "ssh-keygen is not installed (Debian: openssh-client; it must be OpenSSH 8.2 or later)"
        ) from error
    answer = printable((done.stdout + done.stderr).decode("utf-8", "replace")).strip()
    if done.returncode:
        raise SignatureError("; ".join(answer.splitlines()) or f"exit status {done.returncode}")
    return answer.splitlines()[0] if answer else ""
