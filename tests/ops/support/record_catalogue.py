"""Writes where each operation is declared: `python -m tests.ops.support.record_catalogue`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from textwrap import fill

import gradcli.ops
from gradcli.ops.support import catalogue
from gradcli.ops.support.surface import OPERATIONS

HEAD = '''"""Where each operation is declared, so that a program loads the families that it uses and no others.

Start-up is what users feel: all families take longer to import than most programs take to run. Written from the
declarations by `python -m tests.ops.support.record_catalogue`.
"""

from __future__ import annotations

FAMILIES = {
'''
FOOT = "}\nFAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names.split()}\n"


def lines() -> str:
    """The module, from what every module of the operations declares."""
    for module in walk_packages(gradcli.ops.__path__, "gradcli.ops."):
        import_module(module.name)
    declared: dict[str, list[str]] = {}
    for name, operation in OPERATIONS._declared.items():
        family = operation.function.__module__.removeprefix("gradcli.ops.")
        declared.setdefault(family, []).append(name)
    return "".join(entry(family, sorted(names)) for family, names in sorted(declared.items()))


def entry(family: str, names: list[str]) -> str:
    """A line of the table, or several in brackets."""
    one = f'    "{family}": "{" ".join(names)}",\n'
    if len(one) <= 121:
        return one
    whole = " ".join(names)
    rows = [whole] if len(whole) <= 110 else fill(whole, 109).split("\n")
    parts = [f'        "{row} "\n' for row in rows[:-1]]
    return f'    "{family}": (\n' + "".join(parts) + f'        "{rows[-1]}"\n    ),\n'


def text() -> str:
    return HEAD + lines() + FOOT


if __name__ == "__main__":
    Path(catalogue.__file__).write_text(text(), encoding="utf-8")
