"""Rows of ratios, and the table as a terminal and as a README show it."""

from __future__ import annotations

import math
import os
import platform
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Table

# Columns by the module that must be there; `baseline` is what the last column names.
ALL_CORES = "torch, all cores"
MODULES = {
    "torch": "torch",
    ALL_CORES: "torch",
    "micrograd": "micrograd",
    "sympy": "sympy",
}
ROOT = Path(__file__).parents[2]  # where `tests` is found
COLUMNS = ("baseline", *MODULES)
WIDE = 250  # so that no column is cut


@dataclass(frozen=True)
class Bound:
    """What a row may be at most: the ratio of a column, or in the column `gradcli` its own number."""

    most: float
    column: str
    what: str = ""

    def __str__(self) -> str:
        return self.what or f"{self.most:g} x {self.column}"


@dataclass(frozen=True)
class Row:
    """What gradcli takes, and how many times that is what others take for the same in the same run."""

    what: str
    own: float
    unit: str = "s"
    ratios: dict[str, float] = field(default_factory=dict)
    bound: Bound | None = None

    @property
    def numbers(self) -> list[float]:
        return [self.own, *self.ratios.values()]

    @property
    def misses(self) -> bool:
        if self.bound is None:
            return False
        value = self.own if self.bound.column == "gradcli" else self.ratios.get(self.bound.column, 0.0)
        return value < self.bound.most if self.unit == "records/s" else value > self.bound.most

    def cells(self) -> list[str]:
        ratios = [f"{self.ratios[column]:.2f}" if column in self.ratios else "" for column in COLUMNS]
        bound = "" if self.bound is None else str(self.bound) + (" (missed)" if self.misses else "")
        return [self.what, written(self.own, self.unit), *ratios, bound]


def written(value: float, unit: str) -> str:
    if unit != "s":
        return f"{value:,.0f} {unit}"
    for factor, name in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * factor >= 1:
            return f"{value * factor:.3g} {name}"
    return f"{value * 1e9:.3g} ns"


def is_installed(column: str) -> bool:
    return find_spec(MODULES[column]) is not None


def absent() -> list[str]:
    """The libraries that are not installed here, whose columns are empty."""
    return sorted({module for column, module in MODULES.items() if not is_installed(column)})


def used(rows: list[Row]) -> tuple[list[str], list[list[str]]]:
    """The header and the cells, without the columns that nothing is in."""
    header, cells = ["", "gradcli", *COLUMNS, "at most"], [row.cells() for row in rows]
    kept = [i for i in range(len(header)) if any(line[i] for line in cells)]
    return [header[i] for i in kept], [[line[i] for i in kept] for line in cells]


def show(rows: list[Row]) -> None:
    """The table for a terminal, however wide."""
    header, cells = used(rows)
    table = Table(box=None, header_style="bold")
    for name in header:
        table.add_column(name, justify=justified(name), no_wrap=True)
    for row, line in zip(rows, cells, strict=True):
        table.add_row(*line, style="red" if row.misses else "")
    console = Console(width=WIDE)
    console.print(table)
    console.print(machine())
    if absent():
        console.print(f"Not installed: {', '.join(absent())}.")


def justified(name: str) -> Literal["left", "right"]:
    return "left" if name in ("", "at most") else "right"


def markdown(rows: list[Row]) -> str:
    """The table for a README."""
    header, cells = used(rows)
    rules = ["---" if justified(name) == "left" else "--:" for name in header]
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, rules, *cells)) + f"\n\n{machine()}"


def machine() -> str:
    """The processor and the versions, in a sentence."""
    versions = [f"Python {platform.python_version()}", *(told for name in VERSIONS if (told := installed(name)))]
    return f"Measured on {processor()}, {os.cpu_count()} cores, with {', '.join(versions)}."


VERSIONS = ("numpy", "pyarrow", "torch", "micrograd", "sympy")


def installed(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return ""


def processor() -> str:
    """The model of the processor, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def is_sound(row: Row) -> bool:
    """Whether every number is one that can have been measured."""
    return all(math.isfinite(number) and number > 0 for number in row.numbers)
