from __future__ import annotations

import numpy as np
import pytest

from gradcli.explanation.curves.curve import Curve, curve
from gradcli.stream.plan import Plan, Task
from gradcli.stream.plotting import sampler


def sampled(program: str, low: float, high: float, at: float | None = None) -> Curve:
    return curve(sampler(Plan(Task(program)), ["x"]), "x", "y", (low, high), at)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "range", "breaks"),
    [
        ("x**2", (-2, 2), []),
        ("exp(20*x)", (-2, 2), []),
        ("tanh(1000*x)", (-1, 1.1), []),
        ("sin(50*x)", (-3, 3), []),
        ("x*0 + 3", (-1, 1), []),
        ("1/x", (-2, 2), [("pole", 0, 0)]),
        ("1/x", (-2.1, 2), [("pole", 0, 0)]),
        ("1/x**2", (-2.1, 2), [("pole", 0, 0)]),
        ("1/(x - 0.3)**2", (-2, 2), [("pole", 0.3, 0.3)]),
        ("tan(x)", (-2, 2), [("pole", -np.pi / 2, -np.pi / 2), ("pole", np.pi / 2, np.pi / 2)]),
        ("floor(x)", (-1.2, 1.2), [("jump", place, place) for place in (-1, 0, 1)]),
        ("where(x > 0.3, x, x + 5)", (-1, 1), [("jump", 0.3, 0.3)]),
        ("log(x)", (-1, 2), [("undefined", -1, 0)]),
        ("sqrt(1 - x**2)", (-2, 2), [("undefined", -2, -1), ("undefined", 1, 2)]),
        ("log(-1 - x*x)", (-1, 1), [("undefined", -1, 1)]),
        ("exp(x)", (-800, 800), [("undefined", np.log(np.finfo(float).max), 800)]),
        ("sum(relu([1, 2]*x))", (-1, 1), []),
        ("sqrt(abs(x))", (-1, 1), []),
    ],
)
def test_breaks_are_found_and_named(program: str, range: tuple[float, float], breaks: list[object]) -> None:
    found = sampled(program, *range).values
    assert [one.kind for one in found.breaks] == [kind for kind, *_ in breaks]
    assert [end for one in found.breaks for end in one.ends] == pytest.approx(
        [end for _, *ends in breaks for end in ends], abs=1e-9
    )


@pytest.mark.parametrize("program", ["1/x", "1/x**2", "tan(x)", "floor(x)", "log(x)", "relu(x)", "sqrt(1 - x**2)"])
def test_no_piece_crosses_a_break(program: str) -> None:
    found = sampled(program, -2, 2)
    for line in (found.values, found.derivative):
        for piece in line.pieces:
            assert np.isfinite(piece).all()
            assert (np.diff(piece[:, 0]) > 0).all()
            assert not any(piece[0, 0] < one.start and one.end < piece[-1, 0] for one in line.breaks)


def test_a_point_has_its_slope() -> None:
    found = sampled("x**3", -2, 2, at=1.5).at
    assert found is not None
    assert (found.x, found.y, found.slope) == (1.5, 3.375, 6.75)
