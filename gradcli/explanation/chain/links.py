"""The chain rule as a reader follows it: for each node the sum over its consumers, and the paths behind a gradient."""

from __future__ import annotations

from collections.abc import Container, Iterator

import numpy as np

from gradcli.explanation.causes.infinities import is_finite
from gradcli.explanation.model import Explanation, Local, Step, Value
from gradcli.explanation.values import value_of
from gradcli.facts import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """The contribution of one consumer: the step that ran, and the local derivative that it used."""

    step: Step
    local: Local

    @property
    def is_product(self) -> bool:
        """Whether the contribution is the upstream gradient times a formula, entry by entry."""
        return self.local.formula is not None and not self.step.summed_axes

    @property
    def is_gate(self) -> bool:
        """Whether the rule gives 0 for an upstream gradient that is nan or infinite, of which no product is 0."""
        step = self.step
        if is_finite(step.upstream) or not self.is_product:
            return False
        return bool(np.any(~np.isfinite(step.upstream) & (step.contribution == 0)))


@dataclass(frozen=True, slots=True)
class Link:
    """The gradient of one node: the sum of `terms`, in the order of the consumers' evaluation."""

    input: str
    terms: tuple[Term, ...]
    total: Value


@dataclass(frozen=True, slots=True)
class Path:
    """One way from the output to a leaf: `nodes` from the output on, with the local derivative of each edge."""

    nodes: tuple[str, ...]
    locals: tuple[Local, ...]


@dataclass(frozen=True, slots=True)
class Paths:
    """All ways from the output to a leaf: their number, and the first of them."""

    count: int
    listed: tuple[Path, ...]


def chain(explanation: Explanation, keep: Container[str] | None = None) -> tuple[Link, ...]:
    """Return the links in the order in which their sums were complete; `keep` leaves out the others."""
    position = {node.id: number for number, node in enumerate(explanation.nodes)}
    unused: dict[tuple[str, str], list[Local]] = {}  # more than one for x*x
    for node in explanation.nodes:
        for local in node.locals:
            unused.setdefault((node.id, local.input), []).append(local)
    grouped: dict[str, list[Term]] = {}
    for step in explanation.steps:
        terms = grouped.pop(step.input, [])  # to the end: the sum is complete with its last contribution
        terms.append(Term(step, _edge(unused[step.node, step.input], step)))
        grouped[step.input] = terms
    return tuple(
        Link(input, tuple(sorted(terms, key=lambda term: position[term.step.node])), terms[-1].step.total)
        for input, terms in grouped.items()
        if keep is None or input in keep
    )


def _edge(edges: list[Local], step: Step) -> Local:
    """Take the edge that a contribution came along, of several the one with its rule."""
    alike = (place for place, local in enumerate(edges) if local.rule == step.rule)
    return edges.pop(next(alike, 0) if len(edges) > 1 else 0)


def above(explanation: Explanation, to: str) -> set[str]:
    """Return the node and everything between it and the output."""
    consumers: dict[str, set[str]] = {}
    for step in explanation.steps:
        consumers.setdefault(step.input, set()).add(step.node)
    reached, waiting = {to}, [to]
    while waiting:
        for consumer in consumers.get(waiting.pop(), ()):
            if consumer not in reached:
                reached.add(consumer)
                waiting.append(consumer)
    return reached


def paths(explanation: Explanation, to: str, limit: int) -> Paths:
    """Return the ways from the output to a node: all counted, the first `limit` listed."""
    count: dict[str, int] = {}  # ways from a node down to `to`
    onward: dict[str, list[Local]] = {}
    for node in explanation.nodes:  # inputs come before their consumers
        onward[node.id] = [local for local in node.locals if node.id == to or count.get(local.input)]
        count[node.id] = 1 if node.id == to else sum(count[local.input] for local in onward[node.id])
    listed: list[Path] = []
    for path in _walk(explanation.output, to, onward):
        if len(listed) == limit:
            break
        listed.append(path)
    return Paths(count.get(explanation.output, 0), tuple(listed))


def _walk(output: str, to: str, onward: dict[str, list[Local]]) -> Iterator[Path]:
    """Depth first along edges that lead to `to`; nothing is walked that does not end in a path."""
    nodes: list[str] = [output]
    locals: list[Local] = []
    waiting: list[Iterator[Local]] = [iter(onward.get(output, ()))]
    if output == to:
        yield Path((output,), ())
    while waiting:
        local = next(waiting[-1], None)
        if local is None:
            waiting.pop()
            nodes.pop()
            if locals:
                locals.pop()
            continue
        nodes.append(local.input)
        locals.append(local)
        if local.input == to:
            yield Path(tuple(nodes), tuple(locals))
            nodes.pop()
            locals.pop()
        else:
            waiting.append(iter(onward[local.input]))


def flow(explanation: Explanation, path: Path) -> Value:
    """Return the gradient that flows along one path alone: each edge's rule, applied to the result above it."""
    names = {node.id: node.value for node in explanation.nodes}
    upstream = explanation.upstream_name
    names[upstream] = explanation.upstream
    for local in path.locals:
        names[upstream] = value_of(local.rule, names)
    return names[upstream]
