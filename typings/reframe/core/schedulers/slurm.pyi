from reframe.core.schedulers import JobScheduler

class SqueueJobScheduler(JobScheduler):
    _squeue: str
    def __init__(self) -> None: ...
