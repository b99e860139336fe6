"""Fan-out: the gradients that come back through the uses of a value are added, and some were left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations, pairwise
from operator import add

import numpy as np

from gradcli.homework.mistakes.declaration import EdgeFacts, Guess, Mistake, Slip
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Edge
from gradcli.homework.solve.problem import Problem, nothing
from gradcli.homework.wording import listed, shown

FANOUT_OVERWRITE = Mistake("fanout-overwrite", "kept one branch where the branches add up", order=0)
PATH_MISSED = Mistake("path-missed", "left out a path", order=1, kin=FANOUT_OVERWRITE.code)


@FANOUT_OVERWRITE.slips
def one_branch(problem: Problem) -> Iterator[Slip]:
    """`=` where `+=` belongs: one term of the sum alone."""
    for vertex in problem.totals:
        edges = problem.into(vertex)
        twice = {edge.vertex for edge, other in pairwise(sorted(edges)) if edge.vertex == other.vertex}
        branches = [*([edge] for edge in edges), *([e for e in edges if e.vertex == consumer] for consumer in twice)]
        if len(edges) > 2:
            yield from one_use_less(problem, vertex, edges)
        for kept in branches:
            if lost := [edge for edge in edges if edge not in kept]:
                through = problem.label(kept[0].vertex)
                message = f"you kept the branch through {through}; {feeds(problem, vertex, kept[0], lost)}"
                yield without(problem, vertex, lost, f"= the part through {through} alone", message)


def one_use_less(problem: Problem, vertex: int, edges: Sequence[Edge]) -> Iterator[Slip]:
    """All terms of the sum but one, or but those through one step."""
    steps = dict.fromkeys(edge.vertex for edge in edges)
    for lost in [[edge] for edge in edges] + [[e for e in edges if e.vertex == step] for step in steps]:
        if len({edge.vertex for edge in edges if edge not in lost}) > 1:
            through = problem.label(lost[0].vertex)
            message = f"you left out the branch of {problem.label(vertex)} through {through}"
            yield without(problem, vertex, lost, f"without the part through {through}", message)


def without(problem: Problem, vertex: int, lost: Sequence[Edge], rule: str, message: str) -> Slip:
    """Return the slip in which some uses of a value bring no gradient."""
    adds = f"which adds {shown(sum(problem.contribution(edge) for edge in lost))}"
    return Slip(vertex, f"{problem.ratio(problem.of, vertex)} {rule}", message, dict.fromkeys(lost, nothing), adds)


@FANOUT_OVERWRITE.rules("index", "index_select", "gather")
def one_place(edge: EdgeFacts) -> Iterator[Slip]:
    """`=` where `+=` belongs, for entries that were taken several times."""
    x, *others = edge.operands
    places = np.ravel(edge.vertex.forward([np.arange(np.size(x)).reshape(np.shape(x)), *others]))

    def written(g: Value, contribution: Value) -> Value:
        gradient = np.zeros(np.size(contribution), np.asarray(contribution).dtype)
        gradient[places] = np.ravel(g)
        return gradient.reshape(np.shape(contribution))

    if edge.position == 0 and len(set(places.tolist())) < len(places):
        message = f"an entry of {edge.input} that is taken several times gets a gradient from each of them"
        yield edge.slip("the last time alone", message, written, rank=1)


def feeds(problem: Problem, vertex: int, kept: Edge, lost: Sequence[Edge]) -> str:
    """Return the clause about the other uses of a value, perhaps a second one in the same step."""
    name, through = problem.label(vertex), problem.label(kept.vertex)
    labels = dict.fromkeys(problem.label(edge.vertex) for edge in lost)
    others = [label for label in labels if label != through]
    said = ["stands there twice"] if through in labels else []
    return f"{name} {' and '.join([*said, f'also feeds {listed(others)}'] if others else said)}"


@PATH_MISSED.gradients
def some_paths(problem: Problem) -> Iterator[Guess]:
    """Every proper subset of the paths; of more paths than can be tried, nothing."""
    paths = problem.paths if not problem.given else None
    if not paths or len(paths) < 2:
        return
    flows = problem.flows
    for size in range(len(paths) - 1, 0, -1):
        for kept in combinations(range(len(paths)), size):
            lost = [n for n in range(len(paths)) if n not in kept]
            rule = f"{problem.ratio(problem.of, problem.by)} = the sum over {size} of {len(paths)} paths"
            several = "s" * (len(lost) > 1)
            message = f"you left out the path{several} {listed([arrowed(problem, paths[n]) for n in lost])}"
            adds = f"which add{'' if several else 's'} {shown(reduce(add, [flows[n] for n in lost]))}"
            edges = only([paths[n] for n in lost], [paths[n] for n in kept])
            yield Guess(problem.by, rule, message, reduce(add, [flows[n] for n in kept]), adds, len(lost), edges)


def only(lost: Sequence[Sequence[Edge]], others: Sequence[Sequence[Edge]]) -> tuple[Edge, ...]:
    """Return the edges of paths that no other path goes along."""
    used = {edge for path in others for edge in path}
    return tuple(dict.fromkeys(edge for path in lost for edge in path if edge not in used))


def arrowed(problem: Problem, path: Sequence[Edge]) -> str:
    """Write a path from the output on: `q ← p ← s`."""
    return " ← ".join([problem.label(problem.of), *(problem.label(problem.graph.source(edge)) for edge in path)])
