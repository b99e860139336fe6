"""The forms of a plot: text with dots, and SVG."""

from __future__ import annotations

from gradcli.explanation.curves.curve import Curve
from gradcli.render.display_options import Asked
from gradcli.render.plot import svg as picture
from gradcli.render.plot.chart import Chart
from gradcli.render.plot.charts import curve_charts, surface_chart
from gradcli.render.plot.terminal import drawn
from gradcli.stream.plotting import Plot


def text(plot: Plot, asked: Asked) -> str:
    return "\n\n".join(drawn(chart, asked) for chart in charts(plot, asked))


def svg(plot: Plot, asked: Asked) -> str:
    return picture.svg(charts(plot, asked))


def charts(plot: Plot, asked: Asked) -> list[Chart]:
    title = "; ".join(line.strip() for line in plot.program.split("\n") if line.strip())
    if isinstance(plot.facts, Curve):
        return curve_charts(plot.facts, title, asked, plot.path)
    return [surface_chart(plot.facts, title, asked, plot.path)]
