"""The forms of a plot: text with dots, and SVG."""

from __future__ import annotations

from typing import Any

from gradcli.explanation.curves.curve import Curve, Pieces
from gradcli.explanation.curves.surface import Surface
from gradcli.render.plot import svg as picture
from gradcli.render.plot.charts import Chart, curve_charts, surface_chart
from gradcli.render.plot.terminal import drawn
from gradcli.render.text.looks import Asked
from gradcli.stream.plotting import Plot
from gradcli.stream.values import plain

# The document of `gradcli plot --json`.


def plot_document(plot: Plot) -> dict[str, Any]:
    """The document `gradcli.plot/1`: of a curve its unbroken pieces and its breaks, of a surface its contours."""
    facts, path = plot.facts, plot.path
    return {
        "schema": "gradcli.plot/1",
        "ok": True,
        "program": plot.program,
        "curve": _curve(facts) if isinstance(facts, Curve) else None,
        "surface": _surface(facts) if isinstance(facts, Surface) else None,
        "path": path
        and {
            "optimizer": path.optimizer,
            "points": plain(path.points),
            "values": plain(path.values),
            "stopped": path.stopped,
        },
    }


def _curve(curve: Curve) -> dict[str, Any]:
    at = curve.at
    return {
        "variable": curve.x,
        "output": curve.y,
        "range": list(curve.range),
        "function": _pieces(curve.values),
        "derivative": _pieces(curve.derivative),
        "at": at and {"point": [plain(at.x)], "value": plain(at.y), "gradient": [plain(at.slope)]},
    }


def _pieces(curve: Pieces) -> dict[str, Any]:
    breaks = [{"kind": part.kind, "from": part.start, "to": part.end} for part in curve.breaks]
    return {"pieces": [plain(piece) for piece in curve.pieces], "breaks": breaks}


def _surface(surface: Surface) -> dict[str, Any]:
    levels = [{"value": plain(level.value), "lines": [plain(line) for line in level.lines]} for level in surface.levels]
    slopes = [{"point": plain((slope.x, slope.y)), "gradient": plain((slope.dx, slope.dy))} for slope in surface.slopes]
    at = None
    if surface.at is not None:
        height, slope = surface.at
        at = {"point": [slope.x, slope.y], "value": plain(height), "gradient": plain((slope.dx, slope.dy))}
    return {
        "variables": [surface.x, surface.y],
        "output": surface.z,
        "ranges": [list(range) for range in surface.ranges],
        "levels": levels,
        "gradients": slopes,
        "undefined": surface.undefined,
        "points": surface.points,
        "at": at,
    }


def text(plot: Plot, asked: Asked) -> str:
    return "\n\n".join(drawn(chart, asked) for chart in charts(plot, asked))


def svg(plot: Plot, asked: Asked) -> str:
    return picture.svg(charts(plot, asked))


def charts(plot: Plot, asked: Asked) -> list[Chart]:
    title = "; ".join(line.strip() for line in plot.program.split("\n") if line.strip())
    if isinstance(plot.facts, Curve):
        return curve_charts(plot.facts, title, asked, plot.path)
    return [surface_chart(plot.facts, title, asked, plot.path)]
