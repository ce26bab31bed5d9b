"""What jobs wait for, by what squeue prints."""

import pytest

from assay.tools.slurm.squeue import before_comma, is_in_vain

STAFF = "Job's account not permitted to use this partition (staff allows operators not ocean)"


@pytest.mark.parametrize(
    "reason",
    [
        STAFF,
        "AssocMaxNodePerJobLimit",
        "AssocGrpNodeMinutes",
        "ReqNodeNotAvail, UnavailableNodes:nid00[408,411-415]",
        "Job's QOS not permitted to use this partition (staff denies night including night)",
    ],
)
def test_what_no_waiting_brings(reason: str) -> None:
    assert is_in_vain(reason)


@pytest.mark.parametrize(
    "reason",
    ["Resources", "Priority", "None", "", "(null)", "AssocGrpNodeRunMinutes", "AssocMaxJobsLimit"],
)
def test_what_may_come(reason: str) -> None:
    assert not is_in_vain(reason)


def test_details_follow_a_comma() -> None:
    assert before_comma(STAFF) == STAFF.replace(" (", ", (")
    assert before_comma("Resources") == "Resources"
