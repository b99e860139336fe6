"""Whole commands, timed in turn with what they are held against."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

RUNS = 15
GRADCLI = [str(Path(sys.executable).with_name("gradcli"))]
SNIPPET = str(Path(__file__).parents[2] / "samples" / "snippets" / "learn_a_slope.py")
MAIN_JOB = [*GRADCLI, "eval", "z=(x1+a*x2)**2", "x1=1", "a=2", "x2=3", "--json"]


def seconds(command: Sequence[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def ratio(command: Sequence[str], against: Sequence[str]) -> tuple[float, float]:
    """The median time of a command, and the median of its ratio to the other, pair by pair."""
    seconds(command), seconds(against)
    pairs = [(seconds(command), seconds(against)) for _ in range(RUNS)]
    return statistics.median(a for a, _ in pairs), statistics.median(a / b for a, b in pairs)


def start_up() -> list[tuple[str, str, str]]:
    """Rows of the main job, of a snippet and of `--version`, against importing the libraries alone."""
    rows = []
    for name, command, imports, bound in (
        ("eval --json", MAIN_JOB, "numpy, typer, lark", 1.35),
        ("run, 20 lines", [*GRADCLI, "run", SNIPPET], "numpy, typer", 1.4),
        ("--version", [*GRADCLI, "--version"], "typer", 1.3),
    ):
        taken, against = ratio(command, [sys.executable, "-c", f"import {imports}"])
        rows.append((f"gradcli {name}", f"{taken * 1000:.0f} ms", f"{against:.2f} x import {imports} (bound {bound})"))
    return rows


def long_program(statements: int = 10_000) -> list[tuple[str, str, str]]:
    """`eval --json` of a program of many statements."""
    lines = ["v0 = x*1.0", *(f"v{i} = v{i - 1}*a + x" for i in range(1, statements))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "long.grad")
        path.write_text("\n".join(lines), "utf-8")
        taken = statistics.median(
            seconds([*GRADCLI, "eval", "-f", str(path), "x=1", "a=0.999", "--json"]) for _ in range(3)
        )
    return [(f"eval --json, {statements:,} statements", f"{taken:.2f} s", "bound 3 s")]
