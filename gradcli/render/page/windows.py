"""Convolutions whose window can be shown on grids: which entries of input and kernel make which of the result."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from gradcli.explanation.model import Value
from gradcli.facts import dataclass
from gradcli.language.tree import Call, Expression, Name, Number
from gradcli.render.page.mathml import WHOLE

PLACES = {"": ("input", "kernel"), "_weight": ("input", None, "out"), "_input": (None, "kernel", "out")}
RESULTS = {"": "out", "_weight": "kernel", "_input": "input"}
SUMMED = {"": ("kernel", 1), "_weight": ("out", 0), "_input": ("kernel", 0)}  # the axis of channels or images
OPTIONS = {"stride": 1, "dilation": 1, "padding": 0}


@dataclass(frozen=True, slots=True)
class Window:
    """A convolution: the name behind each of its two factors, the part that its result has, and how it steps."""

    factors: Mapping[str, str]  # `out`, `input`, `kernel`
    result: str
    steps: str  # an axis each: stride, dilation, padding


def window(rule: Expression, values: Mapping[str, Value], result: Value) -> Window | None:
    """Return the window of a convolution of one image and channel that is small enough for grids; else None."""
    found = re.fullmatch(r"conv([12])d(_weight|_input)?", rule.function) if isinstance(rule, Call) else None
    if found is None or not isinstance(rule, Call):
        return None
    kind = found[2] or ""
    options = {one.keyword: one.value for one in rule.arguments if one.keyword is not None}
    given = [one.value for one in rule.arguments if one.keyword is None]
    factors = {
        role: tree.id
        for role, tree in zip(PLACES[kind], given, strict=False)
        if role is not None and isinstance(tree, Name) and tree.id in values
    }
    steps = [options.get(name, Number(default)) for name, default in OPTIONS.items()]
    is_plain = len(given) == len(PLACES[kind]) and len(factors) == 2 and options.keys() <= OPTIONS.keys()
    if not is_plain or not all(isinstance(step, Number) for step in steps):
        return None
    shown: Sequence[Value] = [result, *(values[name] for name in factors.values())]
    role, axis = SUMMED[kind]
    is_small = all(max(np.shape(value)[2:]) <= WHOLE for value in shown if np.ndim(value) > 2)
    if not is_small or any(np.ndim(value) < 3 for value in shown) or np.shape(values[factors[role]])[axis] != 1:
        return None
    axes = ["1,1,0"] * (2 - int(found[1])) + [
        ",".join(str(step.value) for step in steps if isinstance(step, Number))
    ] * int(found[1])
    return Window(factors, RESULTS[kind], ";".join(axes))
