"""The house stands: imports go down and never round, tests stand where their module does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import gradcli

ROOT = Path(gradcli.__file__).parent
TESTS = Path(__file__).parent
WITHOUT_A_ROOM = {  # folders of tests alone
    *("benchmarks", "commands.samples", "commands.served", "commands.streams", "commands.walls", "corpus"),
    *("docs", "faults", "fuzz", "goldens", "homework.klass"),
}

# From the ground up; a folder imports from those below it, and folders on one line know nothing of each other.
LAYERS = [
    ["facts", "source"],
    ["errors"],
    ["dialects", "guard"],
    ["language"],
    ["engine"],
    ["ops"],
    ["explanation"],
    ["workers"],
    ["script"],
    ["findings"],
    ["homework", "live", "stream"],
    ["render"],
    ["commands"],
    ["cli"],
    ["engines"],
    ["notebook"],
    ["library"],
    ["dask", "spark"],
    ["__main__", "__init__"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
FILES = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def trees() -> dict[str, ast.Module]:
    return {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in FILES.items()}


@cache
def nodes() -> dict[str, list[ast.AST]]:
    return {module: [*ast.walk(tree)] for module, tree in trees().items()}


def module_of(name: str) -> str | None:
    """The module behind a dotted name, as a key of FILES; None when it is not ours."""
    if name != "gradcli" and not name.startswith("gradcli."):
        return None
    inner = name.removeprefix("gradcli").removeprefix(".")
    if inner in FILES:
        return inner
    package = f"{inner}.__init__".removeprefix(".")
    return package if package in FILES else None


def needs(module: str) -> Iterator[str]:
    """The modules that a file imports anywhere, those that it names in full in strings included."""
    for node in nodes()[module]:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if module_of(name) else str(node.module) for name in whole]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value] if "." in node.value.strip(".") else []  # a prefix, `gradcli.`, names no module
        else:
            continue
        yield from filter(None, map(module_of, names))


@cache
def graph() -> dict[str, set[str]]:
    return {module: set(needs(module)) - {module} for module in FILES}


def layer(module: str) -> str:
    return module.partition(".")[0]


def test_every_module_stands_in_a_layer() -> None:
    assert {layer(module) for module in FILES} <= set(LEVEL)
    assert {"engine.tensor", "ops.pointwise.arithmetic", "cli", "__init__"} <= set(FILES)
    assert "script.torch.module" in graph()["script.library"], "a table of names counts"


def test_imports_go_down() -> None:
    upward = [
        f"{module} imports {needed}"
        for module, all_needed in graph().items()
        for needed in sorted(all_needed - {"__init__"})  # the version
        if layer(needed) != layer(module) and LEVEL[layer(needed)] >= LEVEL[layer(module)]
    ]
    assert not upward, "\n".join(upward)


def reached(start: str) -> set[str]:
    """The modules that a module needs, directly or through others."""
    found, waiting = set[str](), [start]
    while waiting:
        new = graph()[waiting.pop()] - found
        found |= new
        waiting.extend(new)
    return found


def test_no_modules_need_each_other() -> None:
    """Neither by an import in a function nor for a type checker."""
    beyond = {module: reached(module) for module in FILES}
    circles = [
        f"{module} imports {needed}"
        for module, all_needed in graph().items()
        for needed in sorted(all_needed)
        if module in beyond[needed]
    ]
    assert not circles, "\n".join(["these are parts of circles:", *circles])


def rooms() -> dict[str, list[str]]:
    """The modules of each folder by their last name."""
    found: dict[str, list[str]] = {}
    for module in FILES:
        folder, _, name = module.rpartition(".")
        found.setdefault(folder, []).append(name)
    return found


def test_a_room_says_what_lives_there() -> None:
    silent = [folder for folder, names in rooms().items() if "__init__" not in names]
    for module, tree in trees().items():
        if module.endswith(".__init__"):
            lines = (ast.get_docstring(tree) or "").splitlines()
            if not 1 <= len(lines) <= 3:
                silent.append(module)
    assert silent == [], "a docstring of two lines, and perhaps an empty one between them"


def dotted(node: ast.AST, imported: dict[str, str]) -> str:
    """The full name of what an expression such as `Tensor` or `tensor.Tensor` stands for."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value, imported)}.{node.attr}"
    return imported.get(node.id, "") if isinstance(node, ast.Name) else ""


def patches(module: str, classes: set[str]) -> Iterator[str]:
    """The statements that give an attribute to a class of another module."""
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in nodes()[module]
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in nodes()[module]:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr"):
            changed: list[ast.AST] = [node.args[0]]
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            changed = [node.value]
        else:
            continue
        if any(dotted(one, imported) in classes for one in changed):
            yield ast.unparse(node)


def test_no_module_changes_a_class_of_another() -> None:
    classes = {
        f"gradcli.{module}.{node.name}"
        for module, tree in trees().items()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    found = {module: list(patches(module, classes)) for module in FILES}
    assert {module: statements for module, statements in found.items() if statements} == {}


def test_tests_stand_in_the_room_of_what_they_test() -> None:
    """A test named after the one module of that name in its layer stands beside it; any other is a test of its room."""
    places: dict[tuple[str, str], set[str]] = {}
    for folder, names in rooms().items():
        for name in names:
            places.setdefault((layer(folder), name), set()).add(folder)
        outer, _, name = folder.rpartition(".")
        places.setdefault((layer(folder), name), set()).update({folder, outer})
    elsewhere = []
    for path in sorted(TESTS.rglob("test_*.py")):
        folder = ".".join(path.relative_to(TESTS).parent.parts)
        homes = places.get((layer(folder), path.stem.removeprefix("test_")), set())
        if folder not in WITHOUT_A_ROOM and (folder not in rooms() or (len(homes) == 1 and folder not in homes)):
            elsewhere.append(f"{path.relative_to(TESTS)}: {', '.join(homes) or 'no such room'}")
    assert elsewhere == []
