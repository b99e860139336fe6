"""The ports of a box: where edges enter, and the room that the box and the labels before it take."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.facts import dataclass
from gradcli.render.graph.layered.model import Direction

APART = 18.0  # between ports
ASIDE = 4.0  # between an edge and its label


@dataclass(frozen=True, slots=True)
class Side:
    """The side where edges enter: ports from the middle, and the room that box and labels take on both sides of it."""

    ports: tuple[float, ...]
    across: float  # size of the box
    before: float
    after: float


def side(across: float, labels: Sequence[tuple[float, float] | None], direction: Direction) -> Side:
    """Return the side of a box of this size for edges with labels of these sizes.

    Left to right, a label stands above its edge. Top down, it stands to the right, the first of several to the left.
    """
    sizes = [(label[direction == "LR"] + ASIDE) if label else 0.0 for label in labels]
    if direction == "LR":
        steps = [max(APART, size + ASIDE) for size in sizes[1:]]
    else:
        steps = [APART, *(max(APART, size + 2 * ASIDE) for size in sizes[1:-1])][: max(len(sizes) - 1, 0)]
    length = sum(steps)
    room = max(across, length + APART)
    stretch = min(1.5, room / (length + APART)) if length else 1.0
    ports, at = [], -length * stretch / 2
    for step in [*steps, 0.0]:
        ports.append(at)
        at += step * stretch
    before = after = room / 2
    if sizes and (direction == "LR" or len(sizes) > 1):
        before = max(before, sizes[0] - ports[0])
    if sizes and direction == "TB":
        after = max(after, ports[-1] + sizes[-1])
    return Side(tuple(ports[: len(sizes)]), room, before, after)


def is_before(position: int, count: int, direction: Direction) -> bool:
    """Return whether a label stands on the side of its edge where the ports begin."""
    return direction == "LR" or (position == 0 and count > 1)
