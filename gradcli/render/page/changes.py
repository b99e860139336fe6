"""The state of the page at each step of a walk: looks of nodes and edges, values, gradients so far, and `.grad`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from gradcli.explanation.model import Explanation, Node, Value
from gradcli.explanation.steps.moves import Accumulated, Computed, Contributed, Edge
from gradcli.explanation.steps.walk import Walk, looks, settled

NONE = "None"
Changes = list[tuple[int, str]]  # from this step of the page on, this text


class Changing:
    """The changes of one walk; `numbers` are the steps of the page, by the steps of the walk from 0 on."""

    def __init__(self, walk: Walk, numbers: Sequence[int]) -> None:
        self.numbers = numbers
        self.looks: dict[str | Edge, Changes] = {}
        over = settled(walk.states[-1], walk.moves[-1] if walk.moves else None)  # a page may go on after the walk
        for number, place, look in looks([*walk.states, replace(over, number=walk.last + 1)]):
            step = numbers[number] if number <= walk.last else numbers[-1] + 1
            self.looks.setdefault(place, [(0, "idle")]).append((step, look))
        leaves = (node.id for node in walk.explanation.nodes if node.kind != "op")
        self.known = dict.fromkeys(leaves, numbers[0])  # the steps at which values are known
        self.gradients: dict[str, list[tuple[int, Value]]] = {}
        self.grads: dict[str, list[tuple[int, Value]]] = {}
        self.flows: dict[Edge, tuple[int, Contributed]] = {}
        self.later: list[tuple[int, Explanation | None]] = []  # the same graph in later turns of a loop
        if walk.turn <= walk.last:
            entering = (numbers[walk.turn], walk.explanation.upstream)
            self.gradients[walk.explanation.output] = [entering]
        for number, move in enumerate(walk.moves, 1):
            step = numbers[number]
            match move:
                case Computed(node):
                    self.known[node] = step
                case Contributed(edge, fact):
                    self.flows[edge] = (step, move)
                    self.gradients.setdefault(edge.source, []).append((step, fact.total))
                case Accumulated(node, _, before, after):
                    if before is not None:
                        self.grads.setdefault(node, []).append((0, before))
                    self.grads.setdefault(node, []).append((step, after))

    def again(self, step: int, explanation: Explanation | None) -> None:
        """Add a later turn of a loop, which is shown from a step on; None of one whose numbers are not known."""
        self.later.append((step, explanation))

    def turns(self, id: str, of: Callable[[Node], str]) -> Changes:
        """Return a text about a node in later turns, dots where it is not known."""
        found: Changes = []
        for step, explanation in self.later:
            node = None if explanation is None else next((n for n in explanation.nodes if n.id == id), None)
            found.append((step, "…" if node is None else of(node)))
        return found


def together(first: Iterable[tuple[int, str]], second: Iterable[tuple[int, str]], joint: str) -> Changes:
    """Return two texts as one that changes with either."""
    parts = [dict(first), dict(second)]
    steps = sorted({step for part in parts for step in part})
    now = ["", ""]
    found: Changes = []
    for step in steps:
        now = [part.get(step, text) for part, text in zip(parts, now, strict=True)]
        found.append((step, joint.join(filter(None, now))))
    return found
