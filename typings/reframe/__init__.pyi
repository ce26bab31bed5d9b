"""What our checks use of ReFrame, which comes without types."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from reframe.core.schedulers import Job
from reframe.core.systems import SystemPartition

_Test = TypeVar("_Test", bound=type[RegressionTestPlugin])

class RegressionTestPlugin: ...

class RunOnlyRegressionTest(RegressionTestPlugin):
    valid_systems: list[str]
    valid_prog_environs: list[str]
    descr: str
    tags: set[str]
    keep_files: list[str]
    executable: str
    executable_opts: list[str]
    num_tasks: int
    num_tasks_per_node: int | None
    num_cpus_per_task: int | None
    time_limit: str | int | None
    max_pending_time: str | int | None
    require_reference: bool
    perf_variables: dict[str, Callable[[], Any]]
    reference: Mapping[str, Mapping[str, tuple[float, float | None, float | None, str]]]

    @property
    def current_partition(self) -> SystemPartition: ...
    @property
    def job(self) -> Job: ...
    @property
    def stagedir(self) -> str: ...
    def is_dry_run(self) -> bool: ...
    def skip(self, msg: str | None = None) -> None: ...

def simple_test(cls: _Test) -> _Test: ...
