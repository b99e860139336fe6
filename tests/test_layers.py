"""The house stands: every module imports downwards only, no two modules need each other, and no file is too long."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import gradcli

ROOT = Path(gradcli.__file__).parent
LONGEST = 280  # lines of a file

# From the ground up; a folder imports from those below it, and folders on one line know nothing of each other.
LAYERS = [
    ["source"],
    ["errors"],
    ["language"],
    ["engine"],
    ["ops"],
    ["explanation"],
    ["workers"],
    ["script"],
    ["homework", "stream"],
    ["render"],
    ["commands"],
    ["cli"],
    ["__main__", "__init__"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
FILES = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in sorted(ROOT.rglob("*.py"))}


class Import(NamedTuple):
    """One module that another needs; `deferred` if only a function or a type checker imports it."""

    module: str
    deferred: bool


def module_of(name: str) -> str | None:
    """The module behind a dotted name, as a key of FILES; None when it is not ours."""
    if name != "gradcli" and not name.startswith("gradcli."):
        return None
    inner = name.removeprefix("gradcli").removeprefix(".")
    if inner in FILES:
        return inner
    package = f"{inner}.__init__".removeprefix(".")
    return package if package in FILES else None


def imports_of(path: Path) -> Iterator[Import]:
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), False)]
    while waiting:
        node, deferred = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            deferred = True
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            deferred = True
        waiting.extend((child, deferred) for child in ast.iter_child_nodes(node))
        for name in _named(node):
            module = module_of(name)
            if module is not None:
                yield Import(module, deferred)


def _named(node: ast.AST) -> list[str]:
    """The dotted names of modules that a statement imports; a name from a module stands for that module."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        whole = [f"{node.module}.{alias.name}" for alias in node.names]
        return [name if module_of(name) else str(node.module) for name in whole]
    return []


IMPORTS = {module: set(imports_of(path)) for module, path in FILES.items()}


def layer(module: str) -> str:
    return module.partition(".")[0]


def test_every_module_stands_in_a_layer() -> None:
    assert {layer(module) for module in FILES} <= set(LEVEL)
    assert {"engine.tensor", "ops.pointwise.arithmetic", "cli", "__init__"} <= set(FILES)


@pytest.mark.parametrize("module", FILES)
def test_imports_go_down(module: str) -> None:
    own = layer(module)
    upward = {
        needed.module
        for needed in IMPORTS[module]
        if layer(needed.module) != own and LEVEL[layer(needed.module)] >= LEVEL[own]
        if needed.module != "__init__"  # the version
    }
    assert upward == set(), f"{module} imports from a layer that is not below {own}"


def test_no_modules_need_each_other() -> None:
    needs = {
        module: {needed.module for needed in imports if not needed.deferred} - {module}
        for module, imports in IMPORTS.items()
    }
    while free := [module for module, needed in needs.items() if not needed & set(needs)]:
        for module in free:
            del needs[module]
    assert needs == {}, "these modules import each other in a circle, or stand above one that does"


@pytest.mark.parametrize("module", FILES)
def test_a_file_is_one_thing(module: str) -> None:
    lines = FILES[module].read_text(encoding="utf-8").count("\n")
    assert lines <= LONGEST, f"{module} has {lines} lines: it is two things"
