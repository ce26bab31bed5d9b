"""What is removed before it goes into a bundle: keys, certificates, passwords."""

from __future__ import annotations

import pytest

from assay.foreign.redaction import without_blocks, without_secrets
from recordings import ROOT

LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
BODY = f"{LINE}\n{LINE[:40]}=\n"


def pem(kind: str, body: str = BODY) -> str:
    return f"-----BEGIN {kind}-----\n{body}-----END {kind}-----\n"


@pytest.mark.parametrize(
    "kind", ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "CERTIFICATE"]
)
def test_a_pem_block_is_replaced_by_its_kind_and_the_rest_stays(kind: str) -> None:
    text = f"before\n{pem(kind)}after\xff\x00\n"
    clean = without_blocks(text.encode("latin-1"))
    assert clean == f"before\n[removed: {kind}]\nafter\xff\x00\n".encode("latin-1")
    assert without_blocks(clean) == clean


def test_several_blocks_go_and_what_is_between_them_stays() -> None:
    text = f"{pem('CERTIFICATE')}between\n{pem('PRIVATE KEY')}"
    assert (
        without_blocks(text.encode())
        == b"[removed: CERTIFICATE]\nbetween\n[removed: PRIVATE KEY]\n"
    )


def test_a_block_that_was_cut_goes_as_far_as_its_base64() -> None:
    text = f"-----BEGIN PRIVATE KEY-----\n{BODY}# the next line\n"
    assert without_blocks(text.encode()) == b"[removed: PRIVATE KEY]# the next line\n"


def test_the_end_of_a_block_far_away_is_another_ones() -> None:
    far = "measured: 1.5 GiB/s\n" * 4000
    text = f"-----BEGIN PRIVATE KEY-----\n{BODY}# {far}-----END PRIVATE KEY-----\n"
    clean = without_blocks(text.encode())
    assert LINE.encode() not in clean
    assert far.encode() in clean


def test_a_file_of_nothing_but_beginnings_takes_no_quadratic_time() -> None:
    assert b"BEGIN" not in without_blocks(b"-----BEGIN A-----" * 100_000)


@pytest.mark.parametrize(
    ("line", "clean"),
    [
        (f"key {LINE} not loaded", "key [removed] not loaded"),
        (f"-----BEGIN PRIVATE KEY-----\\n{LINE}\\n", "[removed: PRIVATE KEY]"),
        ("password=hunter2, user=ada", "password=[removed], user=ada"),
        ('"secret": "hunter2"', '"secret": [removed]'),
        ("private_key: hunter2", "private_key: [removed]"),
        ("PASSWD = hunter2", "PASSWD = [removed]"),
        ("api-key=hunter2", "api-key=[removed]"),
        ("DB_PASSWORD=hunter2", "DB_PASSWORD=[removed]"),
        ("AWS_SECRET_ACCESS_KEY=hunter2", "AWS_SECRET_ACCESS_KEY=[removed]"),
        ('password="correct horse", user=ada', "password=[removed], user=ada"),
        ("passphrase: 'a, b'", "passphrase: [removed]"),
        ('password="not closed', "password=[removed] closed"),
    ],
)
def test_a_key_or_a_password_in_a_line_of_a_log_is_removed(line: str, clean: str) -> None:
    assert without_secrets(line) == clean
    assert without_secrets(clean) == clean


@pytest.mark.parametrize(
    "line",
    [
        "update() full: DER_NOSPACE(-1007): 'No space on storage target'",
        "dkey=0, akey=1, key 17 of object 281479271743488.0.0.1",
        "pool 8ce2ad72-2c6d-4927-8ce3-d41e9080d2dd, sha256 " + "0123456789abcdef" * 4,
        "cannot open /var/lib/daos/Engine0/bdev/Daos2/NVMe0/Wal1/Meta/Data",
        "crt_hg_req_send_cb() opc: 0x4010001 rank:tag 3:5 ofi+tcp;ofi_rxm://192.168.10.13:31416",
        "the_name_of_a_very_long_function_of_daos_with_many_words() failed",
    ],
)
def test_what_engines_usually_log_stays(line: str) -> None:
    assert without_secrets(line) == line


def test_what_real_tools_printed_stays() -> None:
    texts = {path: path.read_text(errors="replace") for path in ROOT.rglob("*.*") if path.is_file()}
    assert len(texts) > 500
    assert [path for path, text in texts.items() if without_secrets(text) != text] == []
