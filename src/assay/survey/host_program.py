"""The program that prints the facts of a host that does not have `assay`, for `assay check`."""

from __future__ import annotations

import inspect

from assay.tools.host import host_setup, probe, sysfs

_PROGRAM = """import json, sys, types
from pathlib import Path
host = sys.modules["assay.tools.host"] = types.ModuleType("assay.tools.host")
for name, source in {modules!r}.items():
    module = types.ModuleType("assay.tools.host." + name)
    module.__package__ = "assay.tools.host"
    sys.modules[module.__name__] = module
    setattr(host, name, module)
    exec(source, vars(module))
facts = host.probe.look(Path("/"), "/", "", [])["host"]
facts["setup"] = host.host_setup.read_setup(Path("/"), "/usr", {{}})
print(json.dumps(facts))
"""


def program() -> str:
    """The modules that read a host, and what prints their answers, as one program."""
    modules = {
        each.__name__.rpartition(".")[2]: inspect.getsource(each)
        for each in (sysfs, host_setup, probe)
    }
    return _PROGRAM.format(modules=modules)
