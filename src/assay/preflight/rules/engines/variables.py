"""The environment variables of an engine, by name and value."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from assay.cluster.daos import Engine
from assay.cluster.releases import ByRelease, Version, since
from assay.problems import Problem

# Source: src/control/server/engine/utils.go and src/control/logging/level.go of DAOS 2.8.0; for
# engines, 2.4 and 2.6 have the same.
LEVELS = (
    *("DEBUG", "DBUG", "INFO", "NOTE", "WARN", "ERROR"),
    *("ERR", "CRIT", "ALRT", "FATAL", "EMRG", "EMIT"),
)
"""Log levels of an engine."""

SUBSYSTEMS = {
    *("DAOS", "ARRAY", "KV", "COMMON", "TREE", "VOS", "CLIENT", "SERVER", "RDB", "RSVC", "POOL"),
    *("CONTAINER", "OBJECT", "PLACEMENT", "REBUILD", "MGMT", "BIO", "TESTS", "DFS", "DUNS"),
    *("DRPC", "SECURITY", "DTX", "DFUSE", "IL", "CSUM", "STACK", "MISC", "MEM", "SWIM", "FI"),
    *("TELEM", "CRT", "RPC", "BULK", "CORPC", "GRP", "LM", "HG", "EXTERNAL", "ST", "IV", "CTL"),
}
"""The parts of an engine that can have a log level of their own."""

STREAMS = {
    *("ALL", "MD", "PL", "MGMT", "EPC", "DF", "REBUILD", "SEC", "CSUM", "GROUP_DEFAULT"),
    *("GROUP_METADATA_ONLY", "GROUP_METADATA", "ANY", "TRACE", "MEM", "NET", "IO", "TEST"),
}
"""Debug streams that DD_MASK selects."""

MOST_CHARACTERS = 1023
"""Maximum length of a log mask (`logMasksStrMaxLen`)."""

KNOWN = frozenset(
    """
    ABT_ENV_MAX_NUM_XSTREAMS ABT_MAX_NUM_XSTREAMS ABT_STACK_OVERFLOW_CHECK ABT_THREAD_STACKSIZE
    CRT_CREDIT_EP_CTX CRT_CTX_NUM CRT_CTX_SHARE_ADDR CRT_CXI_INIT_RETRY CRT_DISABLE_MEM_PIN
    CRT_ENABLE_MEM_PIN CRT_EVENT_DELAY CRT_MRC_ENABLE CRT_SECONDARY_PROVIDER CRT_TIMEOUT
    DAOS_AGENT_DRPC_DIR DAOS_BS_CLUSTER_MB DAOS_CSUM_SCRUB_DISABLED DAOS_DKEY_PUNCH_PROPAGATE
    DAOS_DMA_INIT_PCT DAOS_DPDK_LOG_LEVEL DAOS_DTX_AGG_THD_AGE DAOS_DTX_AGG_THD_CNT
    DAOS_DTX_BATCHED_ULT_MAX DAOS_DTX_RPC_HELPER_THD DAOS_EC_AGG_DISABLE DAOS_FORWARD_NEIGHBOR
    DAOS_IOV_FRAG_COUNT DAOS_IOV_FRAG_SIZE DAOS_IO_BYPASS DAOS_IO_CHORE_CREDITS
    DAOS_MAX_ASYNC_SZ DAOS_MD_CAP DAOS_MD_ON_SSD_MODE DAOS_MD_ON_SSD_NEMB_PCT
    DAOS_NEMB_EMPTY_RECYCLE_THRESHOLD DAOS_NVME_POWER_MGMT DAOS_OBJ_COLL_THD DAOS_PIPELINE
    DAOS_POOL_RF DAOS_POOL_SPACE_CACHE_INTVL DAOS_REBUILD DAOS_RPC_SIZE_LIMIT
    DAOS_SCHED_INACTIVE_MAX DAOS_SCHED_MONITOR_KILL DAOS_SCHED_PRIO_DISABLED
    DAOS_SCHED_RELAX_INTVL DAOS_SCHED_RELAX_MODE DAOS_SCHED_UNIT_RUNTIME_MAX
    DAOS_SCHED_WATCHDOG_ALL DAOS_SCM_RDMA_ENABLED DAOS_SIGNAL_REGISTER DAOS_SKIP_OLD_PARTIAL_DTX
    DAOS_SPDK_IO_TIMEOUT DAOS_SPDK_LOG_LEVEL DAOS_SPDK_MAX_UNMAP_CNT DAOS_SPDK_SUBSYS_TIMEOUT
    DAOS_START_POOLS DAOS_START_POOL_SVC DAOS_STRICT_SHUTDOWN DAOS_TARGET_OVERSUBSCRIBE
    DAOS_TX_VERIFY_RDG DAOS_VOS_AGG_GAP DAOS_VOS_AGG_THRESH DD_MASK DD_STDERR DD_SUBSYS
    D_CLIENT_METRICS_DUMP_DIR D_CLIENT_METRICS_ENABLE D_CLIENT_METRICS_RETAIN D_DOMAIN
    D_DYNAMIC_CTX D_FI_CONFIG D_IL_MAX_EQ D_IL_NO_BYPASS D_IL_REPORT D_INTERFACE D_LOG_FILE
    D_LOG_FILE_APPEND_PID D_LOG_FILE_APPEND_RANK D_LOG_FLUSH D_LOG_MASK D_LOG_SIZE
    D_LOG_STDERR_IN_LOG D_LOG_TRUNCATE D_MEM_DEVICE D_MRECV_BUF D_MRECV_BUF_COPY D_POLL_TIMEOUT
    D_POOL_WARMUP D_PORT D_PORT_AUTO_ADJUST D_POST_INCR D_POST_INIT D_PROGRESS_BUSY D_PROVIDER
    D_PROVIDER_AUTH_KEY D_QUOTA_BULKS D_QUOTA_RPCS D_THREAD_MODE_SINGLE FI_CXI_DEFAULT_CQ_SIZE
    FI_CXI_RX_MATCH_MODE FI_LOG_LEVEL FI_LOG_PROV FI_MR_CACHE_MAX_COUNT FI_MR_CACHE_MONITOR
    FI_OFI_RXM_BUFFER_SIZE FI_OFI_RXM_RX_SIZE FI_OFI_RXM_TX_SIZE FI_OFI_RXM_USE_SRX FI_TCP_IFACE
    FI_UNIVERSE_SIZE FI_VERBS_PREFER_XRC HG_LOG_LEVEL HG_LOG_SUBSYS HG_NA_LOG_LEVEL
    IO_STAT_PERIOD LD_LIBRARY_PATH LD_PRELOAD PATH PMEMOBJ_CONF PMEM_IS_PMEM_FORCE PMEM_NO_FLUSH
    RDB_AE_MAX_ENTRIES RDB_AE_MAX_SIZE RDB_COMPACT_THRESHOLD RDB_ELECTION_TIMEOUT
    RDB_LEASE_MAINTENANCE_GRACE RDB_REQUEST_TIMEOUT RDB_USE_LEASES SLINGSHOT_VNIS
    SWIM_PING_TIMEOUT SWIM_PROTOCOL_PERIOD_LEN SWIM_SUBGROUP_SIZE SWIM_SUSPECT_TIMEOUT
    SWIM_TRAFFIC_CLASS SWIM_TRAFFIC_LIMIT UCX_IB_FORK_INIT UCX_LOG_LEVEL UCX_NET_DEVICES UCX_TLS
    VOS_AGG_CREDITS_THRESH
    """.split()  # noqa: SIM905 one name a line would be three screens
)
"""Variables that DAOS and its libraries read.

