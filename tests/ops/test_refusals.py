"""Whatever an operation is called with, it answers or refuses: no other exception gets out."""

from __future__ import annotations

import random
import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest

from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import EvaluationError
from tests.programs import every_operation, of_every


def leaf(data: Any) -> Tensor:
    return tensor(np.array(data, dtype=np.float64), requires_grad=True)


VALUES: list[Any] = [
    "word",
    None,
    (),
    (1, 2),
    [],
    [1, 2],
    [[1], [1, 2]],
    {},
    object(),
    slice(1),
    ...,
    True,
    0,
    -1,
    3,
    -1.5,
    float("nan"),
    float("inf"),
    np.arange(3),
    leaf(2),
    leaf([1, 2]),
    leaf([[1, 2], [3, 4]]),
    leaf([[2, 1], [1, 3]]),
    [leaf([[1, 2], [3, 4]]), leaf([[2, 1], [1, 3]])],
    leaf(np.ones((2, 2, 2))),
    leaf(np.ones((1, 1, 1))),
    leaf(np.ones((4, 1, 2))),
    leaf(np.ones((1, 2, 3, 3))),
    leaf(np.zeros(0)),
    tensor([True, False]),
    tensor([0, 1]),
    tensor([5, -7]),
]


def calls(name: str, most: int) -> list[tuple[Any, ...]]:
    """Every single value, every pair where two are all, and a fixed choice of longer calls, another for each name."""
    choose = random.Random(name)
    chosen = [tuple(choose.choices(VALUES, k=k)) for k in range(2, most + 1) for _ in range(20 if k == 2 else 5)]
    return [(value,) for value in VALUES] + (list(product(VALUES, repeat=2)) if most <= 2 else chosen)


def test_an_option_is_no_array() -> None:
    """Which is neither true nor false, and is equal to nothing."""
    failures = []
    for operation in every_operation().values():
        plain = [p for p in operation.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
        needed = [leaf([[2, 1], [1, 3]]) for p in plain if p.default is p.empty]
        for option in (p.name for p in plain if p.default is not p.empty):
            try:
                operation(*needed, **{option: np.arange(3)})
            except EvaluationError:
                continue
            except Exception as error:
                error.add_note(f"{operation.name}, {option}")
                failures.append(error)
    if failures:
        raise ExceptionGroup(f"{len(failures)} options", failures)


@pytest.mark.slow
@of_every(every_operation(), lambda name: every_operation()[name].family)
def test_any_call_is_answered_or_refused(name: str) -> None:
    operation = every_operation()[name]
    answered = refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # torch's warnings about sizes of targets
        for arguments in calls(name, len(operation.parameters)):
            try:
                operation(*arguments)
                answered += 1
            except EvaluationError:
                refused += 1
            except Exception as error:
                error.add_note(f"{name}{arguments}")
                raise
    assert refused, "some of these make no sense for any operation"
    by_name = any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in operation.parameters.values())
    assert answered or by_name or len(operation.parameters) > 2, "some of these make sense"
