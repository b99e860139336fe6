"""Operations for primitives that formulas print: adjoints, and the indices that rules refer to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from typing import Any

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.engine.primitive import Primitive
from gradcli.errors import EvaluationError
from gradcli.ops.support.arguments import as_tensor, check_size
from gradcli.ops.support.surface import OPERATIONS, register

WRONG = (TypeError, ValueError, IndexError, ZeroDivisionError, OverflowError)  # numpy's errors for wrong shapes


def printed(declared: Primitive, *examples: str) -> None:
    """Register a primitive that formulas print as an operation.

    The annotations of its forward say how arguments are read; its docstring is the summary. Raises EvaluationError
    where the arguments do not fit together, for its forward or for its rules; in a formula they always do.
    """

    @wraps(declared.forward)
    def function(*inputs: Any, **options: Any) -> Any:
        for value in options.values():
            check_size(value if isinstance(value, tuple) else (value,) if isinstance(value, int) else ())
        try:
            tensors = [
                as_tensor(x) for x in inputs
            ]  # a forward without annotations takes numbers and lists as they are
            with np.errstate(all="ignore"):
                check_rules(declared, [x.value for x in tensors], options)
            return declared(*tensors, **options)
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
