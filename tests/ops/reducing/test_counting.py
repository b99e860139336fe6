"""Counts and answers: numbers that no gradient flows through."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.ops.support.surface import OPERATIONS


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
