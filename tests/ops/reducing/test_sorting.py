"""Sorting and choosing by order: ties, nan, empty dimensions, and the parts of the results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.backward import grad
from gradcli.engine.tensor import tensor
from gradcli.ops.support.arguments import ReturnType
from gradcli.ops.support.surface import OPERATIONS
from tests.ops.gradients import value_and_gradients

NAN = float("nan")


def parts(name: str, x: Any, *arguments: Any, **options: Any) -> tuple[list[Any], list[Any]]:
    found = OPERATIONS[name](tensor(np.array(x, dtype=np.float64)), *arguments, **options)
    return found.values.value.tolist(), found.indices.value.tolist()


def test_the_parts_have_names_and_places() -> None:
    found = OPERATIONS["sort"](tensor([3.0, 1.0]))
    assert isinstance(found, ReturnType)
    values, indices = found
    assert values is found.values is found[0]
    assert indices is found.indices
    assert (found.name, found._fields) == ("sort", ("values", "indices"))
    assert OPERATIONS["max"](tensor([3.0, 1.0]), 0).name == "max"
    with pytest.raises(AttributeError, match=r"torch\.return_types\.sort has no part 'places'"):
        _ = found.places


def test_nan_is_the_largest() -> None:
    assert parts("sort", [1, NAN, 2])[1] == [0, 2, 1]
    assert parts("sort", [1, NAN, 2], descending=True)[1] == [1, 2, 0]
    assert parts("median", [[1, NAN, 2], [1, 3, 2]], 1)[1] == [1, 2]


def test_a_median_without_a_dimension_shares_at_a_tie() -> None:
    assert value_and_gradients("median", [2, 1, 2, 3]) == (2, [0.5, 0, 0.5, 0])
    assert value_and_gradients("median", [2, 1, 2, 3], arguments=(0,)) == (2, [1, 0, 0, 0])
    assert np.isnan(OPERATIONS["median"](tensor(np.zeros(0))).value)


def test_a_scalar_is_its_own_order() -> None:
    x = tensor(2.0, requires_grad=True)
    for name, arguments in [("sort", ()), ("topk", (1,))]:
        values, indices = OPERATIONS[name](x, *arguments)
        assert (values.value, indices.value) == (2, 0)
        assert grad([values], [x])[0].value == 1  # type: ignore[union-attr]


def plain(value: Any) -> Any:
    return [plain(part) for part in value] if isinstance(value, tuple) else value.value.tolist()


@pytest.mark.parametrize(
    ("name", "arguments", "options", "expected"),
    [
        ("unique", ([3, 1, 3],), {"return_inverse": True, "return_counts": True}, [[1, 3], [1, 0, 1], [1, 2]]),
        ("nonzero", (5,), {"as_tuple": True}, [[0]]),
        ("all", ([[True, False], [True, True]], 1), {}, [False, True]),
        ("isclose", ([1.0, float("nan")], [1.0, float("nan")]), {"equal_nan": True}, [True, True]),
    ],
)
def test_what_torch_counts(name: str, arguments: tuple[Any, ...], options: dict[str, Any], expected: Any) -> None:
    assert plain(OPERATIONS[name](*arguments, **options)) == expected
