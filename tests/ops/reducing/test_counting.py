"""Counts and answers: numbers that no gradient flows through."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.engine.tensor import tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import OPERATIONS


def plain(value: Any) -> Any:
    return [plain(part) for part in value] if isinstance(value, tuple) else value.value.tolist()


@pytest.mark.parametrize(
    ("name", "arguments", "options", "expected"),
    [
        ("unique", ([3, 1, 3],), {"return_inverse": True, "return_counts": True}, [[1, 3], [1, 0, 1], [1, 2]]),
        ("nonzero", (5,), {}, [[]]),
        ("nonzero", (5,), {"as_tuple": True}, [[0]]),
        ("where", ([True, False, True],), {}, [[0, 2]]),
        ("all", ([[True, False], [True, True]], 1), {}, [False, True]),
        ("any", ([[0, 0], [0, 2]], 0), {}, [False, True]),
        ("isclose", ([1.0, float("nan")], [1.0, float("nan")]), {"equal_nan": True}, [True, True]),
    ],
)
def test_what_torch_counts(name: str, arguments: tuple[Any, ...], options: dict[str, Any], expected: Any) -> None:
    assert plain(OPERATIONS[name](*arguments, **options)) == expected


def test_whole_tensors_are_compared_with_a_plain_answer() -> None:
    x = tensor([1.0, 2.0])
    assert OPERATIONS["equal"](x, tensor([1.0, 2.0])) is True
    assert OPERATIONS["equal"](x, tensor([[1.0, 2.0]])) is False
    assert OPERATIONS["allclose"](x, tensor([1.0, 2.0 + 1e-9])) is True


def test_bits_are_those_of_whole_numbers() -> None:
    assert plain(OPERATIONS["bitwise_and"](tensor([5, 6]), 3)) == [1, 2]
    with pytest.raises(AutogradError, match="\"bitwise_or_cpu\" not implemented for 'Double'"):
        OPERATIONS["bitwise_or"](tensor([1.0]), 1)
