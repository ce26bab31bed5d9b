from reframe.core.launchers import JobLauncher

class Job:
    jobid: str
    state: str
    is_cancelling: bool
    workdir: str
    _nodespec: str | None
    launcher: JobLauncher
    options: list[str]

class JobScheduler:
    registered_name: str
    def cancel(self, job: Job) -> None: ...
    def log(self, message: str) -> None: ...
