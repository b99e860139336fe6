"""Boxes and edges that are to be drawn."""

from __future__ import annotations

from typing import Literal

from gradcli.facts import dataclass

Role = Literal["name", "value", "grad", "fact", "mark"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a box; with a `label` it is a row of a table."""

    text: str
    role: Role
    label: str = ""


@dataclass(frozen=True, slots=True)
class Vertex:
    """A box; `look` says what it stands for, `sentence` says it in words. One that `is_marked` stands out."""

    id: str
    look: Literal["leaf", "data", "op", "backward"]
    lines: tuple[Line, ...]
    sentence: str
    is_output: bool = False
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class Arc:
    """An edge; a label that `is_quiet` says that nothing happens to a gradient there, `flows` whether one passes."""

    source: str
    target: str
    label: str
    sentence: str
    is_quiet: bool = False
    flows: bool = True
    is_backward: bool = False
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class Sketch:
    """The whole graph."""

    title: str
    vertices: tuple[Vertex, ...]
    arcs: tuple[Arc, ...]