Source: docs/admin/env_variables.md of DAOS 2.8.0 and the calls of d_getenv and crt_env in its src;
libfabric's fi_rxm(7) and fi_cxi(7); PMDK's libpmemobj(7)."""

_UINT = (0, 2**32 - 1)

CRT_TIMEOUT_MAX_S = 3600
"""`CRT_TIMEOUT_MAX` in src/cart/crt_internal.h; DAOS takes it in the place of what is above."""

NUMBERS = {
    **dict.fromkeys(
        """
        ABT_ENV_MAX_NUM_XSTREAMS ABT_MAX_NUM_XSTREAMS CRT_CREDIT_EP_CTX CRT_CTX_NUM
        CRT_EVENT_DELAY CRT_SECONDARY_PROVIDER DAOS_DTX_BATCHED_ULT_MAX DAOS_MAX_ASYNC_SZ
        DAOS_MD_ON_SSD_NEMB_PCT DAOS_NEMB_EMPTY_RECYCLE_THRESHOLD DAOS_NVME_POWER_MGMT
        DAOS_OBJ_COLL_THD DAOS_POOL_SPACE_CACHE_INTVL DAOS_RPC_SIZE_LIMIT DAOS_SCHED_INACTIVE_MAX
        DAOS_SCHED_UNIT_RUNTIME_MAX DAOS_SPDK_MAX_UNMAP_CNT DAOS_SPDK_SUBSYS_TIMEOUT
        DAOS_VOS_AGG_GAP DAOS_VOS_AGG_THRESH D_MRECV_BUF D_POLL_TIMEOUT D_PORT_AUTO_ADJUST
        D_POST_INCR D_POST_INIT D_QUOTA_BULKS D_QUOTA_RPCS FI_UNIVERSE_SIZE RDB_AE_MAX_ENTRIES
        RDB_AE_MAX_SIZE RDB_COMPACT_THRESHOLD RDB_ELECTION_TIMEOUT RDB_LEASE_MAINTENANCE_GRACE
        RDB_REQUEST_TIMEOUT SWIM_SUBGROUP_SIZE D_LOG_STDERR_IN_LOG
        """.split(),  # noqa: SIM905 one name a line would be a screen
        _UINT,
    ),
    "CRT_TIMEOUT": (0, CRT_TIMEOUT_MAX_S),
    "DAOS_BS_CLUSTER_MB": (32, 1024),
    "DAOS_DMA_INIT_PCT": (1, 99),
    "DAOS_DPDK_LOG_LEVEL": (1, 8),
    "DAOS_DTX_AGG_THD_AGE": (210, 1830),
    "DAOS_DTX_AGG_THD_CNT": (2**20, 2**24),
    "DAOS_DTX_RPC_HELPER_THD": (18, 2**31 - 1),
    "DAOS_IO_CHORE_CREDITS": (1024, 2**32 - 1),
    "DAOS_MD_CAP": (1, 2**31 - 1),
    "DAOS_MD_ON_SSD_MODE": (1, 3),
    "DAOS_POOL_RF": (0, 4),
    "DAOS_SCHED_RELAX_INTVL": (1, 100),
    "DAOS_SPDK_IO_TIMEOUT": (30, 300),
    "DAOS_SPDK_LOG_LEVEL": (0, 4),
    "FI_MR_CACHE_MAX_COUNT": (0, 2**64 - 1),
    "FI_OFI_RXM_USE_SRX": (0, 1),
    "SWIM_PING_TIMEOUT": (1, 2**32 - 1),
    "SWIM_PROTOCOL_PERIOD_LEN": (1, 2**32 - 1),
    "SWIM_SUSPECT_TIMEOUT": (1, 2**32 - 1),
}
"""Variables that are whole numbers, and their limits; an engine ignores other values.

