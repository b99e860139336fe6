"""Functions of functions: the derivative of what is inside is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from gradcli.homework.mistakes.declaration import WEAK, EdgeFacts, Guess, Mistake, Slip
from gradcli.homework.mistakes.derivatives.activations import is_gate
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Edge, Graph
from gradcli.homework.solve.problem import Problem, nothing, slope, sweep
from gradcli.homework.solve.vertices import HOOK
from gradcli.homework.wording import shown

INNER_DROPPED = Mistake("inner-dropped", "forgot the inner derivative", order=2)


def functions(problem: Problem) -> Iterator[Edge]:
    """Yield the edges into functions of one value, from a value that is itself computed."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        inner = problem.graph.source(edge)
        is_below = problem.reaches(inner) or inner in problem.stop  # a local derivative is taken at a wrong point, too
        if vertex.is_function and is_below and elementwise(problem.graph, inner):
            yield edge


def nests(problem: Problem) -> list[tuple[Edge, int]]:
    """Return the edge into each function with the step inside; a step inside a sum is inside the function too."""
    return problem.once("nests", lambda: list(_nests(problem)))


def _nests(problem: Problem) -> Iterator[tuple[Edge, int]]:
    graph = problem.graph
    for edge in functions(problem):
        waiting, seen = [graph.source(edge)], set[int]()
        while waiting:
            inner = waiting.pop()
            if inner in seen or not elementwise(graph, inner):
                continue
            seen.add(inner)
            is_hook = graph.vertices[inner].op == HOOK
            if not is_hook:
                yield edge, inner
            if is_hook or "sum" in graph.vertices[inner].traits:
                waiting.extend(map(graph.source, graph.below(inner)))


def elementwise(graph: Graph, vertex: int) -> bool:
    return bool(graph.vertices[vertex].rules) and not graph.vertices[vertex].structured


@INNER_DROPPED.slips
def inner_is_one(problem: Problem) -> Iterator[Slip]:
    """One local derivative below a function is taken for 1."""
    for edge, inner in nests(problem):
        belows = problem.graph.below(inner)
        for below in belows:
            source = problem.graph.source(below)
            again = [other for other in belows if other != below and problem.graph.source(other) == source]  # x*x
            rule, message = f"{problem.ratio(inner, source)} = 1", forgotten(problem, edge, inner, source)
            rank = masked(problem.graph, inner) + turned_round(problem, below)
            for changes in ({below: slope(1.0)}, *([{below: slope(1.0), again[0]: nothing}] if again else ())):
                yield Slip(inner, rule, message, changes, rank=rank)


def turned_round(problem: Problem, edge: Edge) -> int:
    """Return a rank: where a derivative is -1, what was forgotten is a sign."""
    return int(np.all(np.equal(problem.local(edge), -1.0)))


def nested(problem: Problem) -> set[int]:
    """Return the steps inside functions."""
    return problem.once("nested", lambda: {inner for _, inner in nests(problem)})


@INNER_DROPPED.rules("mul", "mm", "mv", "dot", "div")
def factor_is_one(edge: EdgeFacts) -> Iterator[Slip]:
    """A factor left out of the derivative of a product, where nothing is outside it."""
    vertex, is_number = edge.vertex, edge.op in ("mul", "div")
    is_factor = edge.op != "div" or (edge.position == 0 and 1 in vertex.rules)  # not by the n of a mean
    if is_factor and not (edge.index in nested(edge.problem) and is_number):
        place = 1 - edge.position
        factor = (
            edge.problem.label(vertex.sources[place]) if vertex.sources[place] >= 0 else shown(edge.operands[place])
        )
        ones = [x if other != place else np.ones_like(x)[()] for other, x in enumerate(edge.operands)]
        message = f"in the derivative of {edge.name} by {edge.input} a factor is missing"
        yield edge.slip(
            f"{edge.ratio} = 1",
            message,
            lambda g, contribution: vertex.rules[edge.position](g, vertex.value, *ones),
            f"the factor is {factor}",
            rank=1 if is_number else 3,
        )


@INNER_DROPPED.rules()
def function_is_one(edge: EdgeFacts) -> Iterator[Slip]:
    """The derivative of a function left out below a sum, a product, or a matrix product."""
    problem = edge.problem
    if edge.vertex.is_function and edge.index not in nested(problem):
        above = above_sums(problem, edge.index)
        message, rank = f"you forgot the derivative {edge.ratio}", 2
        if above:
            message = forgotten(problem, above[0], edge.index, edge.source)
            rank = 1 + masked(edge.graph, edge.index) + (edge.op == "div")  # by a number, as in a mean
        yield edge.with_derivative("1", message, 1.0, rank=rank)


