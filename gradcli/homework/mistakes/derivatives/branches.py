"""Fan-out: the gradients that come back through the uses of a value are added, and some were left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations, pairwise
from operator import add

import numpy as np

from gradcli.homework.mistakes.declaration import WEAK, Guess, Mistake, Slip
from gradcli.homework.mistakes.derivatives.chains import LOCAL_NOT_TOTAL
from gradcli.homework.mistakes.derivatives.rules import PRODUCT_OWN_FACTOR
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Edge
from gradcli.homework.solve.problem import Problem, nothing, slope
from gradcli.homework.wording import listed, shown

FANOUT_OVERWRITE = Mistake("fanout-overwrite", "kept one branch where the branches add up", order=0)
PATH_MISSED = Mistake("path-missed", "left out a path", order=1, kin=FANOUT_OVERWRITE.code)


@FANOUT_OVERWRITE.slips
def one_branch(problem: Problem) -> Iterator[Slip]:
    """`=` where `+=` belongs: one term of the sum alone."""
    for vertex in problem.totals:
        edges = problem.into(vertex)
        if len(edges) < 2:
            continue
        name = problem.label(vertex)
        twice = {edge.vertex for edge, other in pairwise(sorted(edges)) if edge.vertex == other.vertex}
        branches = [*([edge] for edge in edges), *([e for e in edges if e.vertex == consumer] for consumer in twice)]
        if len(edges) > 2:
            yield from one_use_less(problem, vertex, edges)
        for kept in branches:
            lost = [edge for edge in edges if edge not in kept]
            if not lost:
                continue
            through = problem.label(kept[0].vertex)
            yield Slip(
                vertex,
                f"{problem.ratio(problem.of, vertex)} = the part through {through} alone",
                f"you kept the branch through {through}; {feeds(problem, name, kept[0], lost)}",
                dict.fromkeys(lost, nothing),
                f"which adds {shown(sum(problem.contribution(edge) for edge in lost))}",
            )


@FANOUT_OVERWRITE.slips
def one_place(problem: Problem) -> Iterator[Slip]:
    """`=` where `+=` belongs, for entries that were taken several times."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        if vertex.op in ("index", "index_select", "gather") and edge.position == 0:
            x = vertex.operands[0]
            places = np.ravel(vertex.forward([np.arange(np.size(x)).reshape(np.shape(x)), *vertex.operands[1:]]))
            if len(set(places.tolist())) < len(places):
                name = problem.label(problem.graph.source(edge))
                message = f"an entry of {name} that is taken several times gets a gradient from each of them"
                yield Slip(edge.vertex, "the last time alone", message, {edge: _written(places)}, rank=1)


def _written(places: Value) -> Change:
    def change(g: Value, contribution: Value) -> Value:
        found = np.zeros(np.size(contribution), np.asarray(contribution).dtype)
        found[places] = np.ravel(g)
        return found.reshape(np.shape(contribution))

    return change


def one_use_less(problem: Problem, vertex: int, edges: Sequence[Edge]) -> Iterator[Slip]:
    """All terms of the sum but one, or but those through one step."""
    steps = dict.fromkeys(edge.vertex for edge in edges)
    for lost in [[edge] for edge in edges] + [[e for e in edges if e.vertex == step] for step in steps]:
        if len({edge.vertex for edge in edges if edge not in lost}) > 1:
            through = problem.label(lost[0].vertex)
            yield Slip(
                vertex,
                f"{problem.ratio(problem.of, vertex)} without the part through {through}",
                f"you left out the branch of {problem.label(vertex)} through {through}",
                dict.fromkeys(lost, nothing),
                f"which adds {shown(sum(problem.contribution(edge) for edge in lost))}",
            )


@PRODUCT_OWN_FACTOR.slips
def own_summand(problem: Problem) -> Iterator[Slip]:
    """d(u + v)/dv = v, which is 1, for a variable v."""
    for edge in problem.edges:
        vertex, source = problem.graph.vertices[edge.vertex], problem.graph.source(edge)
        if vertex.op in ("add", "sub") and source in problem.graph.leaves:
            name = problem.label(source)
            message = f"the derivative of the sum {problem.label(edge.vertex)} by {name} is not {name} itself"
            rule = f"{problem.ratio(edge.vertex, source)} = {name}"
            yield Slip(edge.vertex, rule, message, {edge: slope(vertex.operands[edge.position])}, rank=WEAK)
            if vertex.op == "sub" and edge.position == 1:
                own = slope(-vertex.operands[edge.position])
                yield Slip(edge.vertex, f"{rule} with its sign", message, {edge: own}, rank=WEAK)


@LOCAL_NOT_TOTAL.slips
def local_on_one_path(problem: Problem) -> Iterator[Slip]:
    """The local derivative along one use of a value that has several, without the gradient from above."""
    graph = problem.graph
    for source in problem.totals:
        uses = problem.into(source)
        for edge in uses if len(uses) > 1 else ():
            vertex = graph.vertices[edge.vertex]
            if not vertex.structured and edge.vertex != problem.of:
                ratio = problem.ratio(edge.vertex, source)
                message = f"{ratio} is still to be multiplied by {problem.ratio(problem.of, edge.vertex)}"
                yield Slip(edge.vertex, f"{ratio} alone", message, {edge: _alone(problem.local(edge))}, rank=1)


def _alone(local: Value) -> Change:
    return lambda g, contribution: np.broadcast_to(local, np.shape(contribution))


def feeds(problem: Problem, name: str, kept: Edge, lost: Sequence[Edge]) -> str:
    """Return the clause about the other uses of a value, perhaps a second one in the same step."""
    through = problem.label(kept.vertex)
    labels = dict.fromkeys(problem.label(edge.vertex) for edge in lost)
    others = [label for label in labels if label != through]
    said = ["stands there twice"] if through in labels else []
    return f"{name} {' and '.join([*said, f'also feeds {listed(others)}'] if others else said)}"


@PATH_MISSED.guesses
def some_paths(problem: Problem) -> Iterator[Guess]:
    """Every proper subset of the paths; of more paths than can be tried, nothing."""
    paths = problem.paths if problem.kind == "gradient" and not problem.given else None
    if not paths or len(paths) < 2:
        return
    flows = problem.flows
    for size in range(len(paths) - 1, 0, -1):
        for kept in combinations(range(len(paths)), size):
            lost = [n for n in range(len(paths)) if n not in kept]
            yield Guess(
                problem.by,
                f"{problem.ratio(problem.of, problem.by)} = the sum over {size} of {len(paths)} paths",
                f"you left out {'the path' if len(lost) == 1 else 'the paths'} "
                + listed([arrowed(problem, paths[n]) for n in lost]),
                reduce(add, [flows[n] for n in kept]),
                f"which {'adds' if len(lost) == 1 else 'add'} {shown(reduce(add, [flows[n] for n in lost]))}",
                rank=len(lost),
                edges=only([paths[n] for n in lost], [paths[n] for n in kept]),
            )


def only(lost: Sequence[Sequence[Edge]], others: Sequence[Sequence[Edge]]) -> tuple[Edge, ...]:
    """Return the edges of paths that no other path goes along."""
    used = {edge for path in others for edge in path}
    return tuple(dict.fromkeys(edge for path in lost for edge in path if edge not in used))


def arrowed(problem: Problem, path: Sequence[Edge]) -> str:
    """Write a path from the output on: `q ← p ← s`."""
    return " ← ".join([problem.label(problem.of), *(problem.label(problem.graph.source(edge)) for edge in path)])
