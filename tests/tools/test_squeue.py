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
        # Posted by sites of Slurm 17 to 24.
        "ReqNodeNotAvail, Reserved for maintenance",
        "ReqNodeNotAvail(Unavailable:nid000[03-05])",
        "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority"
        " partitions",
        "(Job's account not permitted to use this partition, (gpu allows hpc not ocean))",
        "launch failed requeued held",
        *("JobHeldAdmin", "JobHeldUser", "NodeDown", "PartitionDown", "AccountingPolicy"),
        *("QOSMinCpuNotSatisfied", "QOSMinGRES", "QOSMaxGRESPerJob", "QOSMaxMemoryPerJob"),
        *("QOSMaxNodePerUserLimit", "MaxMemPerLimit"),
        # Further names that Slurm gives what one job exceeds by itself, or what is used up.
        *("AssocMaxMemPerJob", "AssocMaxMemPerNode", "AssocMaxCpuPerNode", "QOSMaxMemoryPerNode"),
        *("AssocMaxBillingPerJob", "AssocMaxCpuMinutesPerJobLimit", "AssocGrpWallLimit"),
        *("QOSGrpCPUMinutesLimit", "AssocGrpMemMinutes", "QOSGrpMemoryMinutes", "QOSMinNode"),
        *("QOSMinMemory", "QOSMinBilling", "AssociationTimeLimit", "QOSTimeLimit"),
        *("JobHoldMaxRequeue", "ReservationInvalid", "DependencyNeverSatisfied"),
    ],
)
def test_what_no_waiting_brings(reason: str) -> None:
    assert is_in_vain(reason)


@pytest.mark.parametrize(
    "reason",
    [
        *("Resources", "Priority", "None", "", "(null)", "()", "BeginTime", "Licenses"),
        *("AssocGrpNodeRunMinutes", "AssocMaxJobsLimit", "QOSMaxJobsPerUserLimit"),
        *("QOSGrpCpuLimit", "QOSMaxBillingPerUser", "Reservation"),
        *("AssocGrpMemRunMinutes", "QOSGrpCPURunMinutesLimit", "AssocGrpGRES", "MaxCpuPerAccount"),
        *("MaxCpuRunMinsPerUser", "MaxPoweredUpNodes", "MpiPortsBusy", "Prolog", "Cleaning"),
        "ReqNodeNotAvail, May be reserved for other job",
        "ReqNodeNotAvail, UnavailableNodes:",
    ],
)
def test_what_may_come(reason: str) -> None:
    assert not is_in_vain(reason)


def test_details_follow_a_comma() -> None:
    assert before_comma(STAFF) == STAFF.replace(" (", ", (")
    assert before_comma("Resources") == "Resources"
