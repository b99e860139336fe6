"""The values that a rule reads, found in its bytecode: the same under every version of Python."""

from __future__ import annotations

import dis
from types import SimpleNamespace
from typing import Any

import pytest

from gradcli.engine.primitive import OUT, Rule, positions_read


def shape_only(g: Any, out: Any, x: Any, y: Any) -> Any:
    return g.reshape(x.shape) + len(y.shape)


def shape_after_another(g: Any, out: Any, x: Any, y: Any) -> Any:
    return max(x, y.shape)  # both are loaded by one instruction of 3.13


def in_a_list(g: Any, out: Any, x: Any, y: Any) -> Any:
    return [x * part for part in g]  # 3.13 stores the part and loads x by one instruction


def in_a_generator(g: Any, out: Any, x: Any, y: Any) -> Any:
    return sum(part * x for part in g)


def with_rest(g: Any, out: Any, x: Any, *rest: Any, dims: Any) -> Any:
    return g[rest]


@pytest.mark.parametrize(
    ("rule", "positions"),
    [
        (lambda g, out, x, y: g * y, {1}),
        (lambda g, out, x, y: g, set()),
        (shape_only, set()),
        (shape_after_another, {0}),
        (in_a_list, {0}),
        (in_a_generator, {0}),
        (with_rest, {1}),
    ],
)
def test_a_rule_saves_the_values_that_it_reads(rule: Rule, positions: set[int]) -> None:
    assert positions_read(rule, with_rest=True) == positions


def test_the_rest_of_a_variadic_rule_is_not_counted_apart() -> None:
    assert positions_read(with_rest) == set()


@pytest.mark.parametrize(
    ("instructions", "positions"),
    [
        ([("LOAD_FAST_BORROW", "x")], {0}),
        ([("LOAD_FAST_BORROW_LOAD_FAST_BORROW", ("out", "x")), ("LOAD_ATTR", "shape")], {OUT}),
        ([("STORE_FAST_LOAD_FAST", ("x", "out"))], {OUT}),
    ],
)
def test_instructions_of_other_versions(
    instructions: list[tuple[str, Any]], positions: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = [SimpleNamespace(opname=name, argval=argument) for name, argument in instructions]
    monkeypatch.setattr(dis, "get_instructions", lambda rule: listed)
    assert positions_read(lambda g, out, x: g) == positions
