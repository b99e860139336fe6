"""Numbers that have a name in formulas."""

from __future__ import annotations

import math
from typing import Any

from gradcli.engine.symbolic.formula import Formula
from gradcli.language.tree import Argument, Binary, Call, Expression, Name, Number


class Constant:
    """A number that formulas write as it is defined: `log(2)` and not 0.6931471805599453."""

    def __init__(self, value: float, tree: Expression) -> None:
        self.value = value
        self.tree = tree

    def beside(self, x: Any) -> Any:
        """Return the number to use with `x`: a Formula for a Formula, else a plain float, which changes no dtype."""
        return Formula(self.tree, self.value) if isinstance(x, Formula) else self.value


def number_of(x: Any) -> Any:
    """Return the number that stands for an operand which was left out; None of one that was given."""
    return x.number if isinstance(x, Formula) else x if isinstance(x, int) else None


def _call(name: str, argument: Expression) -> Expression:
    return Call(name, (Argument(argument),))


LOG_2 = Constant(math.log(2), _call("log", Number(2)))
LOG_10 = Constant(math.log(10), _call("log", Number(10)))
SQRT_PI = Constant(math.sqrt(math.pi), _call("sqrt", Name("pi")))
SQRT_2_OVER_PI = Constant(math.sqrt(2 / math.pi), _call("sqrt", Binary("/", Number(2), Name("pi"))))
