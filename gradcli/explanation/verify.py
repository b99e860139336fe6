"""Each gradient three ways: the printed formula, the engine's backward pass, central differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.explanation.build import explain
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation, Leaf, Note, Value
from gradcli.explanation.values import value_of
from gradcli.explanation.variables import Variables
from gradcli.language.tree import Program

TOLERANCE = {"float64": 1e-6, "float32": 1e-3}  # relative; differences cannot do better than about 1e-10
SMALLEST = 1e-4  # smaller gradients are compared absolutely
MOST_ENTRIES = 2000  # entries of all variables together that are differenced; beyond, a seeded sample
MOST_WORK = 200_000  # nodes that are evaluated for the differences, twice: what takes seconds


@dataclass(frozen=True, slots=True)
class Row:
    """One variable: its gradient three ways; `differences` is nan for entries left out of a large array."""

    name: str
    chain_rule: Value
    engine: Value
    differences: Value
    relative_error: float
    agrees: bool

    @property
    def differenced(self) -> bool:
        """Whether any difference is a number; where the function ends next to the point, none is."""
        return not np.all(np.isnan(self.differences))


@dataclass(frozen=True, slots=True)
class Verification:
    program: str
    tolerance: float
    rows: tuple[Row, ...]
    notes: tuple[Note, ...]

    @property
    def agrees(self) -> bool:
        return all(row.agrees for row in self.rows)


def verify(
    program: Program,
    values: Mapping[str, Any],
    *,
    wrt: Sequence[str] | None = None,
    of: str | None = None,
    upstream: Any = None,
    dtype: str = "float64",
) -> Verification:
    """Verify the gradients of a program; raises as `explain` does."""
    explanation = simplified(explain(program, values, wrt=wrt, of=of, upstream=upstream, dtype=dtype))
    function = _Function(program, of, explanation.upstream)
    given = {*values, *Variables.of(program).literals}
    point = {node.name: node.value for node in explanation.nodes if node.name in given}
    leaves = [leaf for leaf in explanation.leaves if leaf.gradient is not None]
    engine = function.gradients(point, [leaf.name for leaf in leaves], dtype)
    tolerance = TOLERANCE[dtype]
    most = min(MOST_ENTRIES, max(1, MOST_WORK // len(explanation.nodes)))
    share = max(1, most // max(1, len(leaves)))
    rows = []
    for position, leaf in enumerate(leaves):
        differences = function.differences(point, leaf.name, share if position < most else 0)
        chain_rule = _chain_rule(explanation, leaf)
        error, agrees = _compare(chain_rule, engine[leaf.name], differences, tolerance)
        rows.append(Row(leaf.name, chain_rule, engine[leaf.name], differences, error, agrees))
    return Verification(program.source.text, tolerance, tuple(rows), explanation.notes)


def _chain_rule(explanation: Explanation, leaf: Leaf) -> Value:
    """The printed formula at the point; where it is too long to print, the sum of the steps."""
    if leaf.formula is None:
        return leaf.gradient
    value = value_of(leaf.formula, explanation.point)
    return np.asarray(value, dtype=np.asarray(leaf.gradient).dtype)[()]


class _Function:
    """The program as a function of its variables, weighted by the upstream gradient to one number."""

    def __init__(self, program: Program, of: str | None, upstream: Value) -> None:
        self.program = program
        self.of = of
        self.upstream = upstream

    def gradients(self, point: Mapping[str, Any], wrt: Sequence[str], dtype: str) -> dict[str, Value]:
        """The engine's own backward pass, into `.grad`."""
        evaluation = evaluate(self.program, point, wrt=wrt, of=self.of, dtype=np.dtype(dtype))
        output = evaluation.output
        assert output is not None
        with np.errstate(all="ignore"):
            if output.requires_grad:
                output.backward(self.upstream)
        return {
            line.name: line.tensor.grad.value
            for line in evaluation.lines
            if line.is_variable and line.tensor.grad is not None
        }

    def __call__(self, point: Mapping[str, Any]) -> float:
        evaluation = evaluate(self.program, point, wrt=(), of=self.of, dtype=np.dtype(np.float64))
        assert evaluation.output is not None
        if evaluation.output.shape != np.shape(self.upstream):  # a selection took another number of entries
            return np.nan
        with np.errstate(all="ignore"):
            return float(np.sum(self.upstream * evaluation.output.value))

    def differences(self, point: Mapping[str, Any], name: str, most: int) -> Value:
        """Central differences, entry by entry; nan for the entries left out of a large array."""
        base = np.array(point[name], dtype=np.float64)
        slopes = np.full(base.size, np.nan)
        entries: Sequence[int] = range(base.size)
        if base.size > most:
            entries = sorted(np.random.default_rng(0).choice(base.size, most, replace=False).tolist())
        for entry in entries:
            step = np.cbrt(np.finfo(np.float64).eps) * max(1.0, abs(float(base.flat[entry])))
            above, below = base.copy(), base.copy()
            with np.errstate(all="ignore"):
                above.flat[entry] += step
                below.flat[entry] -= step
                rise = self({**point, name: above}) - self({**point, name: below})
                slopes[entry] = rise / (above.flat[entry] - below.flat[entry])
        return slopes.reshape(base.shape)[()]


def _compare(chain_rule: Value, engine: Value, differences: Value, tolerance: float) -> tuple[float, bool]:
    """The largest distance between any two of the three, relative to the largest entry.

    Differences that are nan have nothing to say: they were left out, or the function ends next to the point.
    """
    largest = np.max(np.abs(chain_rule), initial=SMALLEST, where=np.isfinite(chain_rule))
    between = [_distance(chain_rule, engine), np.where(np.isnan(differences), 0.0, _distance(chain_rule, differences))]
    error = float(max(np.max(distance, initial=0.0) for distance in between) / largest)
    return error, error <= tolerance


def _distance(a: Value, b: Value) -> Any:
    """Entry by entry; none between equal infinities or two nans, and infinite where just one is nan."""
    with np.errstate(all="ignore"):
        distance = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(np.subtract(a, b)))
    return np.where(np.isnan(distance), np.inf, distance)
