"""The chain rule as a reader follows it: for each node the sum over its consumers, and the paths behind a gradient."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod

import numpy as np

from gradcli.engine.primitive import REGISTRY
from gradcli.explanation.causes.infinities import is_finite
from gradcli.explanation.model import Explanation, Leaf, Local, Node, Step, Value
from gradcli.explanation.values import value_of
from gradcli.facts import dataclass
from gradcli.guard import guarded
from gradcli.language.tree import Argument, Call, Name


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


def entered(explanation: Explanation, links: Sequence[Link]) -> list[Link]:
    """Return links behind the one of the gradient that enters at the output; none where there are none."""
    return [Link(explanation.output, (), explanation.upstream), *links] if links else []


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


# The derivation of one gradient: the links on the way to it, and if asked for the paths.


# Inputs that broadcasting copied: one edge of the graph stands for as many paths as there are copies.


@dataclass(frozen=True, slots=True)
class Copies:
    """The number of copies that an operation makes of an input, and the parts of its result that hold them: `rows`."""

    count: int
    parts: str
    node: str


def copies_on_path(path: Path, nodes: Mapping[str, Node], upstream_name: str) -> tuple[Copies, ...]:
    """Return the copies that are made on a path, from the output on."""
    edges = zip(path.nodes, path.locals, strict=False)
    copies_of_edges = (copies(nodes[name], local, nodes[local.input], upstream_name) for name, local in edges)
    return tuple(x for x in copies_of_edges if x is not None)


def copies(node: Node, local: Local, input: Node, upstream_name: str) -> Copies | None:
    """Return into how many copies a node put an input; None where each entry is used as often as the rule says."""
    lead = len(node.shape) - len(input.shape)
    if lead < 0 or node.op is None or prod(node.shape) <= prod(input.shape):
        return None
    if (node.op not in REGISTRY or REGISTRY[node.op].structured) and not is_sum_of(local, upstream_name):
        return None
    axes = [axis for axis, size in enumerate(node.shape) if axis < lead or input.shape[axis - lead] != size]
    if any(axis >= lead and input.shape[axis - lead] != 1 for axis in axes):
        return None
    lines = {(2, 0): "rows", (2, 1): "columns"}.get((len(node.shape), axes[0])) if len(axes) == 1 else None
    parts = lines or ("entries" if len(axes) == len(node.shape) else "copies")
    return Copies(prod(node.shape[axis] for axis in axes), parts, node.name)


def copied(node: Node, nodes: Mapping[str, Node], upstream_name: str) -> dict[str, str]:
    """Return a sentence about each input that an operation entry by entry has copied, by its id."""
    sentences = {}
    for local in node.locals if node.op in REGISTRY and not REGISTRY[node.op].structured else ():
        if copies_of_input := copies(node, local, nodes[local.input], upstream_name):
            place = f"all {copies_of_input.count} {copies_of_input.parts} of {node.name}"
            sentences[local.input] = f"{local.input} stands in {place}, and gets the sum over them."
    return sentences


def is_sum_of(local: Local, upstream_name: str) -> bool:
    """Return whether a rule does nothing but add entries of the upstream gradient."""
    match local.rule:
        case Call("sum" | "sum_to_size", (Argument(Name(name)), *_)):
            return name == upstream_name
    return False


@dataclass(frozen=True, slots=True)
class Route:
    """A path, the gradient that flows along it, None where sizes have no numbers, and the copies made on it."""

    path: Path
    value: Value | None
    copies: tuple[Copies, ...] = ()

    @property
    def count(self) -> int:
        """The number of paths between entries that it stands for because of copies."""
        return prod(x.count for x in self.copies)


@dataclass(frozen=True, slots=True)
class Trace:
    """The derivation of the gradient of `leaf`; `count` and `routes` are None unless paths were asked for."""

    leaf: Leaf
    links: tuple[Link, ...]
    count: int | None
    routes: tuple[Route, ...] | None


def trace(explanation: Explanation, name: str, limit: int | None) -> Trace:
    """The derivation for one variable, with up to `limit` paths."""
    leaf = next(leaf for leaf in explanation.leaves if leaf.name == name)
    links = chain(explanation, above(explanation, leaf.node))
    if limit is None:
        return Trace(leaf, links, None, None)
    routes_found = paths(explanation, leaf.node, limit)
    if explanation.sizes is not None:
        return Trace(leaf, links, routes_found.count, tuple(Route(path, None) for path in routes_found.listed))
    nodes = {node.id: node for node in explanation.nodes}
    routes = tuple(
        Route(
            path,
            guarded("path", partial(flow, explanation, path), None),
            copies_on_path(path, nodes, explanation.upstream_name),
        )
        for path in routes_found.listed
    )
    return Trace(leaf, links, routes_found.count, routes)


# Marks on edges: the inputs that a local derivative holds fixed, and the first and second of two equal edges.
#
# A local derivative of y by x holds the other inputs of y. That matters where x changes one of them: only there
# the local derivative is not the derivative of y by x.


Locals = Mapping[int, Local]  # the edges of a node, by the position of the input

CHUNK = 2**13  # nodes whose dependents are marked in one pass


def mark_repeated_edges(edges: Mapping[str, Locals]) -> dict[str, Locals]:
    """Return the edges of each node, in the order of evaluation, with `held` and `use`."""
    inputs_of = {name: tuple([x.input for x in locals.values()]) for name, locals in edges.items()}
    fixed = dependent_inputs(inputs_of)
    nodes_with_fixed = {name for name, _ in fixed}
    marked = dict(edges)
    for name, inputs in inputs_of.items():
        if len(inputs) < 2:
            continue
        locals = edges[name]
        if name in nodes_with_fixed:
            held = {x: fixed[name, x] for x in inputs if (name, x) in fixed}
            locals = {p: replace(x, held=held[x.input]) if x.input in held else x for p, x in locals.items()}
        if len(set(inputs)) < len(inputs):
            counts, uses, locals = Counter(inputs), Counter[str](), dict(locals)
            for place, local in locals.items():
                uses[local.input] += 1
                if counts[local.input] > 1:
                    locals[place] = replace(local, use=uses[local.input])
        marked[name] = locals
    return marked


def dependent_inputs(inputs: Mapping[str, tuple[str, ...]]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return by node and input the node's other inputs that depend on that input, where there are any."""
    consumers = Counter(x for names in inputs.values() for x in set(names))
    targets = list(
        dict.fromkeys(x for names in inputs.values() if len(set(names)) > 1 for x in names if consumers[x] > 1)
    )
    dependent: dict[tuple[str, str], tuple[str, ...]] = {}
    for start in range(0, len(targets), CHUNK):
        bits = {name: 1 << number for number, name in enumerate(targets[start : start + CHUNK])}
        below: dict[str, int] = {}  # the targets that a node depends on, itself included
        for node, names in inputs.items():
            mask = bits.get(node, 0)
            for x in names:
                mask |= below.get(x, 0)
            below[node] = mask
            for x in dict.fromkeys(names):
                bit = bits.get(x, 0)
                held = tuple(o for o in dict.fromkeys(names) if o != x and below.get(o, 0) & bit) if bit else ()
                if held:
                    dependent[node, x] = held
    return dependent
