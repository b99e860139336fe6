"""The primitives that are operations for the sake of formulas: adjoints, and places that rules refer to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from typing import Any

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.engine.primitive import Primitive
from gradcli.errors import EvaluationError
from gradcli.ops.support.arguments import check_size
from gradcli.ops.support.surface import OPERATIONS, register

WRONG = (TypeError, ValueError, IndexError, ZeroDivisionError, OverflowError)  # what numpy raises of other shapes


def printed(declared: Primitive, *examples: str) -> None:
    """Make an operation of a primitive that formulas print.

    The annotations of its forward tell how arguments are read, the docstring is its summary. Raises EvaluationError
    where the arguments do not go together, which its rules are tried for too: a formula has them right.
    """

    @wraps(declared.forward)
    def function(*inputs: Any, **options: Any) -> Any:
        for value in options.values():
            check_size(value if isinstance(value, tuple) else (value,) if isinstance(value, int) else ())
        try:
            with np.errstate(all="ignore"):
                check_rules(declared, [x.value for x in inputs], options)
            return declared(*inputs, **options)
        except WRONG:
            raise EvaluationError(
                "E204",
                f"{declared.name}() takes what a formula gives it, and these do not go together",
                help=OPERATIONS[declared.name].signature,
            ) from None

    register(declared.name, function, examples, method=False)


def check_rules(declared: Primitive, values: Sequence[Any], options: dict[str, Any]) -> None:
    """Raise one of `WRONG` if a rule gives no gradient in the shape of its input."""
    out = declared.forward(*values, **options)
    for x, rule in zip(values, declared.rules, strict=False):
        if rule is not None and declared.structured:
            fit(rule(np.ones_like(out), out, *values, **options), x)
