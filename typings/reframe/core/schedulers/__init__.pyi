from reframe.core.launchers import JobLauncher

class Job:
    launcher: JobLauncher
    options: list[str]

class JobScheduler:
    registered_name: str
