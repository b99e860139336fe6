"""Writes where each operation is declared: `python -m tests.ops.support.record_catalogue`."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

import gradcli.ops
from gradcli.language.catalogue import FILE
from gradcli.ops.support.surface import OPERATIONS


def text() -> str:
    """A line for each family, from what every module of the operations declares."""
    for module in walk_packages(gradcli.ops.__path__, "gradcli.ops."):
        import_module(module.name)
    declared: dict[str, list[str]] = {}
    for name, operation in OPERATIONS._declared.items():
        family = operation.function.__module__.removeprefix("gradcli.ops.")
        declared.setdefault(family, []).append(name)
    return "".join(f"{family}: {' '.join(sorted(names))}\n" for family, names in sorted(declared.items()))


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
