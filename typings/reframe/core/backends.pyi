from collections.abc import Callable

from reframe.core.launchers import JobLauncher

def getlauncher(name: str) -> Callable[[], JobLauncher]: ...
