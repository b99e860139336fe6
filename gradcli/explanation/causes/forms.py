"""Formulas that lose digits at the point where another operation keeps them: `log(sigmoid(x))` and `logsigmoid(x)`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from gradcli.engine.symbolic.formula import literal
from gradcli.errors import GradcliError
from gradcli.explanation.lines import Line
from gradcli.explanation.model import NAMELESS, Note
from gradcli.explanation.values import value_of
from gradcli.facts import Table
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Argument, Binary, Call, Expression, Unary, names
from gradcli.language.unparser import unparse

# Other forms of a result, by its operation: equal to it, and exact where it loses digits or overflows on the way.


MOST_COMPARED = 32  # results
MOST_TERMS = 8  # of a sum for which another form is named


REWRITES = Table()  # by operation


def _inner(line: Line, *names: str) -> Line | None:
    """Return the first input, if it is the result of one of these operations."""
    return line.inputs[0] if line.inputs[0].op in names else None


def is_same(first: Line, second: Line) -> bool:
    """Tell whether two results are computed alike, as both of `exp(2*x)/(1 + exp(2*x))` are."""
    waiting = [(first, second)]
    for _ in range(MOST_COMPARED):
        if not waiting:
            return True
        a, b = waiting.pop()
        if a is b or (not a.is_variable and a.application is None and a.written == b.written):
            continue
        if a.application is None or b.application is None or a.op != b.op:
            return False
        if a.application.options != b.application.options:
            return False
        waiting.extend(zip(a.inputs, b.inputs, strict=True))
    return False


def _beside_one(line: Line) -> Line | None:
    """Return the other operand of an operation one of whose operands is the number 1."""
    ones = [x for x in line.inputs if x.application is None and not x.is_variable and np.all(x.tensor.value == 1)]
    others = [x for x in line.inputs if x not in ones]
    return others[0] if len(ones) == 1 and len(others) == 1 else None


def _call(name: str, x: Line | Expression, **options: Any) -> Expression:
    tree = x.spelling if isinstance(x, Line) else x
    return Call(name, (Argument(tree), *(Argument(literal(value), word) for word, value in options.items())))


@REWRITES.of("log")
def _log_of_sigmoid(line: Line) -> Expression | None:
    inner = _inner(line, "sigmoid")
    return _call("logsigmoid", inner.inputs[0]) if inner else None


@REWRITES.of("log")
def _log_of_softmax(line: Line) -> Expression | None:
    inner = _inner(line, "softmax")
    if inner is None or inner.application is None:
        return None
    return _call("log_softmax", inner.inputs[0], dim=inner.application.options["dim"])


@REWRITES.of("log")
def _log_of_sum(line: Line) -> Expression | None:
    inner = _inner(line, "sum", "sum_dim")
    powers = inner and _inner(inner, "exp")
    if inner is None or powers is None or inner.application is None:
        return None
    dims = tuple(range(powers.tensor.value.ndim))
    options = inner.application.options or {"dim": dims[0] if len(dims) == 1 else dims}
    options_set = {name: value for name, value in options.items() if value is not False}
    return _call("logsumexp", powers.inputs[0], **options_set) if dims else None


@REWRITES.of("log")
def _log_of_exps(line: Line) -> Expression | None:
    """`log(exp(x) + exp(y))`, of any number of terms."""
    powers: list[Line] = []
    waiting = [line.inputs[0]]
    while waiting and len(powers) < MOST_TERMS:
        x = waiting.pop()
        if x.op == "add" and x.application is not None and not x.application.options:
            waiting.extend(reversed(x.inputs))
        elif x.op == "exp":
            powers.append(x.inputs[0])
        else:
            return None
    if waiting or len(powers) < 2:
        return None
    first, *terms = (power.spelling for power in powers)
    return reduce(lambda inner, term: Call("logaddexp", (Argument(inner), Argument(term))), terms, first)


@REWRITES.of("log")
def _log_beside_one(line: Line) -> Expression | None:
    inner = _inner(line, "add", "add_number", "rsub")
    x = inner and _beside_one(inner)
    if inner is None or x is None:
        return None
    if inner.op == "rsub":
        is_sigmoid = x.op == "sigmoid"
        below = x.inputs[0] if is_sigmoid else x
        return _call("logsigmoid" if is_sigmoid else "log1p", negative_of(below))
    return _call("softplus", x.inputs[0]) if x.op == "exp" else _call("log1p", x)


@REWRITES.of("sub", "sub_number")
def _exp_less_one(line: Line) -> Expression | None:
    inner, x = _inner(line, "exp"), _beside_one(line)
    return _call("expm1", inner.inputs[0]) if inner and x is inner else None


@REWRITES.of("sub", "sub_number")
def _sigmoid_less_one(line: Line) -> Expression | None:
    inner, x = _inner(line, "sigmoid"), _beside_one(line)
    return negative(_call("sigmoid", negative_of(inner.inputs[0]))) if inner and x is inner else None


@REWRITES.of("rsub")
def _one_less(line: Line) -> Expression | None:
    """`1 - f` where `f - 1` has another form."""
    form = next(filter(None, (rewrite(line) for rewrite in REWRITES["sub"])), None)
    return negative(form) if form else None


def negative_of(line: Line) -> Expression:
    """Return a result with its sign turned, a nameless product as it is written."""
    is_product = isinstance(line.written, Binary | Unary) and NAMELESS.fullmatch(line.name)
    return negative(line.written if is_product else line.spelling)


def negative(tree: Expression) -> Expression:
    """Return a formula with its sign turned, which stands before the first factor."""
    if isinstance(tree, Unary) and tree.operator == "-":
        return tree.operand
    if isinstance(tree, Binary) and tree.operator in ("*", "/"):
        return Binary(tree.operator, negative(tree.left), tree.right)
    return Unary("-", tree)


@REWRITES.of("div")
def _shares(line: Line) -> Expression | None:
    """`exp(x)/sum(exp(x))` along the one dimension, or along one that is kept."""
    above, below = line.inputs if len(line.inputs) == 2 else (None, None)
    if above is None or below is None or above.op != "exp" or below.op not in ("sum", "sum_dim"):
        return None
    inner, x = below.inputs[0], above.inputs[0]
    if inner.op != "exp" or not is_same(inner.inputs[0], x) or below.application is None:
        return None
    options = {"dim": 0} if x.tensor.value.ndim == 1 else below.application.options
    is_kept = x.tensor.value.ndim == 1 or options.get("keepdim")
    return _call("softmax", x, dim=options["dim"]) if is_kept and isinstance(options["dim"], int) else None


@REWRITES.of("div", "reciprocal")
def _logistic(line: Line) -> Expression | None:
    """`exp(x)/(1 + exp(x))` and `1/(1 + exp(-x))`."""
    sum = line.inputs[-1]
    power = _beside_one(sum) if sum.op in ("add", "add_number") else None
    if power is None or power.op != "exp":
        return None
    x = power.inputs[0]
    if line.op == "reciprocal":
        return _call("sigmoid", x.inputs[0] if x.op == "neg" else negative_of(x))
    return _call("sigmoid", x) if line.inputs[0].op == "exp" and is_same(line.inputs[0].inputs[0], x) else None


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
