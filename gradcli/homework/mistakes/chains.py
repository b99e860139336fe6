"""Along a chain local derivatives are multiplied, each taken at its own input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradcli.homework.graph import Change, Edge, Graph, sweep
from gradcli.homework.mistakes.activations import GATES
from gradcli.homework.mistakes.branches import added
from gradcli.homework.mistakes.catalogue import Guess, Slip, guesses, slips
from gradcli.homework.problem import Problem, Value, nothing, slope

SUMS = frozenset(("add", "sub", "neg", "rsub", "add_scaled", "sub_scaled", "add_number", "sub_number"))  # slope 1 or -1


def functions(problem: Problem) -> Iterator[Edge]:
    """The edges into functions of one value, from a value that is itself computed."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        is_function = len(vertex.rules) == 1 and not vertex.structured and vertex.op not in SUMS
        if is_function and problem.flows(inner := problem.graph.source(edge)) and elementwise(problem.graph, inner):
            yield edge


def nests(problem: Problem) -> Iterator[tuple[Edge, int]]:
    """Functions and what is inside: the edge into the function, and the step below; sums are looked through."""
    graph = problem.graph
    for edge in functions(problem):
        waiting = [graph.source(edge)]
        seen: set[int] = set()
        while waiting:
            inner = waiting.pop()
            if inner in seen or not problem.flows(inner) or not elementwise(graph, inner):
                continue
            seen.add(inner)
            yield edge, inner
            if graph.vertices[inner].op in SUMS:
                waiting.extend(graph.source(Edge(inner, position)) for position in graph.vertices[inner].rules)


def elementwise(graph: Graph, vertex: int) -> bool:
    return bool(graph.vertices[vertex].rules) and not graph.vertices[vertex].structured


@slips("inner-dropped")
def inner_is_one(problem: Problem) -> Iterator[Slip]:
    """One local derivative below a function is taken for 1."""
    for edge, inner in nests(problem):
        for position in problem.graph.vertices[inner].rules:
            below = Edge(inner, position)
            source = problem.graph.source(below)
            yield Slip(
                inner,
                f"{problem.ratio(inner, source)} = 1",
                forgotten(problem, edge, inner, source),
                {below: slope(1.0)},
                rank=masked(problem.graph, inner),
            )


def forgotten(problem: Problem, edge: Edge, inner: int, source: int) -> str:
    ratio = problem.ratio(inner, source)
    return f"you differentiated {problem.label(edge.vertex)} and forgot the inner derivative {ratio}"


@guesses("inner-dropped")
def whole_inner_is_one(problem: Problem) -> Iterator[Guess]:
    """Nothing from inside a function at all."""
    for edge, inner, derivative in insides(problem):
        yield Guess(
            inner,
            f"{problem.ratio(inner, problem.by)} = 1",
            forgotten(problem, edge, inner, problem.by),
            problem.truth + problem.contribution(edge) * (1 - derivative),
            rank=masked(problem.graph, inner),
        )


@guesses("outer-at-derivative")
def outer_at_whole_derivative(problem: Problem) -> Iterator[Guess]:
    """f'(g'(x)) where g is made of several steps."""
    for edge, inner, derivative in insides(problem):
        wrong = problem.totals[edge.vertex] * slope_at(problem.graph, edge, derivative)
        yield Guess(
            edge.vertex,
            composed(problem, problem.by),
            put_inside(problem, edge, inner),
            problem.truth + wrong - problem.contribution(edge) * derivative,
        )


def insides(problem: Problem) -> Iterator[tuple[Edge, int, Value]]:
    """Functions of one number, what is inside, and its derivative by the variable."""
    if problem.kind != "gradient" or np.ndim(problem.truth):
        return
    graph = problem.graph
    for edge in functions(problem):
        inner = graph.source(edge)
        if inner != problem.by and np.ndim(graph.vertices[inner].value) == 0:
            key = ("inside", inner)
            if key not in problem.cache:
                problem.cache[key] = sweep(graph, inner, stop=problem.stop)
            if problem.by in problem.cache[key]:
                yield edge, inner, problem.cache[key][problem.by]


def masked(graph: Graph, vertex: int) -> int:
    """How unlikely a slip in the chain is at a mask: it is taken for a slip in the mask itself."""
    return int(graph.vertices[vertex].op in GATES)


@guesses("local-not-total")
def local_alone(problem: Problem) -> Iterator[Guess]:
    """The derivative of one consumer, or of the first named value above, not carried on to the output."""
    if problem.kind != "gradient":
        return
    graph = problem.graph
    for above in consumers(problem):
        uses = [edge for edge in problem.into(problem.by) if edge.vertex == above]
        found = [] if graph.vertices[above].structured else [graph.local(edge) for edge in uses]
        if above in graph.named:
            found.append(sweep(graph, above, stop=graph.named - {above})[problem.by])
        ratio, rest = problem.ratio(above, problem.by), problem.ratio(problem.of, above)
        for value in found:
            yield Guess(
                problem.by,
                f"{problem.ratio(problem.of, problem.by)} = {ratio}",
                f"this is the local derivative {ratio}; it is still to be multiplied by {rest}",
                value,
            )


