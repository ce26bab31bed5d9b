"""The checks of how clients are set up: where their processes run, and what carries them."""

from assay.plan.entry import Check, rates
from assay.plan.subjects import each_host

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
)
