"""Changes of a module in one place, each of which gives it another meaning."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Function = tuple[str, int]
"""A module, relative to `src`, and the line in which a function of it begins."""

OPPOSITE: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.Gt: ast.GtE,
    ast.Eq: ast.NotEq,
    ast.In: ast.NotIn,
    ast.Is: ast.IsNot,
    ast.And: ast.Or,
    ast.Add: ast.Sub,
    ast.Mult: ast.Div,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}
OPPOSITE |= {new: old for old, new in OPPOSITE.items() if new not in OPPOSITE}

NOT_TESTED = ("TYPE_CHECKING", "__name__ == '__main__'")
"""Conditions of what no test runs: imports for mypy, and a module that runs as a program, which is
started with -I, from its installation."""


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    module: Path
    """Relative to `src`."""
    line: int
    function: int
    """The line in which the function begins that it is in; 0 if it is in none."""
    before: str
    after: str
    text: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.before}  →  {self.after}"


def changed(node: ast.AST) -> ast.AST | None:
    """The node with another meaning; None if it cannot be changed."""
    node = copy.deepcopy(node)
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in OPPOSITE:
            node.ops = [OPPOSITE[type(operator)]()]  # type: ignore[list-item]
        case ast.BoolOp() | ast.BinOp() if type(node.op) in OPPOSITE:
            node.op = OPPOSITE[type(node.op)]()  # type: ignore[assignment]
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            return operand
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.Constant(value=float(value)):
            node.value = value * 1.1 or 0.1
        case ast.If() | ast.IfExp() if not isinstance(node.test, ast.Constant):
            node.test = ast.Constant(False)
        case _:
            return None
    return node


def places(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Each node that may be changed."""
    for field, value in ast.iter_fields(tree):
        # Annotations are not executed.
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_left_out(child):
                if isinstance(child, ast.expr | ast.stmt):
                    yield child
                yield from places(child)


def _is_left_out(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in NOT_TESTED
    if isinstance(node, ast.keyword):
        return node.arg in ("frozen", "strict")  # which only refuse misuse
    return isinstance(node, ast.Assert)


@dataclass
class _Replace(ast.NodeTransformer):
    old: ast.AST
    new: ast.AST

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def mutants(source: Path, module: Path) -> Iterator[Mutant]:
    """Every mutant of a module."""
    tree = ast.parse((source / module).read_text())
    functions = list(_functions(tree))
    for node in list(places(tree)):
        other = changed(node)
        if other is None:
            continue
        text = ast.unparse(_Replace(node, other).visit(tree))
        _Replace(other, node).visit(tree)
        before, after = (ast.unparse(part).partition("\n")[0] for part in (node, other))
        function = max((f.start for f in functions if node.lineno in f), default=0)
        yield Mutant(module, node.lineno, function, before, after, text)


def _functions(tree: ast.AST) -> Iterator[range]:
    """The lines of each function, as its code object has them: from its first decorator."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield range(first, (node.end_lineno or first) + 1)
