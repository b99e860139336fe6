"""Choosing between values: comparisons, `where`, `maximum`, `clamp`.

Rules choose with `where(condition, g, 0)` and never with `g * mask`: where g is infinite, torch gives 0 and a product
would give nan.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradcli.engine.formula import Formula
from gradcli.engine.notation import comparison
from gradcli.engine.primitive import Primitive, primitive


def _fold_where(condition: Formula, a: Formula, b: Formula, *, value: Any) -> Formula | None:
    """`where(c, 0, 0)` is 0, whatever c is."""
    return a if a.number == 0 and b.number == 0 and a.shape == np.shape(value) else None


less = primitive("lt", operator.lt, notation=comparison("<"))
at_most = primitive("le", operator.le, notation=comparison("<="))
greater = primitive("gt", operator.gt, notation=comparison(">"))
at_least = primitive("ge", operator.ge, notation=comparison(">="))
equal = primitive("eq", operator.eq, notation=comparison("=="))
different = primitive("ne", operator.ne, notation=comparison("!="))
both = primitive("logical_and", np.logical_and)

where: Primitive = primitive(
    "where",
    np.where,
    None,
    lambda g, out, condition, a, b: where(condition, g, 0),
    lambda g, out, condition, a, b: where(condition, 0, g),
    fold=_fold_where,
)


def guarded(condition: Any, edge: Any, usual: Any) -> Any:
    """`where(condition, edge, usual)` for a condition that only holds at an edge of the domain.

    A formula mentions the edge only where it was met: `y*x**(y - 1)` and not `where(y == 0, 0, y*x**(y - 1))`.
    """
    if isinstance(usual, Formula) and not np.any(condition.value):
        return usual
    return where(condition, edge, usual)
