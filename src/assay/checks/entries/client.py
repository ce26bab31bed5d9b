"""The checks of how clients are set up: where their processes run, and what carries them."""

from assay.checks.entry import Check, rates
from assay.checks.subjects import each_cached_backend, each_host

_LADDER = ("naive", "files", "shifted", "synced", "squeezed", "direct")

CLIENT = (
    Check(
        "ClientPlacement",
        "client",
        "raw",
        ("client",),
        each_host,
        rates("process", "bound_processes"),
    ),
    Check(
        "ClientInterfaces",
        "client",
        "system",
        ("client", "daos"),
        each_host,
        rates("process", "near_processes"),
    ),
    Check(
        "PageCacheHonesty",
        "client",
        "system",
        ("client", "ior", "page_cache"),
        each_cached_backend,
        rates("MiB/s", *(f"{rung}_{access}" for rung in _LADDER for access in ("write", "read"))),
    ),
)