def consumers(problem: Problem) -> list[int]:
    """The steps above a value, up to the first ones with names; of those that are not elementwise, single numbers."""
    graph = problem.graph
    found: dict[int, bool] = {}  # whether the gradient of the step by the value is a local one
    waiting = [(problem.by, True)]
    while waiting:
        vertex, is_local = waiting.pop()
        for edge in problem.into(vertex):
            above = edge.vertex
            if above == problem.of or found.get(above):
                continue
            found[above] = is_local and not graph.vertices[above].structured
            if above not in graph.named:
                waiting.append((above, found[above]))
    direct = {edge.vertex for edge in problem.into(problem.by)}
    named = (v for v in found if v in graph.named and (found[v] or np.ndim(graph.vertices[v].value) == 0))
    return list(dict.fromkeys([*(v for v in found if v in direct), *named]))


@slips("outer-at-wrong-point")
def outer_at_inner_input(problem: Problem) -> Iterator[Slip]:
    """f'(x) g'(x) for f'(g(x)) g'(x)."""
    for edge, inner in nests(problem):
        for x in inputs(problem.graph, inner):
            yield Slip(
                edge.vertex,
                f"f'({problem.label(x)}) for f'({problem.label(problem.graph.source(edge))})",
                f"you took the derivative of {problem.label(edge.vertex)} at {problem.label(x)}; "
                f"it belongs at {problem.label(problem.graph.source(edge))}",
                {edge: slope(slope_at(problem.graph, edge, problem.graph.vertices[x].value))},
                rank=masked(problem.graph, edge.vertex),
            )


@slips("outer-at-derivative")
def outer_at_inner_derivative(problem: Problem) -> Iterator[Slip]:
    """f'(g'(x)) for f'(g(x)) g'(x)."""
    for edge, inner in nests(problem):
        for position in problem.graph.vertices[inner].rules:
            below = Edge(inner, position)
            x = problem.graph.source(below)
            yield Slip(
                edge.vertex,
                composed(problem, x),
                put_inside(problem, edge, inner),
                {
                    edge: slope(slope_at(problem.graph, edge, problem.graph.local(below))),
                    below: slope(1.0),
                },
            )


def composed(problem: Problem, x: int) -> str:
    name = problem.label(x)
    return f"f'(g'({name})) for f'(g({name}))*g'({name})"


def put_inside(problem: Problem, edge: Edge, inner: int) -> str:
    outer = problem.label(edge.vertex)
    return (
        f"you put the derivative of {problem.label(inner)} inside the derivative of {outer}; it is a factor beside it"
    )


def inputs(graph: Graph, vertex: int) -> list[int]:
    """The inputs of a vertex that have its shape."""
    shape = np.shape(graph.vertices[vertex].value)
    sources = dict.fromkeys(source for source in graph.vertices[vertex].sources if source >= 0)
    return [source for source in sources if np.shape(graph.vertices[source].value) == shape]


def slope_at(graph: Graph, edge: Edge, point: Value) -> Value:
    """The local derivative of an elementwise edge with its input elsewhere."""
    vertex = graph.vertices[edge.vertex]
    operands = [point if position == edge.position else x for position, x in enumerate(vertex.operands)]
    return graph.local(edge, operands, vertex.forward(operands))


@slips("chain-added")
def added_at_a_link(problem: Problem) -> Iterator[Slip]:
    """The upstream gradient plus a local derivative, where a product belongs."""
    for edge in problem.edges:
        if edge.vertex == problem.of or problem.graph.vertices[edge.vertex].structured:
            continue
        source = problem.graph.source(edge)
        above, ratio = problem.ratio(problem.of, edge.vertex), problem.ratio(edge.vertex, source)
        yield Slip(
            edge.vertex,
            f"{above} + {ratio}",
            f"you added {ratio} to {above}; along a chain they are multiplied",
            {edge: plus(problem.graph.local(edge))},
        )


def plus(derivative: Value) -> Change:
    return lambda g, contribution: g + derivative


@guesses("chain-added")
def sums_and_products(problem: Problem) -> Iterator[Guess]:
    """The local derivatives of each path added up; the paths multiplied."""
    if problem.kind != "gradient" or np.ndim(problem.truth) or not problem.paths:
        return
    ratio = problem.ratio(problem.of, problem.by)
    chains = [links(problem, path) for path in problem.paths]
    if any(len(chain) > 1 for chain in chains):
        yield Guess(
            problem.by,
            f"{ratio} = the sum of the local derivatives",
            "you added the local derivatives along the chain; they are multiplied",
            added([link for chain in chains for link in chain]),
        )
    if len(problem.paths) > 1:
        product = np.prod([problem.flow(path) for path in problem.paths])
        yield Guess(
            problem.by,
            f"{ratio} = the product over the paths",
            "you multiplied what comes along the paths; it is added",
            product,
        )


def links(problem: Problem, path: Sequence[Edge]) -> list[Value]:
    """The derivatives along a path, from each value that is one number to the next."""
    graph, found = problem.graph, []
    part: list[Edge] = []
    for edge in path:
        part.append(edge)
        source = graph.source(edge)
        if np.ndim(graph.vertices[source].value) == 0:
            others = {other: nothing for other in problem.edges if other not in part}
            alone = len(part) == 1 and not graph.vertices[edge.vertex].structured
            found.append(graph.local(edge) if alone else sweep(graph, part[0].vertex, others)[source])
            part = []
    return found
