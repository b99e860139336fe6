"""An SVG picture read back: its boxes, texts and lines as they stand in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree

from gradcli.render.graph.layered.model import Rectangle, text_width
from gradcli.render.graph.svg import BOLD
from tests.render.graph.geometry import overlapping

SVG = "{http://www.w3.org/2000/svg}"
TAGS = {"svg", "g", "title", "desc", "rect", "path", "text"}
ATTRIBUTES = {
    *("x", "y", "width", "height", "viewBox", "rx", "d", "transform", "role"),
    *("fill", "stroke", "stroke-width", "stroke-dasharray", "text-anchor", "font-family", "font-size"),
    "font-weight",
}


@dataclass
class Picture:
    """The places of boxes, of the texts in them, and of labels; all texts, and the numbers in paths."""

    root: ElementTree.Element
    width: float
    height: float
    boxes: list[Rectangle] = field(default_factory=list)
    inner: list[tuple[Rectangle, Rectangle]] = field(default_factory=list)
    labels: list[Rectangle] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    ends: list[tuple[float, float]] = field(default_factory=list)

    def faults(self) -> Iterator[str]:
        """All that overlaps, or stands outside."""
        yield from (f"{one} on {two}" for one, two in overlapping([*self.boxes, *self.labels]))
        for text, box in self.inner:
            if not holds(box, text):
                yield f"{text} outside {box}"
        whole = Rectangle(0, 0, self.width, self.height)
        yield from (f"{place} outside" for place in [*self.boxes, *self.labels] if not holds(whole, place))
        for x, y in self.ends:
            if not (0 <= x <= self.width and 0 <= y <= self.height):
                yield f"a line at {x}, {y}"


def holds(outer: Rectangle, place: Rectangle) -> bool:
    return (
        place.x >= outer.x - 0.2
        and place.y >= outer.y - 0.2
        and place.x + place.width <= outer.x + outer.width + 0.2
        and place.y + place.height <= outer.y + outer.height + 0.2
    )


def read_picture(svg: str) -> Picture:
    """Read a picture; AssertionError for anything in it that is more than presentation."""
    root = ElementTree.fromstring(svg)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    found = Picture(root, width, height)
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in TAGS
        assert set(element.attrib) <= ATTRIBUTES, element.attrib
    (whole,) = root.findall(f"{SVG}g")
    dx, dy = map(float, re.findall(r"[\d.]+", whole.attrib["transform"]))
    for group in whole:
        assert group[0].tag == f"{SVG}title"
        assert group[0].text
        rects = [rectangle(element, dx, dy) for element in group.iter(f"{SVG}rect")]
        found.boxes.extend(rects[:1])
        for element in group.iter(f"{SVG}text"):
            found.texts.append(element.text or "")
            place = text_place(element, dx, dy)
            if rects:
                found.inner.append((place, rects[0]))
            else:
                found.labels.append(place)
        for element in group.iter(f"{SVG}path"):
            numbers = [float(one) for one in re.findall(r"-?[\d.]+", element.attrib["d"])]
            if "H" not in element.attrib["d"]:
                found.ends.extend((x + dx, y + dy) for x, y in zip(numbers[::2], numbers[1::2], strict=True))
    return found


def rectangle(element: ElementTree.Element, dx: float, dy: float) -> Rectangle:
    x, y, width, height = (float(element.attrib[name]) for name in ("x", "y", "width", "height"))
    return Rectangle(x + dx, y + dy, width, height)


def text_place(element: ElementTree.Element, dx: float, dy: float) -> Rectangle:
    """Return the place of a text: from the middle of tall letters to the line."""
    size = float(element.attrib.get("font-size", 12))
    width = text_width(element.text or "", size) * (BOLD if element.attrib.get("font-weight") else 1)
    x, y = float(element.attrib["x"]) + dx, float(element.attrib["y"]) + dy
    start = x - width / 2 if element.attrib.get("text-anchor") == "middle" else x
    return Rectangle(start, y - 0.75 * size, width, 0.75 * size)
