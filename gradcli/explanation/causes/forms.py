"""Formulas that lose digits at the point where another operation keeps them: `log(sigmoid(x))` and `logsigmoid(x)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np

from gradcli.engine.symbolic.notation import literal
from gradcli.errors import GradcliError
from gradcli.explanation.lines import Line
from gradcli.explanation.model import Note
from gradcli.explanation.values import value_of
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Argument, Call, Expression, Unary
from gradcli.language.unparser import unparse

MOST_TERMS = 8  # of a sum for which another form is named
LOST = 1e-6  # relative, of the result: what must be lost before another form is named


def unstable(lines: Sequence[Line]) -> Iterator[Note]:
    """Results far from those of a form that is exact there, each with the form to write instead."""
    values = {line.name: line.tensor.value for line in lines}
    for line in lines:
        better = next(filter(None, (rewrite(line) for rewrite in REWRITES.get(op(line), ()))), None)
        if better is None:
            continue
        try:
            exact = value_of(better, values)
        except GradcliError:
            continue
        if is_lost(line.tensor.value, exact):
            message = f"{unparse(in_full(line))} has lost its digits here: write {unparse(better)}, which is exact"
            yield Note("unstable", line.name, message)


def in_full(line: Line) -> Expression:
    """Return how a result is written, two operations below it put in."""
    whole, inputs = line.written, line.inputs
    for _ in range(2):
        whole = substitute(whole, {x.name: x.written for x in inputs if x.application is not None})
        inputs = tuple(below for x in inputs for below in x.inputs)
    return whole


def is_lost(value: Any, exact: Any) -> bool:
    """Return whether a value is farther from the exact one than rounding of its last digits."""
    if np.shape(value) != np.shape(exact):
        return False
    with np.errstate(all="ignore"):
        far = ~(np.abs(value - exact) <= max(LOST, 8 * float(np.finfo(value.dtype).eps)) * np.abs(exact))
    return bool(np.any(far & np.isfinite(exact)))


def op(line: Line) -> str:
    return "" if line.application is None else line.application.primitive.name


def _inner(line: Line, *names: str) -> Line | None:
    """Return the first input, if it is the result of one of these operations."""
    return line.inputs[0] if op(line.inputs[0]) in names else None


def _beside_one(line: Line) -> Line | None:
    """Return the other operand of an operation one of whose operands is the number 1."""
    ones = [x for x in line.inputs if x.application is None and not x.is_variable and np.all(x.tensor.value == 1)]
    rest = [x for x in line.inputs if x not in ones]
    return rest[0] if len(ones) == 1 and len(rest) == 1 else None


def _call(name: str, x: Line | Expression, **options: Any) -> Expression:
    tree = x.spelling if isinstance(x, Line) else x
    return Call(name, (Argument(tree), *(Argument(literal(value), word) for word, value in options.items())))


def _log_of_sigmoid(line: Line) -> Expression | None:
    inner = _inner(line, "sigmoid")
    return _call("logsigmoid", inner.inputs[0]) if inner else None


def _log_of_softmax(line: Line) -> Expression | None:
    inner = _inner(line, "softmax")
    if inner is None or inner.application is None:
        return None
    return _call("log_softmax", inner.inputs[0], dim=inner.application.options["dim"])


def _log_of_sum(line: Line) -> Expression | None:
    inner = _inner(line, "sum", "sum_dim")
    powers = inner and _inner(inner, "exp")
    if inner is None or powers is None or inner.application is None:
        return None
    dims = tuple(range(powers.tensor.value.ndim))
    options = inner.application.options or {"dim": dims[0] if len(dims) == 1 else dims}
    given = {name: value for name, value in options.items() if value is not False}
    return _call("logsumexp", powers.inputs[0], **given) if dims else None


def _log_of_exps(line: Line) -> Expression | None:
    """`log(exp(x) + exp(y))`, of any number of terms."""
    powers: list[Line] = []
    waiting = [line.inputs[0]]
    while waiting and len(powers) < MOST_TERMS:
        x = waiting.pop()
        if op(x) == "add" and x.application is not None and not x.application.options:
            waiting.extend(reversed(x.inputs))
        elif op(x) == "exp":
            powers.append(x.inputs[0])
        else:
            return None
    if waiting or len(powers) < 2:
        return None
    first, *others = (power.spelling for power in powers)
    return reduce(lambda inner, term: Call("logaddexp", (Argument(inner), Argument(term))), others, first)


def _log_beside_one(line: Line) -> Expression | None:
    inner = _inner(line, "add", "add_number", "rsub")
    x = inner and _beside_one(inner)
    if inner is None or x is None:
        return None
    if op(inner) == "rsub":
        is_sigmoid = op(x) == "sigmoid"
        below = x.inputs[0] if is_sigmoid else x
        return _call("logsigmoid" if is_sigmoid else "log1p", Unary("-", below.spelling))
    return _call("softplus", x.inputs[0]) if op(x) == "exp" else _call("log1p", x)


def _exp_less_one(line: Line) -> Expression | None:
    inner, x = _inner(line, "exp"), _beside_one(line)
    return _call("expm1", inner.inputs[0]) if inner and x is inner else None


def _one_less_exp(line: Line) -> Expression | None:
    better = _exp_less_one(line)
    return Unary("-", better) if better else None


def _shares(line: Line) -> Expression | None:
    """`exp(x)/sum(exp(x))` of a vector."""
    above, below = line.inputs if len(line.inputs) == 2 else (None, None)
    if above is None or below is None or op(above) != "exp" or op(below) not in ("sum", "sum_dim"):
        return None
    inner, x = below.inputs[0], above.inputs[0]
    same = op(inner) == "exp" and inner.inputs[0] is x and x.tensor.value.ndim == 1
    return _call("softmax", x, dim=0) if same else None


REWRITES: dict[str, Sequence[Callable[[Line], Expression | None]]] = {
    "log": (_log_of_sigmoid, _log_of_softmax, _log_of_sum, _log_of_exps, _log_beside_one),
    "sub": (_exp_less_one,),
    "sub_number": (_exp_less_one,),
    "rsub": (_one_less_exp,),
    "div": (_shares,),
}