Source: docs/admin/env_variables.md of 2.8.0, the calls of d_getenv_uint in its src/engine, src/bio,
src/rdb and src/vos, and CRT_ENV_LIST in src/cart/crt_internal_types.h."""

WORDS = {"DAOS_SCHED_RELAX_MODE": ("sleep", "net", "disabled")}
"""Variables with a fixed set of words, in upper or lower case (`sched_relax_str2mode`)."""

_SIZE = re.compile(r"[0-9]+[kmgKMG]?")
"""A size for `d_getenv_size` in src/gurt/dlog.c, which ignores the rest of the text."""

STACKS: ByRelease[dict[str, int]] = ByRelease(
    {
        "2.4": {},
        "2.6": {"dcpm": 20480, "ucx": 32768},
        "2.8": {"dcpm": 20480, "md_on_ssd": 24576, "ucx": 32768},
    }
)
"""Minimum of ABT_THREAD_STACKSIZE, bytes (src/control/server/engine/config.go)."""

KEYS = {
    "CRT_PHY_ADDR_STR": "provider",
    "OFI_INTERFACE": "fabric_iface",
    "OFI_PORT": "fabric_iface_port",
    "D_PROVIDER": "provider",
    "D_INTERFACE": "fabric_iface",
    "D_PORT": "fabric_iface_port",
    "D_LOG_FILE": "log_file",
}
"""Variables that DAOS sets from a key of the engine; 2.4 uses the first three instead of the next
three."""


def values_of_variables(
    name: str, where: str, engine: Engine, version: Version, provider: str | None
) -> Iterator[Problem]:
    """Require variables that exist, with values that DAOS accepts.

    Args:
        name: the host's name.
        where: the key of the variables.
        engine: the engine that has them.
        version: the release that is deployed.
        provider: the provider of the system, if it is known.
    """
    for entry in engine.env_vars:
        variable, is_set, value = entry.partition("=")
        if not is_set:
            continue  # other rules report it
        if variable.isidentifier():
            yield from _names(name, where, variable, entry)
        if allowed := not_a_value(variable, value):
            yield Problem(name, where, entry, allowed)
    yield from _stack(name, where, engine, version, provider)
    if version in since("2.6"):
        yield from _pmemobj(name, where, engine)


def _names(name: str, where: str, variable: str, entry: str) -> Iterator[Problem]:
    if variable in KEYS:
        yield Problem(
            name,
            where,
            entry,
            f"should be left out: DAOS sets {variable} from the engine's {KEYS[variable]}",
            severity="warning",
        )
    elif variable == "FI_PROVIDER":
        yield Problem(
            name,
            where,
            entry,
            "should be left out: libfabric then offers these providers alone (fabric(7)), and the"
            " engine asks for its own (provider)",
            severity="warning",
        )
    elif near := nearest(variable):
        yield Problem(
            name,
            where,
            entry,
            f"should be a variable that DAOS knows (did you mean {near}?): an unknown one is"
            " ignored",
            severity="warning",
        )


def nearest(variable: str) -> str | None:
    """The known variable that is most like an unknown one; None if none is."""
    near = difflib.get_close_matches(variable.upper(), KNOWN, n=1, cutoff=0.8)
    return near[0] if near and variable not in KNOWN else None


def not_a_value(variable: str, value: str) -> str | None:
    """The allowed values of a variable if it has another, otherwise None."""
    if variable == "D_LOG_MASK" and value and not is_mask(value):
        return MASK
    if variable == "DD_MASK" and value and not _are_names(value, STREAMS):
        return (
            f"should be ALL, or some of {', '.join(sorted(STREAMS - {'ALL'}))}, separated by commas"
        )
    if variable == "DD_SUBSYS" and value and not _are_names(value, SUBSYSTEMS | {"ALL"}):
        return f"should be ALL, or some of {', '.join(sorted(SUBSYSTEMS))}, separated by commas"
    if variable in NUMBERS:
        low, high = NUMBERS[variable]
        if not value.isdecimal() or not low <= int(value) <= high:
            return f"should be a whole number of {low} to {high}"
    if variable in WORDS and value.lower() not in WORDS[variable]:
        return f"should be one of {', '.join(WORDS[variable])}"
    if variable == "D_LOG_SIZE" and _SIZE.fullmatch(value) is None:
        return "should be a number of bytes, with or without k, m, g, K, M or G, such as 100M"
    return None


def _are_names(value: str, names: set[str]) -> bool:
    words = value.upper().split(",")
    return set(words) <= names and ("ALL" not in words or words == ["ALL"])


def _stack(
    name: str, where: str, engine: Engine, version: Version, provider: str | None
) -> Iterator[Problem]:
    value = engine.env("ABT_THREAD_STACKSIZE")
    if value is None:
        return
    scm, least_of = engine.scm_tier, STACKS[version]
    is_ucx = (engine.provider or provider or "").startswith("ucx+")
    reasons = {
        "class dcpm": least_of.get("dcpm", 0) * (scm is not None and scm.class_ == "dcpm"),
        "metadata on SSDs": least_of.get("md_on_ssd", 0) * engine.has_md_on_ssd,
        "UCX": least_of.get("ucx", 0) * is_ucx,
    }
    why, least = max(reasons.items(), key=lambda reason: reason[1])
    if not value.isdigit() or int(value) < least:
        limit = f" of at least {least}, for {why}" if least else ""
        yield Problem(
            name,
            where,
            f"ABT_THREAD_STACKSIZE={value}",
            f"should be a whole number of bytes{limit}",
        )


def _pmemobj(name: str, where: str, engine: Engine) -> Iterator[Problem]:
    value, scm = engine.env("PMEMOBJ_CONF"), engine.scm_tier
    if value is None or scm is None:
        return
    if scm.class_ == "dcpm" and "sds.at_create" in value:
        yield Problem(
            name,
            where,
            f"PMEMOBJ_CONF={value}",
            "should not have sds.at_create: with dcpm, DAOS relies on PMDK's record of shutdowns",
        )
    elif scm.class_ == "ram" and "sds.at_create=1" in value:
        yield Problem(
            name,
            where,
            f"PMEMOBJ_CONF={value}",
            "should have sds.at_create=0, or no sds.at_create: a tmpfs has no record of shutdowns",
        )


MASK = f"should be one of {', '.join(LEVELS)}; for subsystems as in ERR,RPC=DEBUG"


def is_mask(mask: str) -> bool:
    """Whether a mask is `LEVEL`, `PREFIX=LEVEL`, or a list of them: `LEVEL,PREFIX=LEVEL`."""
    first, *others = mask.split(",")
    parts = [first if "=" in first else f"DAOS={first}", *others]
    return len(mask) <= MOST_CHARACTERS and all(
        subsystem.upper() in SUBSYSTEMS and level.upper() in LEVELS
        for subsystem, _, level in (part.partition("=") for part in parts)
    )
