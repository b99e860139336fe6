"""Charts as SVG: attributes alone, no style, no ids, no script; colours that read on white and on black."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil

from gradcli.explanation.curves.curve import labels, ticks
from gradcli.render.graph.layered.model import text_width
from gradcli.render.plot.charts import Array, Arrow, Chart, Mark, Stroke, part, within
from gradcli.source import visible

WIDTH, HEIGHT = 640, 360  # of the space between the axes
LEFT, TOP, RIGHT, BELOW = 68, 40, 20, 52
NAME = 32  # the room that the name of the vertical axis takes, and the marks
LINE, SIZE = 17, 13  # the height of a line of text, and of its letters
COLORS = {"function": "#2b83d6", "derivative": "#d9731a", "tangent": "#b05fc7", "contour": "#7b8794", "path": "#1f9d61",
          "loss": "#2b83d6"}  # fmt: skip
GREY = "#767676"
DASHES = {"derivative": ' stroke-dasharray="6 4"', "tangent": ' stroke-dasharray="2 4"'}
LONGEST_ARROW = 26


def svg(charts: Sequence[Chart]) -> str:
    """Return charts below each other as one picture, with remarks in words below them."""
    parts: list[str] = []
    top, left = 0.0, max(map(_left, charts))
    for chart in charts:
        lines, height = _chart(chart, left, top)
        parts.extend(lines)
        top += height
    width = left + max(_inner(chart)[0] for chart in charts) + RIGHT
    said = [note for chart in charts for note in chart.notes]
    title = escape(visible(" ".join(chart.title for chart in charts if chart.title)) or "a loss")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top:g}" width="{width}" height="{top:g}" '
            f'role="img" font-family="Helvetica, Arial, sans-serif" font-size="{SIZE}">',
            f"<title>{title}</title>",
            f"<desc>{escape(visible('. '.join(said)))}</desc>",
            *parts,
            "</svg>",
        ]
    )


def _inner(chart: Chart) -> tuple[int, int]:
    """Return the width and the height between the axes; a map has equal sides."""
    return (480, 480) if chart.is_map else (WIDTH, HEIGHT)


def _left(chart: Chart) -> int:
    """Return the room before the vertical axis: for its numbers, and before them its name."""
    numbers = labels(ticks(*chart.limits[1], 8))
    return max(LEFT, ceil(NAME + max((text_width(number, SIZE) for number in numbers), default=0)))


def _chart(chart: Chart, left: int, top: float) -> tuple[list[str], float]:
    """Return the elements of a chart, and the height that it takes."""
    wide, high = _inner(chart)
    room = int((left + wide) / (0.6 * SIZE))
    heading = _wrapped(visible(chart.title), room)
    notes = [line for note in chart.notes for line in _wrapped(visible(note), room)]
    above = top + TOP + LINE * max(0, len(heading) - 1)
    plane = _Plane(chart, left, above, wide, high)
    parts = [_text(left, top + 20 + LINE * n, line, 'font-weight="bold"') for n, line in enumerate(heading)]
    parts.extend(_axes(chart, plane))
    parts.extend(element for stroke in chart.strokes for element in plane.stroke(stroke))
    parts.extend(map(plane.arrow, chart.arrows))
    parts.extend(element for mark in chart.marks for element in plane.mark(mark))
    parts.extend(_legend(chart, left + wide, above - 8))
    below = above + high + BELOW
    parts.extend(_text(left, below + LINE * (n + 1) - 6, line) for n, line in enumerate(notes))
    return parts, below - top + LINE * len(notes) + 4


class _Plane:
    """The place of a chart in the picture, and what stands in it."""

    def __init__(self, chart: Chart, left: float, top: float, wide: float, high: float) -> None:
        self.chart, self.left, self.top, self.wide, self.high = chart, left, top, wide, high

    def x(self, place: float) -> float:
        return self.left + place * self.wide

    def y(self, place: float) -> float:
        return self.top + (1 - place) * self.high

    def path(self, line: Array) -> str:
        points = [f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in line]
        kept = [point for point, before in zip(points, [None, *points], strict=False) if point != before]
        return f"M{'L'.join(kept if len(kept) > 1 else kept * 2)}"

    def stroke(self, stroke: Stroke) -> Iterator[str]:
        """Yield one path for all lines of a stroke; round dots show the steps of a way down."""
        lines = [inside for line in stroke.lines for inside in within(self.chart.places(line))]
        if not lines:
            return
        thick = {"contour": 1, "path": 1.5}.get(stroke.role, 2)
        yield (
            f'<path d="{"".join(map(self.path, lines))}" fill="none" stroke="{COLORS[stroke.role]}" '
            f'stroke-width="{thick}" stroke-linejoin="round"{DASHES.get(stroke.role, "")}>'
            f"<title>{escape(stroke.label)}</title></path>"
        )
        if stroke.role == "path":
            for x, y in dict.fromkeys(point for line in stroke.lines for point in map(tuple, self.chart.places(line))):
                if 0 <= x <= 1 and 0 <= y <= 1:
                    yield f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="2" fill="{COLORS["path"]}"/>'

    def mark(self, mark: Mark) -> Iterator[str]:
        x, y = (float(part(at, limits)) for at, limits in zip((mark.x, mark.y), self.chart.limits, strict=True))
        if 0 <= x <= 1 and 0 <= y <= 1:
            yield (
                f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="4.5" fill="{COLORS[mark.role]}" '
                f'stroke="#ffffff" stroke-width="1"/>'
            )

    def arrow(self, arrow: Arrow) -> str:
        """Return an arrow around its point, with the head drawn as two short lines."""
        (low, high), (bottom, top) = self.chart.limits
        across, up = arrow.dx / (high - low) * self.wide, arrow.dy / (top - bottom) * self.high
        size = (across**2 + up**2) ** 0.5 or 1
        across, up = across / size, up / size
        reach = max(3.0, arrow.length * LONGEST_ARROW / 2)
        x, y = self.x(float(part(arrow.x, (low, high)))), self.y(float(part(arrow.y, (bottom, top))))
        tip = x + across * reach, y - up * reach
        sides = [
            (tip[0] - 5 * (across * 0.87 - side * up * 0.5), tip[1] + 5 * (up * 0.87 + side * across * 0.5))
            for side in (1, -1)
        ]
        return (
            f'<path d="M{x - across * reach:.1f},{y + up * reach:.1f}L{tip[0]:.1f},{tip[1]:.1f}'
            f'M{sides[0][0]:.1f},{sides[0][1]:.1f}L{tip[0]:.1f},{tip[1]:.1f}L{sides[1][0]:.1f},{sides[1][1]:.1f}" '
            f'fill="none" stroke="{COLORS["derivative"]}" stroke-width="1.3"/>'
        )


def _axes(chart: Chart, plane: _Plane) -> Iterator[str]:
    """Yield the frame, the ticks with their numbers, quiet lines across, and the names of the axes."""
    right, bottom = plane.left + plane.wide, plane.top + plane.high
    grid = f'stroke="{GREY}" stroke-opacity="0.22"'
    horizontal = ticks(*chart.limits[0], 9)
    for mark, name in zip(horizontal, labels(horizontal), strict=True):
        x = f"{plane.x(float(part(mark, chart.limits[0]))):.1f}"
        yield f'<path d="M{x},{plane.top:g}V{bottom:g}" {grid}/>'
        yield f'<path d="M{x},{bottom:g}v5" stroke="{GREY}"/>'
        yield _text(x, bottom + 19, name, 'text-anchor="middle"')
    vertical = ticks(*chart.limits[1], 8)
    for mark, name in zip(vertical, labels(vertical), strict=True):
        y = plane.y(float(part(mark, chart.limits[1])))
        yield f'<path d="M{plane.left:g},{y:.1f}H{right:g}" {grid}/>'
        yield f'<path d="M{plane.left:g},{y:.1f}h-5" stroke="{GREY}"/>'
        yield _text(plane.left - 8, y + 4.5, name, 'text-anchor="end"')
    yield f'<path d="M{plane.left:g},{plane.top:g}V{bottom:g}H{right:g}" fill="none" stroke="{GREY}"/>'
    yield _text((plane.left + right) / 2, bottom + 39, _short(chart.x, 60), 'text-anchor="middle" font-style="italic"')
    middle = (plane.top + bottom) / 2
    turned = f'text-anchor="middle" font-style="italic" transform="rotate(-90 14 {middle:g})"'
    yield _text(14, middle, _short(chart.y, 40), turned)


def _legend(chart: Chart, right: float, y: float) -> Iterator[str]:
    """Yield the names of the strokes, from the right end above the chart."""
    named = [stroke for stroke in chart.strokes if stroke.label and stroke.role != "contour" and stroke.lines]
    if len(named) < 2 and not chart.is_map:
        return
    for stroke in reversed(named):
        name = _short(stroke.label, 24)
        width = text_width(name, SIZE)
        yield _text(right, y, name, 'text-anchor="end"')
        start = right - width - 30
        dashes = DASHES.get(stroke.role, "")
        yield f'<path d="M{start:.1f},{y - 4:g}h24" stroke="{COLORS[stroke.role]}" stroke-width="2"{dashes}/>'
        right = start - 14


def _text(x: float | str, y: float, text: str, attributes: str = "") -> str:
    place = x if isinstance(x, str) else f"{x:g}"
    return f'<text x="{place}" y="{y:g}" fill="{GREY}" {attributes}>{escape(text)}</text>'.replace(" >", ">")


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _wrapped(text: str, room: int) -> list[str]:
    from textwrap import wrap

    return wrap(text, room, max_lines=4, placeholder=" …")
