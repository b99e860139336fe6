"""The laws: each notices what breaks it, and random programs keep all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from gradcli.engine.primitive import REGISTRY
from gradcli.explanation.formulas import checking, simplified
from gradcli.language.tree import Binary, Expression, Number
from tests.fuzz.laws.laws import judge
from tests.programs import wrong


@contextmanager
def wrong_value(name: str) -> Iterator[None]:
    """Make the results of a primitive wrong by a thousandth."""
    primitive = REGISTRY[name]
    right = primitive.forward
    object.__setattr__(primitive, "forward", lambda *inputs, **options: right(*inputs, **options) * 1.001)
    try:
        yield
    finally:
        object.__setattr__(primitive, "forward", right)


@contextmanager
def wrong_formulas(change: Callable[[Expression], Expression], *, is_checked: bool = False) -> Iterator[None]:
    """Simplify to what is another formula, and let the check of it sleep."""
    right = checking.simplify
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checking, "simplify", lambda tree, *facts: change(right(tree, *facts)))
        if not is_checked:
            patch.setattr(simplified, "fault", lambda *formulas: "")
        yield


def test_a_program_keeps_all_laws() -> None:
    assert judge(["sin(0.76*x)*k + exp(k)/x", "x=1.3", "k=-0.45"]) == (0, "every law holds\n")
    assert judge(["sum(softmax(X @ w, dim=0)*b)", "X=[[1.5, 2], [0.3, 0.3]]", "w=[1, -2.2]", "b=[3.1, 1]"])[0] == 0


@pytest.mark.parametrize(
    ("fault", "program", "law"),
    [
        (lambda: wrong(REGISTRY["sin"]), "sin(x)*x", "a gradient is no slope"),
        (lambda: wrong(REGISTRY["cos"]), "sin(x)", "a second derivative is no slope"),
        (lambda: wrong_value("sin"), "sin(x)*x", "the value is another in fifty digits"),
        (lambda: wrong_formulas(lambda tree: Binary("*", Number(1.0001), tree)), "x**3", "has another value"),
        (lambda: wrong_formulas(lambda tree: Number(-3)), "x**3", "reads back as another"),
        (lambda: wrong_formulas(lambda tree: Number(2), is_checked=True), "x**3", "exit 70: UnequalError"),
        (lambda: wrong_formulas(lambda tree: Number(1 / 0)), "x**3", "exit 70: ZeroDivisionError"),
    ],
)
def test_a_law_notices_what_breaks_it(
    fault: Callable[[], AbstractContextManager[None]], program: str, law: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADCLI_ALL", "1")
    with fault():
        code, page = judge([program, "x=1.37"])
    assert (code, law in page) == (1, True), page
