"""The tables of places name every layer, optimizer and schedule under the file that makes it."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
from typing import Any

import pytest

from gradcli.script.originals import torch_names
from gradcli.script.torch.nn.module import LAYERS
from gradcli.script.torch.optim.module import OPTIMIZERS, SCHEDULERS
from gradcli.script.torch.places import Places

ROOMS = ["base", "layers", "layers.images"]
TABLES = [
    ("torch.nn", LAYERS, [f"gradcli.script.torch.nn.{room}" for room in ROOMS]),
    ("torch.optim", OPTIMIZERS, ["gradcli.script.torch.optim"]),
    ("torch.optim.lr_scheduler", SCHEDULERS, ["gradcli.script.torch.optim"]),
]


def made(file: Any, known: frozenset[str]) -> list[str]:
    """The classes of torch's names that a file makes, but for those that it imports."""
    imports = [node for node in ast.walk(ast.parse(inspect.getsource(file))) if isinstance(node, ast.ImportFrom)]
    imported = {alias.name for node in imports for alias in node.names}
    names = {*vars(file), *getattr(file, "LAYERS", ())} & known - imported
    return sorted(name for name in names if getattr(getattr(file, name), "__module__", "").startswith("torch."))


@pytest.mark.parametrize(("module", "table", "packages"), TABLES)
def test_a_table_names_what_the_files_make(module: str, table: Places, packages: list[str]) -> None:
    known = torch_names()[module] - {"Parameter"}
    if module.endswith("lr_scheduler"):
        known = known - {"Optimizer"} | {"_LRScheduler"}
    paths = [f"{package}.{file.name}" for package in packages for file in _files(package)]
    declared = {path: made(importlib.import_module(path), known) for path in paths}
    listed = {path: sorted(name for name, place in table.place_of.items() if place == path) for path in paths}
    wrong = {path: " ".join(names) for path, names in declared.items() if names != listed[path]}
    assert not wrong, f"write in the table of {module}: {json.dumps(wrong, indent=4)}"
    assert sum(map(len, declared.values())) == len(table)


def _files(package: str) -> list[Any]:
    found = pkgutil.iter_modules(importlib.import_module(package).__path__)
    return [file for file in found if not file.ispkg and file.name != "module"]


def test_a_member_is_imported_when_it_is_asked_for() -> None:
    assert OPTIMIZERS["SGD"].__name__ == "SGD"
    assert OPTIMIZERS.get("SGDD") is None
