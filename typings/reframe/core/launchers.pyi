class JobLauncher:
    options: list[str]
    registered_name: str
