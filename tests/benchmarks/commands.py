"""Whole commands, timed in turn with what they are held against."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from tests.benchmarks.table import ROOT, Bound, Row, is_installed

Command = Sequence[str]

RUNS = 11
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
PYTHON = sys.executable
SCRIPT = Path(sys.executable).with_name("gradcli")
GRADCLI = [str(SCRIPT)] if SCRIPT.exists() else [PYTHON, "-m", "gradcli"]
SNIPPET = str(ROOT / "samples" / "snippets" / "learn_a_slope.py")
PROGRAM = "z=(x1+a*x2)**2"
MAIN_JOB = [*GRADCLI, "eval", PROGRAM, "x1=1", "a=2", "x2=3", "--json"]
LIBRARIES = ("torch", "sympy")  # that take time to import

FORMULA = "sin(x*y)**3/(1 + exp(-x*w)) + log(1 + x**2)*tanh(y*w)"
SYMPY = f"from sympy import *; x, y, w = symbols('x y w'); z = {FORMULA}; print([diff(z, v) for v in (x, y, w)])"

# What reading and writing take in plain Python, without a gradient.
LOOPS = {
    "jsonl": "import json, sys\nfor line in sys.stdin:\n    sys.stdout.write(json.dumps(json.loads(line)) + chr(10))",
    "csv": "import csv, sys\ncsv.writer(sys.stdout).writerows(csv.reader(sys.stdin))",
}
RECORDS = {"jsonl": (500_000, 300_000), "csv": (1_000_000, 1_000_000)}  # how many, and the bound for a second


def seconds(command: Command, input: Path | None = None) -> float:
    with (input or Path(os.devnull)).open("rb") as file:
        start = time.perf_counter()
        subprocess.run(command, check=True, stdin=file, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
        return time.perf_counter() - start


def compared(command: Command, others: dict[str, Command], runs: int, input: Path | None = None) -> Row:
    """The median time of a command, and the medians of its ratios to the others that ran in turn with it."""
    commands = {"own": command, **others}
    times = [{name: seconds(each, input) for name, each in commands.items()} for _ in range(runs)]
    ratios = {name: median(run["own"] / run[name] for run in times) for name in others}
    return Row("", median(run["own"] for run in times), "s", ratios)


def named(row: Row, what: str, bound: Bound | None) -> Row:
    return Row(what, row.own, row.unit, row.ratios, bound)


def importing(modules: str) -> list[str]:
    return [PYTHON, "-c", f"import {modules}"]


def start_up(quick: bool = False) -> Iterator[Row]:
    """The main job, a snippet, `--version` and `--help` against importing the libraries alone, and others' imports."""
    runs = 1 if quick else RUNS
    imports: dict[str, Command] = {name: importing(name) for name in LIBRARIES if is_installed(name) and not quick}
    in_torch: dict[str, Command] = {"torch": [PYTHON, SNIPPET]} if is_installed("torch") and not quick else {}
    for what, command, others, modules, most in (
        ("eval --json, against imports", MAIN_JOB, imports, "numpy, typer, lark", 0.95),
        ("eval as text, against imports", MAIN_JOB[:-1], {}, "numpy, typer, lark", 1.05),
        ("run, 20 lines of torch", [*GRADCLI, "run", SNIPPET], in_torch, "numpy, typer", 1.10),
        ("--version", [*GRADCLI, "--version"], {}, "typer", 0.9),
        ("--help", [*GRADCLI, "--help"], {}, "typer", 0.9),
    ):
        row = compared(command, {"baseline": importing(modules), **others}, runs)
        yield named(row, what, Bound(most, "baseline", f"{most:.2f} x import {modules}"))


def symbolic(quick: bool = False) -> Iterator[Row]:
    """Three derivatives as formulas, from the shell."""
    others: dict[str, Command] = {"sympy": [PYTHON, "-c", SYMPY]} if is_installed("sympy") else {}
    yield named(compared([*GRADCLI, "grad", "--symbolic", FORMULA], others, 1 if quick else 5), "grad --symbolic", None)


def batches(quick: bool = False) -> Iterator[Row]:
    """Records a second through `batch`, start-up included, against a loop that reads and writes them."""
    with tempfile.TemporaryDirectory() as folder:
        for kind, (records, least) in RECORDS.items():
            count = 1000 if quick else records
            path = Path(folder, f"records.{kind}")
            write_records(path, count)
            command = [*GRADCLI, "batch", PROGRAM, "--format", kind]
            row = compared(command, {"baseline": [PYTHON, "-c", LOOPS[kind]]}, 1 if quick else 5, path)
            bound = Bound(least, "gradcli", f"at least {least:,}; baseline: a loop that copies")
            yield Row(f"batch, {kind}", count / row.own, "records/s", row.ratios, bound)


def write_records(path: Path, count: int) -> None:
    """The variables of the program, with digits enough."""
    rows = [(i / 7, i % 1000 / 3, 1 - i / 11) for i in range(count)]
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            csv.writer(file).writerows([("x1", "a", "x2"), *rows])
        else:
            file.writelines(json.dumps(dict(zip(("x1", "a", "x2"), row, strict=True))) + "\n" for row in rows)
