"""Keys that sign, and what is refused as one before anything is judged."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from assay.bundle.signature import SignatureError, refuse_no_key, sign
from commandline import assay

ALLOWED = "should be a private SSH key, or the public key of one that an ssh-agent holds; "


def key(path: Path, *options: str, passphrase: str = "") -> Path:
    command = ["ssh-keygen", "-q", "-t", "ecdsa", "-N", passphrase, "-f", str(path), *options]
    subprocess.run(command, check=True)
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("directory").mkdir()
    Path("empty").touch()
    Path("rubbish").write_text("Segmentation fault\n")
    Path("large").write_bytes(bytes(2**20))
    open_to_all = key(Path("open"))
    Path("cut").write_text(open_to_all.read_text()[:200])
    Path("cut").chmod(0o600)
    open_to_all.chmod(0o644)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nowhere", "nowhere: No such file or directory; " + ALLOWED),
        ("directory", "directory is not a regular file; " + ALLOWED),
        ("/dev/null", "/dev/null is not a regular file; " + ALLOWED),
        ("large", "large has more than 65,536 bytes, which is the limit; " + ALLOWED),
        ("empty", "empty is no SSH key; " + ALLOWED),
        ("rubbish", "rubbish is no SSH key; " + ALLOWED),
        ("cut", "cut is no SSH key; " + ALLOWED),
        ("open", "open has the mode 0644, so that others can use it; should be 0600"),
    ],
)
@pytest.mark.usefixtures("here")
def test_what_is_no_key_is_refused_in_one_message_before_anything_is_read(
    name: str, why: str
) -> None:
    options = ["--reports=nowhere/*.json", "--out=new", "--approver=Ada", f"--sign-key={name}"]
    status, printed, errors = assay("signoff", *options)
    assert (status, printed, errors.count("\n")) == (2, "", 1)
    assert errors.startswith(f"--sign-key {why}")


@pytest.mark.parametrize("locked", ["", "secret"])
def test_keys_that_sign_are_not_asked_for_a_passphrase(tmp_path: Path, locked: str) -> None:
    private = key(tmp_path / "key", passphrase=locked)
    refuse_no_key(private)
    refuse_no_key(private.with_suffix(".pub"))


def test_the_public_key_of_none_in_an_agent_is_said_to_need_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    private = key(tmp_path / "key")
    private.unlink()
    (tmp_path / "SHA256SUMS").write_text("a\n")
    with pytest.raises(SignatureError, match=f"No private key found for public key.*; {ALLOWED}"):
        sign(tmp_path / "SHA256SUMS", private.with_suffix(".pub"))
