class JobLauncher:
    options: list[str]
