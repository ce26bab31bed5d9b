from reframe.core.launchers import JobLauncher

class Job:
    launcher: JobLauncher

class JobScheduler:
    registered_name: str
