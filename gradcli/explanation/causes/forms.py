"""Formulas that lose digits at the point where another operation keeps them: `log(sigmoid(x))` and `logsigmoid(x)`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.errors import GradcliError
from gradcli.explanation.causes.rewrites import REWRITES
from gradcli.explanation.lines import Line
from gradcli.explanation.model import Note
from gradcli.explanation.naming import NAMELESS
from gradcli.explanation.values import value_of
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Expression, names
from gradcli.language.unparser import unparse

LEVELS = 6  # of results that are put in
LONGEST = 60  # characters of a formula in a note
LOST = 1e-6  # relative error of a result from which on another form is named


def unstable(lines: Sequence[Line]) -> Iterator[Note]:
    """Yield a note for each result far from that of a form that is exact there, with the form to write instead."""
    line_of = {line.name: line for line in lines}
    values = {name: line.tensor.value for name, line in line_of.items()}
    inside: set[str] = set()  # inputs of formulas for which a form is named
    notes = []
    for line in reversed(lines):
        form = next(filter(None, (rewrite(line) for rewrite in REWRITES.get(line.op, ()))), None)
        if form is None or line.name in inside:
            continue
        try:
            exact = value_of(form, values)
        except GradcliError:
            continue
        fault = fault_of(line, exact)
        if fault:
            inside.update(x.name for x in line.inputs)
            formula, instead = in_full(line.written, line_of), in_full(form, line_of)
            message = f"{formula} {fault} here: write {instead}, which is exact"
            notes.append(Note("unstable", line.name, message))
    yield from reversed(notes)


def in_full(tree: Expression, lines: Mapping[str, Line]) -> str:
    """Return a formula with the results that have no name of their own put in, while it stays short."""
    for _ in range(LEVELS):
        inner = {name: lines[name].written for name in names(tree) & lines.keys() if NAMELESS.fullmatch(name)}
        formula = substitute(tree, inner)
        if not inner or len(unparse(formula)) > LONGEST:
            break
        tree = formula
    return unparse(tree)


def fault_of(line: Line, exact: Any) -> str:
    """Return what is wrong with a result in words; empty where nothing is."""
    finite = np.isfinite(exact)
    if np.any(finite) and any(np.any(np.isinf(x.tensor.value)) for x in line.inputs):
        return "overflows on the way"  # the gradient is then nan, even where the result is right
    return "has lost its digits" if is_lost(line.tensor.value, exact) else ""


def is_lost(value: Any, exact: Any) -> bool:
    """Return whether a value is farther from the exact one than rounding of its last digits."""
    if np.shape(value) != np.shape(exact):
        return False
    with np.errstate(all="ignore"):
        far = ~(np.abs(value - exact) <= max(LOST, 8 * float(np.finfo(value.dtype).eps)) * np.abs(exact))
    return bool(np.any(far & np.isfinite(exact)))
