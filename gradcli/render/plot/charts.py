"""From facts to charts: a curve with its derivative, a surface from above, the losses of a training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from gradcli.explanation.curves.curve import Break, Curve, Point, rounded
from gradcli.explanation.curves.surface import Slope, Surface
from gradcli.facts import dataclass
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import number
from gradcli.script.descent import Path
from gradcli.source import visible

# Charts, for every renderer: strokes, marks, arrows, the limits of both axes, and remarks in words.


Array = Any
Role = Literal["function", "derivative", "tangent", "contour", "path", "loss"]
Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Stroke:
    """Lines of one kind, each an array of x and y; without a label it is not in the legend."""

    role: Role
    lines: tuple[Array, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A point that stands out."""

    x: float
    y: float
    role: Role


@dataclass(frozen=True, slots=True)
class Arrow:
    """A direction at a point; its `length` is a part of the longest arrow's."""

    x: float
    y: float
    dx: float
    dy: float
    length: float


@dataclass(frozen=True, slots=True)
class Chart:
    """One pair of axes and what is drawn between them."""

    title: str
    x: str
    y: str
    limits: tuple[Pair, Pair]
    strokes: tuple[Stroke, ...]
    marks: tuple[Mark, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    notes: tuple[str, ...] = ()
    is_map: bool = False  # both axes are variables
    is_low: bool = False  # one of many things on a page

    def places(self, line: Array) -> Array:
        """Return points as parts of the width and the height, 0 at the lower left corner."""
        return np.column_stack([part(line[:, axis], self.limits[axis]) for axis in (0, 1)])


def part(values: Array, limits: Pair) -> Array:
    low, high = limits
    with np.errstate(all="ignore"):
        return (values / 2 - low / 2) / (high / 2 - low / 2)  # halves, since a range may be wider than any number


def limits(lines: Sequence[Array]) -> Pair:
    """Return the range of an axis that shows all values, or the bulk where a few tower over it."""
    values = np.concatenate([line[:, 1] for line in lines]) if lines else np.array([0.0, 1.0])
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    first, last = (float(q) for q in np.quantile(values, [0.06, 0.94]))
    if (high / 2 - low / 2) > 4 * (last - first) > 0:
        low, high = max(low, first - (last - first)), min(high, last + (last - first))
    return widened(low, high)


def widened(low: float, high: float) -> Pair:
    """Return a range with some room at both ends; one value has room around it."""
    room = 0.05 * (high / 2 - low / 2) * 2 or 0.5 * abs(high) or 1.0
    largest = float(np.finfo(np.float64).max)
    return max(low - room, -largest), min(high + room, largest)


def within(line: Array) -> Iterator[Array]:
    """Yield the parts of a line that lie inside the unit square, cut at its border."""
    inside: list[Pair] = []
    for first, last in pairwise(line):
        cut = _cut(first, last)
        if cut is None:
            if len(inside) > 1:
                yield np.array(inside)
            inside = []
            continue
        start, end = cut
        if inside and inside[-1] != start:
            yield np.array(inside)
            inside = []
        inside = inside or [start]
        inside.append(end)
    if len(inside) > 1:
        yield np.array(inside)


def _cut(first: Array, last: Array) -> tuple[Pair, Pair] | None:
    """Return the part of a straight piece inside the unit square (Liang and Barsky 1984)."""
    if not (np.isfinite(first).all() and np.isfinite(last).all()):
        return None
    begin, end = 0.0, 1.0
    change = last - first
    for axis in (0, 1):
        if change[axis] == 0:
            if not 0 <= first[axis] <= 1:
                return None
            continue
        enter, leave = sorted((-first[axis] / change[axis], (1 - first[axis]) / change[axis]))
        begin, end = max(begin, enter), min(end, leave)
    if begin > end:
        return None
    start, stop = first + begin * change, first + end * change
    return (float(start[0]), float(start[1])), (float(stop[0]), float(stop[1]))


APART = 4  # times: where the ranges of function and derivative differ more, each has axes of its own
MOST = 6  # places in a remark
FEW = 2  # parts between the ticks of a low chart


def curve_charts(curve: Curve, title: str, looks: Looks, path: Path | None = None) -> list[Chart]:
    """Return one chart, or a second one for the derivative where it would flatten the function."""
    x, y = visible(curve.x), visible(curve.y)
    slope = f"{looks.partial}{y}/{looks.partial}{x}"
    function = Stroke("function", curve.values.pieces, y)
    derivative = Stroke("derivative", curve.derivative.pieces, slope)
    remarks = [*gaps(y, curve.values.breaks, x, curve.range), *gaps(slope, own_breaks(curve), x, curve.range)]
    strokes, marks = [function], list[Mark]()
    if curve.at is not None:
        strokes.append(tangent(curve.at, curve.range))
        marks.append(Mark(curve.at.x, curve.at.y, "tangent"))
        remarks.append(told_point(curve.at, x, y, looks))
    if path is not None:
        ways = np.array([(point[0], value) for point, value in zip(path.points, path.values, strict=True)])
        strokes.append(Stroke("path", (ways,), path.optimizer))
        marks.extend(ends(ways))
        remarks.append(told_path(path, (x,), looks))
    first, other = (limits(list(stroke.lines)) for stroke in (function, derivative))
    ratio = max(first[1] - first[0], other[1] - other[0]) / min(first[1] - first[0], other[1] - other[0])
    if ratio <= APART or not derivative.lines:
        both = min(first[0], other[0]), max(first[1], other[1])
        shown = both if derivative.lines else first
        return [
            Chart(
                title,
                x,
                y,
                (curve.range, shown),
                (function, derivative, *strokes[1:]),
                tuple(marks),
                (),
                tuple(remarks),
            )
        ]
    return [
        Chart(title, x, y, (curve.range, first), tuple(strokes), tuple(marks)),
        Chart("", x, slope, (curve.range, other), (derivative,), (), (), tuple(remarks)),
    ]


def ends(way: Array) -> list[Mark]:
    return [Mark(float(x), float(y), "path") for x, y in (way[0], way[-1])]


def own_breaks(curve: Curve) -> list[Break]:
    """Return the breaks of the derivative that the function does not have: its kinks."""
    near = 1e-6 * (curve.range[1] - curve.range[0])
    known = [part.start for part in curve.values.breaks]
    return [part for part in curve.derivative.breaks if all(abs(part.start - start) > near for start in known)]


def tangent(at: Point, range: Pair) -> Stroke:
    ends = np.array([[x, at.y + at.slope * (x - at.x)] for x in range])
    return Stroke("tangent", (ends,) if np.isfinite(ends).all() else (), "tangent")


def gaps(name: str, breaks: Sequence[Break], x: str, range: Pair) -> Iterator[str]:
    """Yield a sentence for each kind of break."""
    for kind, verb in (("pole", "has a pole"), ("jump", "jumps")):
        places = [number(_rounded(part.start), 4) for part in breaks if part.kind == kind]
        if places:
            more = f" and {len(places) - MOST} more" if len(places) > MOST else ""
            yield f"{name} {verb} at {x} = {', '.join(places[:MOST])}{more}"
    for part in breaks:
        if part.kind == "undefined":
            yield f"{name} {'is infinite' if part.is_infinite else 'has no value'} {stretch(part, x, range)}"


def stretch(part: Break, x: str, range: Pair) -> str:
    """Return where there is no value; its ends may have one."""
    start, end = (number(_rounded(place), 4) for place in part.ends)
    begins, ends = part.start <= range[0], part.end >= range[1]
    if start == end:
        return f"at {x} = {start}"
    if begins:
        return f"for any {x} here" if ends else f"for {x} below {end}"
    return f"for {x} above {start}" if ends else f"for {x} between {start} and {end}"


def _rounded(place: float) -> float:
    return 0.0 if abs(place) < 1e-12 else place


def told_point(at: Point, x: str, y: str, looks: Looks) -> str:
    texts = [number(value, looks.precision) for value in (at.x, at.y, at.slope)]
    if not np.isfinite(at.y):
        return f"at {x} = {texts[0]}: {y} = {texts[1]}, so it has no tangent there"
    return f"at {x} = {texts[0]}: {y} = {texts[1]}, slope {texts[2]}"


def told_path(path: Path, names: Sequence[str], looks: Looks) -> str:
    """Return where a path leads to."""
    steps = len(path.points) - 1
    ends = ", ".join(f"{name} = {number(value, 4)}" for name, value in zip(names, path.points[-1], strict=True))
    first, last = (number(value, 4) for value in (path.values[0], path.values[-1]))
    stopped = ", where it is no number any more" if path.stopped else ""
    return f"{path.optimizer}: {steps} step{'s' * (steps != 1)} from {first} to {last}, at {ends}{stopped}"


def surface_chart(surface: Surface, title: str, looks: Looks, path: Path | None = None) -> Chart:
    """Return the contours and the gradients from above, and the path that goes down."""
    x, y, z = visible(surface.x), visible(surface.y), visible(surface.z)
    strokes = [Stroke("contour", level.lines, number(level.value, 4)) for level in surface.levels]
    heights = ", ".join(number(level.value, 4) for level in surface.levels)
    remarks = [f"contours of {z} at {heights}" if heights else f"{z} has no contours here"]
    if surface.undefined:
        remarks.append(f"{z} is not finite at {surface.undefined:,} of {surface.points:,} points")
    arrows = list(_arrows(surface.slopes, surface.ranges))
    if arrows:
        remarks.append(f"arrows point along the gradient, where {z} grows fastest")
    marks = []
    if surface.at is not None:
        height, slope = surface.at
        marks.append(Mark(slope.x, slope.y, "tangent"))
        texts = [number(value, looks.precision) for value in (slope.x, slope.y, height, slope.dx, slope.dy)]
        slopes = f"gradient ({texts[3]}, {texts[4]})" if np.isfinite(height) else "so it has no gradient there"
        remarks.append(f"at {x} = {texts[0]}, {y} = {texts[1]}: {z} = {texts[2]}, {slopes}")
    if path is not None:
        points = np.array(path.points)
        strokes.append(Stroke("path", (points,), path.optimizer))
        marks.extend(ends(points))
        remarks.append(told_path(path, (x, y), looks))
    return Chart(title, x, y, surface.ranges, tuple(strokes), tuple(marks), tuple(arrows), tuple(remarks), is_map=True)


def _arrows(slopes: Sequence[Slope], ranges: tuple[Pair, Pair]) -> Iterator[Arrow]:
    """Yield the arrows, of lengths that grow with the square root: small ones are to be seen, too."""
    longest = max((float(np.hypot(slope.dx, slope.dy)) for slope in slopes), default=0)
    for slope in slopes:
        length = float(np.hypot(slope.dx, slope.dy))
        if length > 0 and np.isfinite(longest):
            yield Arrow(slope.x, slope.y, slope.dx / length, slope.dy / length, float(np.sqrt(length / longest)))


def loss_chart(losses: Sequence[float], by: str) -> Chart:
    """Return the curve of a loss over the passes of a loop; values that are no numbers break it."""
    points = np.array([(float(place), loss) for place, loss in enumerate(losses)])
    finite = np.isfinite(points[:, 1])
    runs = np.split(points, np.flatnonzero(np.diff(finite)) + 1)
    lines = tuple(run for run in runs if np.isfinite(run[:, 1]).all() and len(run) > 1)
    known = points[finite, 1]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    tall = rounded(low, high, FEW) if low < high else widened(low, high)
    return Chart("loss", by, "loss", ((0.0, float(len(losses) - 1)), tall), (Stroke("loss", lines),), is_low=True)
