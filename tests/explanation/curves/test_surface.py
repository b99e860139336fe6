from __future__ import annotations

import numpy as np
import pytest

from gradcli.explanation.curves.surface import contour, surface
from gradcli.stream.plan import Plan, Task
from gradcli.stream.plotting import sampler

AXIS = np.linspace(-2, 2, 41)
X, Y = np.meshgrid(AXIS, AXIS)


def test_a_circle_is_one_closed_line() -> None:
    (line,) = contour(AXIS, AXIS, X**2 + Y**2, 1.0)
    assert line[0] == pytest.approx(line[-1])
    assert np.hypot(*line.T) == pytest.approx(np.ones(len(line)), abs=0.01)


def test_a_surface_has_round_levels_and_gradients() -> None:
    found = surface(sampler(Plan(Task("x*x + 3*y")), ["x", "y"]), ("x", "y", "z"), ((-2, 2), (0, 4)), (1, 2))
    assert [level.value for level in found.levels] == [2, 4, 6, 8, 10, 12, 14]
    assert all((slope.dx, slope.dy) == (2 * slope.x, 3) for slope in found.slopes)
    assert found.at is not None
    assert (found.at[0], found.at[1].dx, found.at[1].dy) == (7, 2, 3)


@pytest.mark.parametrize(
    ("program", "undefined"), [("log(x) + y", 1891), ("x*0 + y*0", 0), ("log(-x*x - y*y - 1)", 3721)]
)
def test_a_surface_without_values_or_levels(program: str, undefined: int) -> None:
    found = surface(sampler(Plan(Task(program)), ["x", "y"]), ("x", "y", "z"), ((-2, 2), (-1, 4)))
    assert found.undefined == undefined
    assert found.levels == () or undefined == 1891
    assert all(slope.x > 0 for slope in found.slopes if "log" in program), "an arrow stands where there is no value"
