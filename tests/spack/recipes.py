"""Spack's recipes of spack-env, imported without Spack: what they declare is recorded."""

import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).parents[2] / "spack-env" / "spack_repo" / "assay"


@dataclass
class Directive:
    """One call of a directive: its word, its argument, where it holds, and what else it says."""

    word: str
    argument: str
    when: tuple[str, ...]
    keywords: dict


@dataclass
class Recipe:
    """What a recipe declares itself, without what it inherits from the builtin one."""

    name: str
    doc: str
    directives: list[Directive] = field(default_factory=list)

    def of(self, word: str) -> list[Directive]:
        """Return the calls of one directive."""
        return [directive for directive in self.directives if directive.word == word]

    @property
    def versions(self) -> dict[str, dict]:
        """Versions, each with where its sources come from."""
        return {directive.argument: directive.keywords for directive in self.of("version")}

    @property
    def variants(self) -> dict[str, dict]:
        """Variants, each with its default and description."""
        return {directive.argument: directive.keywords for directive in self.of("variant")}

    def patches(self, version: str) -> set[str]:
        """Return the checksums of the patches that `version` gets."""
        return {
            patch.keywords["sha256"]
            for patch in self.of("patch")
            if all(holds(condition, version) for condition in patch.when)
        }


def in_ranges(version: str, ranges: str) -> bool:
    """Whether `version` is in Spack's `ranges`, such as `2.8`, `1.32:1` or `22.01.2,26.01`."""
    digits = [int(part) for part in version.split(".")]
    for one in ranges.split(","):
        low, colon, high = one.partition(":")
        lower = [int(part) for part in low.split(".")] if low else []
        upper = [int(part) for part in (high if colon else low).split(".") if part]
        if digits >= lower and digits[: len(upper)] <= upper:
            return True
    return False


def holds(condition: str, version: str) -> bool:
    """Whether `condition` may hold for `version`; what it says of variants is left open."""
    head = condition.split("+")[0].split("~")[0].split()
    return not (head and head[0].startswith("@")) or in_ranges(version, head[0][1:])


class _StandIn(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module below `spack` and `spack_repo` and makes it up."""

    def __init__(self, record: list[Directive]) -> None:
        self.record = record
        self.conditions: list[str] = []

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"spack", "spack_repo"}:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return types.ModuleType(spec.name)

    def exec_module(self, module):
        if module.__name__ == "spack.package":
            for word in ("version", "variant", "depends_on", "conflicts", "patch", "resource"):
                setattr(module, word, self.directive(word))
            module.license = module.maintainers = lambda *names: None
            module.when = self.when
            module.run_after = module.run_before = lambda phase: lambda function: function
            module.EnvironmentModifications = object
        else:  # a builtin recipe or a build system: some class to inherit from
            module.__getattr__ = lambda name: type(name, (), {})

    def directive(self, word):
        def note(argument=None, when=None, **keywords):
            conditions = (*self.conditions, when) if when else tuple(self.conditions)
            # A resource has its name as a keyword.
            self.record.append(Directive(word, argument or keywords["name"], conditions, keywords))

        return note

    @contextlib.contextmanager
    def when(self, condition) -> Iterator[None]:
        self.conditions.append(condition)
        yield
        self.conditions.pop()


def load(folder: str) -> Recipe:
    """Import the recipe of `folder`, and return what it declares."""
    record: list[Directive] = []
    finder = _StandIn(record)
    modules = dict(sys.modules)
    sys.meta_path.insert(0, finder)
    try:
        path = REPOSITORY / "packages" / folder / "package.py"
        spec = importlib.util.spec_from_file_location(f"recipe_{folder}", path)
        module = importlib.util.module_from_spec(spec)
        # A star import takes what the module lists; Python itself has the rest.
        spec.loader.exec_module(module)
    finally:
        sys.meta_path.remove(finder)
        for name in sys.modules.keys() - modules.keys():
            if name.split(".")[0] in {"spack", "spack_repo"}:
                del sys.modules[name]
    cls = getattr(module, "".join(word.capitalize() for word in folder.split("_")))
    return Recipe(folder.replace("_", "-"), cls.__doc__ or "", record)


RECIPES = {
    recipe.name: recipe
    for recipe in (load(path.parent.name) for path in REPOSITORY.glob("packages/*/package.py"))
}
"""All recipes, by the names that specs use."""
