"""Means: their 1/n forgotten, used twice or for another number; a mean for a sum."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.homework.mistakes.declaration import WEAK, EdgeFacts, Guess, Mistake, Slip, StepFacts, Turn
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem, scaled
from gradcli.homework.solve.vertices import Vertex

MEAN_N = Mistake(
    "mean-n",
    "forgot the 1/n of a mean, or used it twice",
    order=7,
    of_rule=True,
    hint="look again at how many numbers the mean {node} is over",
)
BATCH_N = Mistake(
    "batch-n",
    "divided by one axis of a mean, not by all its entries",
    order=7.5,
    of_rule=True,
    is_single=True,
    hint="look again at how many numbers the mean {node} is over",
)


def averaged(vertex: Vertex) -> float:
    """Return the number of entries that a vertex takes the mean of; 1 where it takes none."""
    if "average" in vertex.traits and vertex.options.get("reduction", "mean") == "mean":
        return number_of_entries(vertex) or 1.0
    if vertex.op == "div" and 1 not in vertex.rules and np.ndim(vertex.operands[1]) == 0:
        return float(vertex.operands[1]) or 1.0
    return 1.0


def summed_over(vertex: Vertex) -> float:
    """Return the number of entries that a vertex takes the sum of for each of its own; 1 where it takes none."""
    is_summed_loss = "average" in vertex.traits and vertex.options.get("reduction") == "sum"
    return (number_of_entries(vertex) or 1.0) if is_summed_loss or vertex.op in ("sum", "sum_dim") else 1.0


def number_of_entries(vertex: Vertex) -> float:
    """Return the number of entries of which a loss is the mean or the sum."""
    if vertex.op.startswith("nll_loss"):
        return float(np.size(vertex.operands[1]))
    return float(np.size(vertex.operands[0]) / max(np.size(vertex.value), 1))


def divisor_of(graph: Graph, vertex: Vertex) -> float:
    """Return the number of entries of a mean; 1 for any other step, a quotient that divides no sum included."""
    return averaged(vertex) if vertex.op != "div" or summed(graph, vertex) is not None else 1.0


def summed(graph: Graph, vertex: Vertex) -> Vertex | None:
    """Return the sum over entries that a quotient divides, also with a minus sign between; None where it is no sum."""
    below = graph.vertices[vertex.sources[0]] if vertex.sources[0] >= 0 else None
    if below is not None and below.op == "neg" and below.sources[0] >= 0:
        below = graph.vertices[below.sources[0]]
    return below if below is not None and below.op in ("sum", "sum_dim") else None


def other_axes(graph: Graph, vertex: Vertex) -> list[int]:
    """Return the axes by which a mean over all entries of a tensor may be divided in their place."""
    n, whole = averaged(vertex), summed(graph, vertex) if vertex.op == "div" else vertex
    shape = np.shape(whole.operands[0]) if whole is not None and whole.operands else ()
    is_over_all = n != 1 and len(shape) > 1 and n == np.prod(shape)
    return [axis for axis in dict.fromkeys(shape) if is_over_all and axis not in (1, n)]


def all_of_them(graph: Graph, vertex: Vertex) -> int:
    """Return the number of all entries, where a sum is divided by another number; else 0."""
    n = averaged(vertex)
    is_quotient = vertex.op == "div" and n != 1
    whole = vertex if vertex.op.startswith("nll_loss") else summed(graph, vertex) if is_quotient else None
    size = np.size(whole.operands[0]) if whole is not None else 0
    return size if size not in (1, n) else 0


ONE_AXIS = "is the mean over all entries; you divided by one axis alone"
ANOTHER_NUMBER = "is divided by another number than that of all its entries"


@MEAN_N.rules()
def divisor(edge: EdgeFacts) -> Iterator[Slip]:
    """The 1/n forgotten, or used twice."""
    n, detail = averaged(edge.vertex), f"n is {averaged(edge.vertex):g}"
    if n == 1:
        return
    rank = 0 if divisor_of(edge.graph, edge.vertex) != 1 else WEAK
    what = f"number that divides in {edge.name}" if edge.op == "div" else f"n of the mean {edge.name}"
    yield edge.slip("1 for 1/n", f"you forgot to divide by the {what}", scaled(n), detail, rank)
    yield edge.slip("1/n**2 for 1/n", f"you divided twice by the {what}", scaled(1 / n), detail, rank)
    if n > 2 and n == round(n):
        message = f"you divided by one less than the {what}"
        yield edge.slip("1/(n - 1) for 1/n", message, scaled(n / (n - 1)), detail, WEAK)


@MEAN_N.rules()
def mean_for_sum(edge: EdgeFacts) -> Iterator[Slip]:
    """The gradient of a mean where there is a sum."""
    n = summed_over(edge.vertex)
    if n != 1:
        message = f"{edge.name} is a sum, and you took the derivative of a mean"
        yield edge.slip("1/n for 1", message, scaled(1 / n), f"n is {n:g}", rank=1)


@MEAN_N.gradients
def once_more(problem: Problem) -> Iterator[Guess]:
    """The n of a mean on the way taken for a factor here, where the gradient has its 1/n already."""
    for index in sorted(problem.above) if problem.graph.within is not None else ():
        vertex, name = problem.graph.vertices[index], problem.label(index)
        n, m = (summed_over(vertex), averaged(vertex)) if problem.reaches(index) else (1.0, 1.0)
        if n != 1:
            message = f"{name} is a sum, and you took the derivative of a mean"
            yield Guess(index, "1/n for 1", message, problem.truth / n, f"n is {n:g}", rank=1)
        if m != 1:
            rank = 1 if divisor_of(problem.graph, vertex) != 1 else WEAK
            message = f"the n of the mean {name} is in the gradient already"
            yield Guess(index, "1 for 1/n", message, problem.truth * m, f"n is {m:g}", rank=rank)
            yield Guess(index, "1/n**2 for 1/n", message, problem.truth / m, f"n is {m:g}", rank=rank)


@BATCH_N.rules()
def other_divisor(edge: EdgeFacts) -> Iterator[Slip]:
    """Divided by one axis alone; by all the entries, where the sum is divided by another number."""
    n, message = averaged(edge.vertex), f"{edge.name} {ONE_AXIS}"
    for axis in other_axes(edge.graph, edge.vertex):
        yield edge.slip("1/m for 1/n", message, scaled(n / axis), f"n is {n:g}, m is {axis}")
    if size := all_of_them(edge.graph, edge.vertex):
        message = f"{edge.name} {ANOTHER_NUMBER}"
        yield edge.slip("1/m for 1/n", message, scaled(n / size), f"n is {n:g}, m is {size}", 1)


@MEAN_N.steps()
def summed_up(step: StepFacts) -> Iterator[Turn]:
    """The value of a mean that was not divided, or divided twice; a mean where there is a sum."""
    n, m = divisor_of(step.graph, step.vertex), summed_over(step.vertex)
    for factor, rule, what, rank in (
        (n, "1 for 1/n", "forgot to divide by", 0),
        (1 / n, "1/n**2 for 1/n", "divided twice by", 0),
        *([(n / (n - 1), "1/(n - 1) for 1/n", "divided by one less than", WEAK)] if n > 2 else []),
    ):
        if n != 1:
            message = f"you {what} the number of entries in {step.name}"
            yield step.turn(rule, message, step.value * factor, f"n is {n:g}", rank)
    if m != 1:
        message = f"{step.name} is a sum, and you took the mean"
        yield step.turn("the mean for the sum", message, step.value / m, f"n is {m:g}", 1)


@BATCH_N.steps()
def other_divisor_forward(step: StepFacts) -> Iterator[Turn]:
    """The value of a mean that was divided by one axis, or by all entries."""
    n = divisor_of(step.graph, step.vertex)
    for axis in other_axes(step.graph, step.vertex) if step.op != "div" else ():
        yield step.turn("1/m for 1/n", f"{step.name} {ONE_AXIS}", step.value * n / axis)
    size = all_of_them(step.graph, step.vertex) if n != 1 else 0
    if size:
        rank = WEAK if step.op == "div" else 1
        yield step.turn("1/m for 1/n", f"{step.name} {ANOTHER_NUMBER}", step.value * n / size, rank=rank)
