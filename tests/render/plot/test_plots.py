"""Charts of many functions: every picture is XML with everything inside, every text as wide as it may be."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.explanation.curves.curve import Curve
from gradcli.render.graph.layered.model import text_width
from gradcli.render.markdown.pages import laid_out
from gradcli.render.plot.charts import curve_charts, loss_chart, within
from gradcli.render.plot.forms import svg, text
from gradcli.render.plot.terminal import painted
from gradcli.render.run.timeline import training
from gradcli.render.text.layout import lay_out
from gradcli.render.text.looks import Asked, Looks
from gradcli.script.timeline.model import Epoch, Loop
from gradcli.source import Source, width
from gradcli.stream.plan import Task
from gradcli.stream.plotting import Plot, Way, sample_plot

SVG = "{http://www.w3.org/2000/svg}"
CURVES = ["x**2", "1/x", "tan(3*x)", "floor(2*x)", "relu(x)", "log(x)", "log(-x*x - 1)", "x*0 + 3", "x*1e308"]
SURFACES = ["x*x + 3*y*y", "log(x*y)", "x*0 + y*0", "1/(x*y)", "exp(30*x)*y"]


def plot_of(program: str, **more: object) -> Plot:
    ranges = {"x": (-2.0, 2.0)} if program in CURVES or "y" not in program else {"x": (-2.0, 2.0), "y": (-1.0, 3.0)}
    start = tuple(1.5 for _ in ranges)
    return sample_plot(Task(program), ranges, tuple(0.5 for _ in ranges), Way("adam", start, 20, {"lr": 0.1}))


@pytest.mark.slow
@pytest.mark.parametrize("program", CURVES + SURFACES)
def test_a_picture_is_xml_with_everything_inside(program: str) -> None:
    drawn = svg(plot_of(program), Asked())
    root = ET.fromstring(drawn)
    wide, high = (float(root.get(side, "0")) for side in ("width", "height"))
    assert root.find(f"{SVG}title") is not None
    assert not re.search(r'<style|<script|<marker|\bid=|class=|url\(|="[^"<]*(?:nan|inf\b)', drawn)
    for path in root.iter(f"{SVG}path"):
        numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*", path.get("d", ""))]
        assert all(-30 <= n <= max(wide, high) for n in numbers)
    for shape in root.iter(f"{SVG}circle"):
        assert 0 <= float(shape.get("cx", "-1")) <= wide
        assert 0 <= float(shape.get("cy", "-1")) <= high
    for number in root.iter(f"{SVG}text"):
        if number.get("text-anchor") == "end" and not number.text.isalpha():
            start = float(number.get("x", "0")) - text_width(number.text, 13)
            assert start > 14 + 3, "the name of the axis stands before it"


@pytest.mark.slow
@pytest.mark.parametrize("program", ["1/x", "x*x + 3*y*y"])
@pytest.mark.parametrize("columns", [50, 80, 120])
@pytest.mark.parametrize("ascii", [False, True])
def test_a_text_fits_the_terminal(program: str, columns: int, ascii: bool) -> None:
    lines = text(plot_of(program), Asked(width=columns, ascii=ascii)).split("\n")
    assert max(map(width, lines)) <= columns
    assert all(line == line.rstrip() for line in lines)
    assert not ascii or "\n".join(lines).isascii()


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("log(x)", ["y has no value for x below 0"]),
        ("sqrt(1 - x)*sqrt(x)", ["y has no value for x below 0", "y has no value for x above 1"]),
        ("sqrt(x*x - 1)", ["y has no value for x between -1 and 1"]),
        ("log(-x*x - 1)", ["y has no value for any x here"]),
        ("x/x", ["y has no value at x = 0"]),
        ("log(abs(x))", ["y is infinite at x = 0"]),
        ("exp(500*x)", ["y is infinite for x above 1.42"]),
        ("sqrt(abs(x))", ["∂y/∂x has a pole at x = 0"]),
        ("1/(x - 1) + sqrt(x)", ["y has a pole at x = 1", "y has no value for x below 0"]),
    ],
)
def test_it_is_said_where_there_is_no_value(program: str, told: list[str]) -> None:
    curve = sample_plot(Task(f"y = {program}"), {"x": (-2.0, 2.0)}, (-0.5,)).facts
    assert isinstance(curve, Curve)
    (chart,) = curve_charts(curve, "", Looks())[-1:]
    remarks = [remark for remark in chart.notes if "at x = -0.5" not in remark]
    assert [remark for remark in remarks if remark.startswith("y ") or "sqrt(abs" in program] == told
    point = curve.at
    assert point is not None
    assert ("no tangent" in "".join(chart.notes)) == (not np.isfinite(point.y))


def test_colour_is_never_the_only_difference() -> None:
    plain, coloured = (text(plot_of("x**2"), Asked(width=80, color=color)) for color in (False, True))
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain
    assert painted("x", "derivative", Asked()) == "x"


@given(st.lists(st.tuples(st.floats(-3, 4), st.floats(-3, 4)), min_size=2, max_size=6))
def test_lines_are_cut_at_the_border(points: list[tuple[float, float]]) -> None:
    line = np.array(points)
    inside = list(within(line))
    assert all(((piece >= -1e-9) & (piece <= 1 + 1e-9)).all() for piece in inside)
    both = (((line[:-1] >= 0) & (line[:-1] <= 1)).all(axis=1)) & (((line[1:] >= 0) & (line[1:] <= 1)).all(axis=1))
    drawn = sum(np.hypot(*np.diff(piece, axis=0).T).sum() for piece in inside)
    assert drawn >= np.hypot(*(line[1:] - line[:-1])[both].T).sum() - 1e-9


def losses_of(count: int) -> Loop:
    epochs = tuple(Epoch(str(n), 1, 1 / (n + 1), (), 0, 0) for n in range(count))
    return Loop(Source("loss.backward()"), 1, "epoch", count, count, epochs)


def test_a_loss_that_is_computed_more_than_ten_times_is_drawn() -> None:
    for count, is_drawn in ((10, False), (11, True)):
        section = training(losses_of(count), Asked(width=60), all=False)
        assert any(row.kind == "curve" for row in section.rows) == is_drawn
        assert max(width(line) for line in lay_out([section], Asked(width=60)).split("\n")) <= 60
    assert any("⠤" in block and block.startswith("```") for block in laid_out([section]))


def test_losses_that_are_no_numbers_break_the_curve() -> None:
    chart = loss_chart([3.0, 2.0, float("nan"), float("inf"), 1.0, 0.5], "epoch")
    assert [len(line) for line in chart.strokes[0].lines] == [2, 2]
    assert loss_chart([float("nan")] * 12, "epoch").strokes[0].lines == ()
