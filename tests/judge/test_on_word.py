"""What only the site's word judges is named; sheets and figures are made up."""

from __future__ import annotations

from typing import Any

from test_coverage import LEVELS, signed_of, storage_site

from assay.cluster.hardware import shipped
from assay.judge.signoff import SignOff
from clusters import SSD, described

NEW = "Made Up 7.68TB"


def with_own(**settings: Any) -> SignOff:
    return signed_of(described(storage_site() | settings), LEVELS[SSD])


def test_a_sheet_of_a_device_that_nobody_else_knows_is_named_in_the_first_line() -> None:
    """Half of the true figures, as an announcement, would accept SSDs at half of them."""
    half = shipped().ssd[SSD].model_dump(mode="json", exclude_none=True)
    half |= {"models": [], "announced": True, "read_bandwidth": "3500 MB/s"}
    document = storage_site() | {"hardware": {"ssd": {NEW: half}}}
    for host in document["hosts"].values():
        host["datasheets"]["ssd"] = NEW
    signed = signed_of(described(document), LEVELS[SSD])
    assert f"; on the site's word alone: the site's sheet of {NEW}" in signed.headline


def test_a_sheet_that_no_host_names_is_not() -> None:
    signed = with_own(hardware={"ssd": {NEW: {"source": "made up"}}})
    assert "word" not in signed.headline


def test_a_commitment_where_no_reference_is_named_too() -> None:
    promise = {"metric": "NvmeIops.latency_4k", "figure": "200 us", "clause": "made up"}
    signed = with_own(commitments=[promise])
    assert "; on the site's word alone: the commitment to 200 us (made up)" in signed.headline
    stricter = with_own(floors={"IorEasy.write": 0.6})
    assert "word" not in stricter.headline
