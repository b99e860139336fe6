"""Long programs, an engine that a student writes by hand, a class of hand-ins, and formulas."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from tests.benchmarks.commands import ENVIRONMENT, GRADCLI, PROGRAM, PYTHON, compared, named, seconds
from tests.benchmarks.table import ROOT, Bound, Row

GROWN = 10  # times as many statements, for which a linear walk takes as many times as long
ENGINE = """
import random

class Value:
    def __init__(self, data, children=()):
        self.data, self.grad, self.children, self.back = data, 0.0, children, None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))
        def back():
            self.grad += out.grad
            other.grad += out.grad
        out.back = back
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))
        def back():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out.back = back
        return out

    def relu(self):
        out = Value(max(self.data, 0.0), (self,))
        def back():
            self.grad += (out.data > 0) * out.grad
        out.back = back
        return out

    def backward(self):
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            value, is_done = stack.pop()
            if is_done:
                order.append(value)
            elif value not in seen:
                seen.add(value)
                stack.append((value, True))
                stack.extend((child, False) for child in value.children)
        self.grad = 1.0
        for value in reversed(order):
            if value.back:
                value.back()

random.seed(1)
draw = lambda: Value(random.uniform(-1, 1))
layers = [[[draw() for _ in range(m + 1)] for _ in range(n)] for m, n in ((2, 16), (16, 16), (16, 1))]
points = [(draw(), draw()) for _ in range({points})]
for step in range(3):
    loss = Value(0.0)
    for values in points:
        goal = Value(1.0 if values[0].data * values[1].data > 0 else -1.0)
        for depth, neurons in enumerate(layers):
            sums = []
            for weights in neurons:
                total = weights[-1]
                for weight, value in zip(weights, values):
                    total = total + weight * value
                sums.append(total.relu() if depth < 2 else total)
            values = sums
        error = values[0] + goal * Value(-1.0)
        loss = loss + error * error
    for weight in [weight for neurons in layers for weights in neurons for weight in weights]:
        weight.grad = 0.0
    loss.backward()
    for weight in [weight for neurons in layers for weights in neurons for weight in weights]:
        weight.data -= 0.0001 * weight.grad
print(round(loss.data, 6))
"""
FORMULAS = """
from tests.benchmarks.programs import formulas; formulas()
"""


def long_programs(quick: bool = False) -> Iterator[Row]:
    """`eval` and `grad` of programs of many statements, and of ten times as many."""
    few, many, runs = (200, 400, 1) if quick else (10_000, 100_000, 3)
    with tempfile.TemporaryDirectory() as folder:
        paths = {count: written(Path(folder, f"{count}.grad"), count) for count in (few, many, GROWN * many)}
        at = ("x=1", "a=0.999", "--max-memory", "8G", "--timeout", "600")
        row = compared([*GRADCLI, "eval", "-f", str(paths[few]), *at, "--json"], {}, runs)
        yield named(row, f"eval --json, {few:,} statements", Bound(1.2, "gradcli", "1.2 s"))
        row = compared([*GRADCLI, "grad", "-f", str(paths[many]), *at], {}, runs)
        yield named(row, f"grad -f, {many:,} statements", Bound(4, "gradcli", "4 s"))
        grown = seconds([*GRADCLI, "grad", "-f", str(paths[GROWN * many]), *at])
        bound = Bound(1.1, "baseline", "1.1 x a tenth of the size, a statement")
        ratios = {"baseline": grown / GROWN / row.own}
        yield Row(f"grad -f, {GROWN * many:,} statements", grown, ratios=ratios, bound=bound)


def written(path: Path, statements: int) -> Path:
    names = [f"j{np.base_repr(number, 36).lower()}" for number in range(statements)]  # a program has 16 MB at most
    lines = [f"{names[0]}=x*1.0", *(f"{after}={before}*a+x" for before, after in pairwise(names))]
    path.write_text("\n".join(lines), "utf-8")
    return path


def engine_by_hand(quick: bool = False) -> Iterator[Row]:
    """An engine of scalars in plain Python, with 57,000 nodes a step: run here, and by Python itself."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "engine.py")
        path.write_text(ENGINE.replace("{points}", "2" if quick else "80"), "utf-8")
        row = compared([*GRADCLI, "run", str(path)], {"baseline": [PYTHON, str(path)]}, 1 if quick else 5)
    yield named(row, "run, a scalar engine by hand", Bound(4, "baseline", "4 x Python itself"))


def class_of_hand_ins(quick: bool = False) -> Iterator[Row]:
    """A synthetic class, graded and diagnosed: seconds of the processor."""
    students = 2 if quick else 400
    told = output([PYTHON, "-m", "tests.homework.klass", "--students", str(students), "--seed", "1"])
    (taken,) = re.findall(r"seconds of CPU, one core \| ([\d.]+)", told)
    yield Row(f"a class of {students}, CPU", float(taken), bound=Bound(5, "gradcli", "5 s"))


def simplification(quick: bool = False) -> Iterator[Row]:
    """The first formula of a process, and forms of 40 terms beside those of 20, the slowest of each."""
    runs = [json.loads(output([PYTHON, "-c", FORMULAS])) for _ in range(1 if quick else 3)]
    first, longest, growth = (min(column) for column in zip(*runs, strict=True))
    yield Row("simplification, first formula", first, bound=Bound(3e-3, "gradcli", "3 ms"))
    yield Row("simplification, forms of 40 terms", longest, bound=Bound(0.05, "gradcli", "50 ms"))
    bound = Bound(2**1.5, "baseline", "2.83 x half as many: n^1.5")
    yield Row("simplification, 80 terms beside 40", longest, ratios={"baseline": growth}, bound=bound)


def formulas() -> None:
    """Print the seconds of the first simplification, of the slowest of 40 terms, and the largest growth to 80."""
    from gradcli.explanation.build import explain
    from gradcli.explanation.values import placeholders
    from gradcli.language.parser import parse_expression, parse_program
    from gradcli.language.simplify import simplifier
    from gradcli.source import Source
    from tests.language.simplify.test_growth import FAMILIES

    program = parse_program(Source(PROGRAM))
    tree = explain(program, placeholders(program, {})).leaves[0].formula_raw

    def taken(tree: object) -> float:
        simplifier.remembered.cache_clear()
        start = time.process_time()
        simplifier.simplify(tree)  # type: ignore[arg-type]
        return time.process_time() - start

    first = taken(tree)
    times = {size: [taken(parse_expression(Source(family(size)))) for family in FAMILIES.values()] for size in (40, 80)}
    # below 2 ms a clock says little
    growth = max(more / max(less, 2e-3) for less, more in zip(times[40], times[80], strict=True))
    sys.stdout.write(json.dumps([first, max(times[40]), growth]))


def output(command: list[str]) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=ENVIRONMENT)
    return done.stdout