def above_sums(problem: Problem, vertex: int) -> list[Edge]:
    """Return the uses of a vertex, those of a sum that it is in for the sum itself."""
    uses, waiting, seen = [], [vertex], {vertex}
    while waiting:
        for use in problem.into(waiting.pop()):
            if "sum" not in problem.graph.vertices[use.vertex].traits:
                uses.append(use)
            elif use.vertex not in seen:
                seen.add(use.vertex)
                waiting.append(use.vertex)
    return uses


def forgotten(problem: Problem, edge: Edge, inner: int, source: int) -> str:
    ratio = problem.ratio(inner, source)
    return f"you differentiated {problem.label(edge.vertex)} and forgot the inner derivative {ratio}"


@INNER_DROPPED.guesses
def whole_inner_is_one(problem: Problem) -> Iterator[Guess]:
    """Nothing from inside a function at all."""
    for edge, inner, derivative in insides(problem):
        rule, message = f"{problem.ratio(inner, problem.by)} = 1", forgotten(problem, edge, inner, problem.by)
        is_far = problem.by not in problem.graph.vertices[inner].sources
        rank = masked(problem.graph, inner) + 2 * is_far + int(np.equal(derivative, -1.0))
        yield Guess(inner, rule, message, problem.truth + problem.contribution(edge) * (1 - derivative), rank=rank)


def insides(problem: Problem) -> Iterator[tuple[Edge, int, Value]]:
    """Yield functions of one number with the step inside and its derivative with respect to the variable."""
    if problem.kind != "gradient" or np.ndim(problem.truth):
        return
    graph = problem.graph
    for edge in functions(problem):
        inner = graph.source(edge)
        is_hook = graph.vertices[inner].op == HOOK
        if inner != problem.by and np.ndim(graph.vertices[inner].value) == 0 and not is_hook:
            derivatives = derivative_of(problem, inner)
            if problem.by in derivatives:
                yield edge, inner, derivatives[problem.by]


def derivative_of(problem: Problem, inner: int) -> dict[int, Value]:
    """Return the derivatives of a step on the way."""
    return problem.once(("inside", inner), partial(sweep, problem.graph, inner, problem.changes, stop=problem.stop))


def masked(graph: Graph, vertex: int) -> int:
    """Return a rank: at a mask, a slip in the chain is less likely than one in the mask itself."""
    return 2 if graph.vertices[vertex].op == "abs" else int(is_gate(graph.vertices[vertex]))


OUTER_AT_WRONG_POINT = Mistake("outer-at-wrong-point", "took the outer derivative at the inner input", order=4, tier=1)
OUTER_AT_DERIVATIVE = Mistake(
    "outer-at-derivative", "took the outer derivative at the inner derivative", order=5, tier=1
)


@OUTER_AT_DERIVATIVE.guesses
def outer_at_whole_derivative(problem: Problem) -> Iterator[Guess]:
    """f'(g'(x)) where g is made of several steps; of a named g in a sum, the rest of the sum beside it."""
    graph = problem.graph
    for edge, whole, derivative in insides(problem):
        ways = [(whole, derivative)]
        for inner in {inner for other, inner in nests(problem) if other == edge} & graph.named - {whole}:
            inner_derivative = derivative_of(problem, inner).get(problem.by)
            if inner_derivative is not None:
                ways.append((inner, graph.forward({inner: inner_derivative})[whole]))
        for inner, point in ways:
            wrong = problem.totals[edge.vertex] * slope_at(graph, edge, point)
            value = problem.truth + wrong - problem.contribution(edge) * derivative
            rank = masked(graph, edge.vertex)
            yield Guess(edge.vertex, *put_inside(problem, edge, inner, problem.by), value, rank=rank)


@OUTER_AT_DERIVATIVE.guesses
def outer_at_derivative_of_its_value(problem: Problem) -> Iterator[Guess]:
    """f'(g'(x)) for a local derivative f'(u), where u = g(x)."""
    edges = problem.into(problem.by) if problem.stop and not np.ndim(problem.truth) else []
    if len(edges) == 1 and edges[0] in set(functions(problem)):
        derivatives = sweep(problem.graph, problem.by)
        for leaf in variables(problem.graph, problem.by):
            wrong = slope_at(problem.graph, edges[0], derivatives.get(leaf, np.nan))
            yield Guess(edges[0].vertex, *put_inside(problem, edges[0], problem.by, leaf), wrong, rank=1)


