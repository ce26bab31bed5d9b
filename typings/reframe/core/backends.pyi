from collections.abc import Callable
from typing import TypeVar

from reframe.core.launchers import JobLauncher
from reframe.core.schedulers import JobScheduler

_Scheduler = TypeVar("_Scheduler", bound=type[JobScheduler])

def getlauncher(name: str) -> Callable[[], JobLauncher]: ...
def register_scheduler(name: str) -> Callable[[_Scheduler], _Scheduler]: ...
