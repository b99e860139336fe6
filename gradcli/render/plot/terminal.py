"""Charts in the terminal: dots of Braille, eight in a character, or plain characters with --ascii."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from gradcli.explanation.curves.curve import labels, ticks
from gradcli.render.plot.charts import Array, Chart, part, within
from gradcli.render.text.looks import Looks
from gradcli.render.text.wrapping import lines_of
from gradcli.source import visible, width

WIDTH = 80
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a Braille character, by row and column
PLAIN = {"function": "*", "derivative": ".", "tangent": "-", "contour": ".", "path": "o", "loss": "*"}
COLORS = {"function": 36, "derivative": 33, "tangent": 35, "contour": 90, "path": 32, "loss": 36, "arrow": 33}
DASHED = {"derivative": (2, 5), "tangent": (5, 8), "contour": (1, 2)}  # dots drawn, of so many
MARKS = {False: "●", True: "@"}
ARROWS = {False: "→↗↑↖←↙↓↘", True: ">/^\\</v\\"}


class Canvas:
    """A grid of characters; a later stroke is on top."""

    def __init__(self, columns: int, rows: int, looks: Looks) -> None:
        self.columns, self.rows, self.looks = columns, rows, looks
        self.across, self.down = (1, 1) if looks.ascii else (2, 4)
        self.cells: list[list[int | str]] = [[0] * columns for _ in range(rows)]
        self.roles: list[list[str]] = [[""] * columns for _ in range(rows)]

    def line(self, points: Array, role: str) -> None:
        """Draw a line through points of the unit square."""
        drawn, period = DASHED.get(role, (1, 1)) if not self.looks.ascii else (1, 1)
        wide, high = self.columns * self.across - 1, self.rows * self.down - 1
        count = 0
        for first, last in pairwise(points):
            x0, y0, x1, y1 = first[0] * wide, (1 - first[1]) * high, last[0] * wide, (1 - last[1]) * high
            steps = max(1, round(max(abs(x1 - x0), abs(y1 - y0))))
            for step in range(steps + 1):
                if count % period < drawn:
                    self.dot(round(x0 + (x1 - x0) * step / steps), round(y0 + (y1 - y0) * step / steps), role)
                count += step < steps

    def dot(self, x: int, y: int, role: str) -> None:
        column, row = x // self.across, y // self.down
        if self.looks.ascii:
            self.put(column, row, PLAIN[role], role)
            return
        before = self.cells[row][column]
        self.cells[row][column] = (before if isinstance(before, int) else 0) | DOTS[y % 4][x % 2]
        self.roles[row][column] = role

    def put(self, column: int, row: int, character: str, role: str) -> None:
        self.cells[row][column] = character
        self.roles[row][column] = role

    def at(self, x: float, y: float) -> tuple[int, int]:
        """Return the character at a point of the unit square."""
        return round(x * (self.columns - 1)), round((1 - y) * (self.rows - 1))

    def lines(self) -> Iterator[str]:
        for cells, roles in zip(self.cells, self.roles, strict=True):
            texts = []
            for cell, role in zip(cells, roles, strict=True):
                text = cell if isinstance(cell, str) else chr(0x2800 + cell) if cell else " "
                texts.append(painted(text, role, self.looks) if text != " " else " ")
            yield "".join(texts)


def painted(text: str, role: str, looks: Looks) -> str:
    return f"\x1b[{COLORS[role]}m{text}\x1b[0m" if looks.color and role in COLORS else text


def drawn(chart: Chart, looks: Looks) -> str:
    """Return a chart as lines of text, as wide as the terminal and not much higher than a third of that."""
    whole = min(looks.width or WIDTH, 120)
    rows = max(8, min(10 if chart.is_low else 26, whole * (5 if chart.is_map else 3) // 12))
    marks = ticks(*chart.limits[1], max(2, rows // 4))
    names = labels(marks)
    margin = max(map(len, names)) + 1
    canvas = Canvas(max(16, whole - margin - 2), rows, looks)
    _draw(chart, canvas)
    edge, tick, corner = ("|", "+", "+") if looks.ascii else ("│", "┤", "└")
    at = {canvas.at(0, float(part(mark, chart.limits[1])))[1]: name for mark, name in zip(marks, names, strict=True)}
    lines = [visible(chart.title)] if chart.title else []
    lines.extend(_legend(chart, looks))
    for row, line in enumerate(canvas.lines()):
        lines.append(f"{at.get(row, ''):>{margin}}{tick if row in at else edge}{line}".rstrip())
    lines.extend(_below(chart, canvas, margin, corner, looks))
    lines.extend(line for note in chart.notes for line in lines_of(visible(note), looks.width))
    return "\n".join(lines)


def _draw(chart: Chart, canvas: Canvas) -> None:
    for stroke in chart.strokes:
        for line in stroke.lines:
            for inside in within(chart.places(line)):
                canvas.line(inside, stroke.role)
    for arrow in chart.arrows:
        place = canvas.at(float(part(arrow.x, chart.limits[0])), float(part(arrow.y, chart.limits[1])))
        canvas.put(*place, _direction(arrow.dx, arrow.dy, chart, canvas.looks), "arrow")
    for mark in chart.marks:
        x, y = (float(part(value, limits)) for value, limits in zip((mark.x, mark.y), chart.limits, strict=True))
        if 0 <= x <= 1 and 0 <= y <= 1:
            canvas.put(*canvas.at(x, y), MARKS[canvas.looks.ascii], mark.role)


def _direction(dx: float, dy: float, chart: Chart, looks: Looks) -> str:
    """Return the arrow that shows a direction as it looks between these axes."""
    from math import atan2, pi

    across, up = (high - low for low, high in chart.limits)
    return ARROWS[looks.ascii][round(atan2(dy / up, dx / across) / (pi / 4)) % 8]


def _legend(chart: Chart, looks: Looks) -> Iterator[str]:
    shown = [stroke for stroke in chart.strokes if stroke.label and stroke.role != "contour"]
    if looks.ascii:
        signs = {role: sign * 2 for role, sign in PLAIN.items()}
    else:
        signs = {"function": "──", "derivative": "┄┄", "tangent": "╌╌", "path": "──"}
    if shown:
        yield "   ".join(f"{painted(signs[stroke.role], stroke.role, looks)} {stroke.label}" for stroke in shown)


def _below(chart: Chart, canvas: Canvas, margin: int, corner: str, looks: Looks) -> Iterator[str]:
    """Yield the axis below with its ticks, and their numbers as far as there is room between."""
    line, tick = ("-", "+") if looks.ascii else ("─", "┬")
    marks = ticks(*chart.limits[0], max(2, canvas.columns // 10))
    axis, below = [line] * canvas.columns, [" "] * (margin + 1 + canvas.columns + 8)
    end = 0
    for mark, name in zip(marks, labels(marks), strict=True):
        column = canvas.at(float(part(mark, chart.limits[0])), 0)[0]
        if not 0 <= column < canvas.columns:
            continue
        axis[column] = tick
        start = max(0, margin + 1 + column - len(name) // 2)
        if start > end and start + len(name) <= margin + 1 + canvas.columns + 1:
            below[start : start + len(name)] = name
            end = start + len(name) + 1
    yield f"{' ' * margin}{corner}{''.join(axis)}"
    yield "".join(below).rstrip()
    name = visible(chart.x) + (f", upwards {visible(chart.y)}" if chart.is_map else "")
    yield f"{' ' * max(0, margin + 1 + (canvas.columns - width(name)) // 2)}{name}"
