from typing import Any

from reframe.core.schedulers import JobScheduler

class SystemPartition:
    @property
    def name(self) -> str: ...
    @property
    def extras(self) -> dict[str, Any]: ...
    @property
    def scheduler(self) -> JobScheduler: ...