@OUTER_AT_WRONG_POINT.slips
def outer_at_inner_input(problem: Problem) -> Iterator[Slip]:
    """f'(x) g'(x) for f'(g(x)) g'(x)."""
    for edge, inner in nests(problem):
        near = [*inputs(problem.graph, inner), *variables(problem.graph, inner)]
        far = [x for x in variables(problem.graph, inner, deep=True) if x not in near]
        for x, rank in (dict.fromkeys(near, 0) | dict.fromkeys(far, WEAK)).items():
            name, wanted = problem.label(x), problem.label(problem.graph.source(edge))
            for place, point in points(problem.graph, edge, inner, name, problem.graph.vertices[x].value):
                message = f"you took the derivative of {problem.label(edge.vertex)} at {place}; it belongs at {wanted}"
                change = {edge: slope(slope_at(problem.graph, edge, point))}
                total = rank + masked(problem.graph, edge.vertex)
                yield Slip(edge.vertex, f"f'({place}) for f'({wanted})", message, change, rank=total)


def points(graph: Graph, edge: Edge, inner: int, name: str, value: Value) -> Iterator[tuple[str, Value]]:
    """Yield a value as the point at which a function is taken, and the sum that `inner` is in with it in its place."""
    yield name, value
    whole = graph.source(edge)
    if inner != whole and whole not in graph.named:
        yield f"{name} for {graph.label(inner)}", graph.forward({inner: value})[whole]


@OUTER_AT_DERIVATIVE.slips
def outer_at_inner_derivative(problem: Problem) -> Iterator[Slip]:
    """f'(g'(x)) for f'(g(x)) g'(x)."""
    for edge, inner in nests(problem):
        for below in problem.graph.below(inner):
            x, wrong = problem.graph.source(below), slope_at(problem.graph, edge, problem.graph.local(below))
            is_same = np.array_equal(wrong, problem.graph.local(edge))  # then it is the inner one that was forgotten
            rank, changes = masked(problem.graph, edge.vertex) + is_same, {edge: slope(wrong), below: slope(1.0)}
            yield Slip(edge.vertex, *put_inside(problem, edge, inner, x), changes, rank=rank)


def put_inside(problem: Problem, edge: Edge, inner: int, x: int) -> tuple[str, str]:
    """Return the rule and the message of f'(g'(x)) for f'(g(x)) g'(x)."""
    name, step, outer = problem.label(x), problem.label(inner), problem.label(edge.vertex)
    rule = f"f'(g'({name})) for f'(g({name}))*g'({name})"
    return rule, f"you put the derivative of {step} inside the derivative of {outer}; it is a factor beside it"


def inputs(graph: Graph, vertex: int) -> list[int]:
    """Return the inputs of a vertex that have its shape."""
    shape = np.shape(graph.vertices[vertex].value)
    sources = dict.fromkeys(source for source in graph.vertices[vertex].sources if source >= 0)
    return [source for source in sources if np.shape(graph.vertices[source].value) == shape]


def variables(graph: Graph, vertex: int, *, deep: bool = False) -> list[int]:
    """Return the values with names that a vertex is made of by steps without names, of its shape; if `deep` leaves."""
    shape = np.shape(graph.vertices[vertex].value)
    steps, waiting = {}, inputs(graph, vertex)
    while waiting:
        below = waiting.pop()
        if not graph.vertices[below].rules or (below in graph.named and not deep):
            is_variable = below in graph.named or graph.vertices[below].line.is_variable
            steps[below] = is_variable and np.shape(graph.vertices[below].value) == shape
        elif below not in steps:
            steps[below] = False
            waiting.extend(source for source in graph.vertices[below].sources if source >= 0)
    return [below for below, is_variable in steps.items() if is_variable]


def slope_at(graph: Graph, edge: Edge, point: Value) -> Value:
    """Return the local derivative of an elementwise edge with its input at another point."""
    vertex = graph.vertices[edge.vertex]
    operands = [point if position == edge.position else x for position, x in enumerate(vertex.operands)]
    return graph.local(edge, operands, vertex.forward(operands))
