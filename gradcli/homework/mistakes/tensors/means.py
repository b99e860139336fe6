"""Means: their 1/n forgotten, used twice or for another number; a mean for a sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gradcli.homework.mistakes.declaration import WEAK, Guess, Mistake, Slip, Turn
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
        return number_of_entries(vertex)
    if vertex.op == "div" and 1 not in vertex.rules and np.ndim(vertex.operands[1]) == 0:
        return float(vertex.operands[1])
    return 1.0


def number_of_entries(vertex: Vertex) -> float:
    """Return the number of entries of which a loss is the mean or the sum."""
    if vertex.op.startswith("nll_loss"):
        return float(np.size(vertex.operands[1]))
    return float(np.size(vertex.operands[0]) / max(np.size(vertex.value), 1))


@MEAN_N.slips
def divisor(problem: Problem) -> Iterator[Slip]:
    """The 1/n forgotten, or used twice."""
    for edge in problem.edges:
        n = averaged(problem.graph.vertices[edge.vertex])
        if n in (0.0, 1.0):
            continue
        vertex, name = problem.graph.vertices[edge.vertex], problem.label(edge.vertex)
        rank = 0 if vertex.op != "div" or is_of_sum(problem.graph, vertex) else WEAK
        what = f"number that divides in {name}" if vertex.op == "div" else f"n of the mean {name}"
        yield Slip(
            edge.vertex,
            "1 for 1/n",
            f"you forgot to divide by the {what}",
            {edge: scaled(n)},
            f"n is {n:g}",
            rank=rank,
        )
        yield Slip(
            edge.vertex,
            "1/n**2 for 1/n",
            f"you divided twice by the {what}",
            {edge: scaled(1 / n)},
            f"n is {n:g}",
            rank=rank,
        )
        if n > 2 and n == round(n):
            message = f"you divided by one less than the {what}"
            yield Slip(edge.vertex, "1/(n - 1) for 1/n", message, {edge: scaled(n / (n - 1))}, f"n is {n:g}", WEAK)


def summed_over(vertex: Vertex) -> float:
    """Return the number of entries that a vertex takes the sum of for each of its own; 1 where it takes none."""
    if "average" in vertex.traits and vertex.options.get("reduction") == "sum":
        return number_of_entries(vertex)
    of_sum = vertex.op in ("sum", "sum_dim")
    return float(np.size(vertex.operands[0]) / max(np.size(vertex.value), 1)) if of_sum else 1.0


@MEAN_N.slips
def mean_for_sum(problem: Problem) -> Iterator[Slip]:
    """The gradient of a mean where there is a sum."""
    for edge in problem.edges:
        n = summed_over(problem.graph.vertices[edge.vertex])
        if n not in (0.0, 1.0):
            message = f"{problem.label(edge.vertex)} is a sum, and you took the derivative of a mean"
            yield Slip(edge.vertex, "1/n for 1", message, {edge: scaled(1 / n)}, f"n is {n:g}", rank=1)


@MEAN_N.guesses
def once_more(problem: Problem) -> Iterator[Guess]:
    """The n of a mean on the way taken for a factor here, where the gradient has its 1/n already."""
    if problem.kind != "gradient" or problem.graph.within is None:
        return
    for index in sorted(problem.above):
        vertex = problem.graph.vertices[index]
        if problem.reaches(index) and (n := summed_over(vertex)) not in (0.0, 1.0):
            message = f"{problem.label(index)} is a sum, and you took the derivative of a mean"
            yield Guess(problem.by, "1/n for 1", message, problem.truth / n, f"n is {n:g}", rank=1)
        n = averaged(vertex) if problem.reaches(index) else 1.0
        if n not in (0.0, 1.0):
            rank = 1 if vertex.op != "div" or is_of_sum(problem.graph, vertex) else WEAK
            message = f"the n of the mean {problem.label(index)} is in the gradient already"
            yield Guess(problem.by, "n times", message, problem.truth * n, f"n is {n:g}", rank=rank)
            yield Guess(problem.by, "1/n times", message, problem.truth / n, f"n is {n:g}", rank=rank)


@BATCH_N.guesses
def one_axis_again(problem: Problem) -> Iterator[Guess]:
    """The gradient divided by the batch once more, as many formulas for weights have it."""
    for index in sorted(problem.above) if problem.kind == "gradient" and problem.graph.within is None else ():
        vertex = problem.graph.vertices[index]
        shape = np.shape(vertex.operands[0]) if averaged(vertex) != 1.0 and vertex.op != "div" else ()
        for axis in dict.fromkeys(shape) if len(shape) > 1 and problem.reaches(index) else ():
            if axis not in (1, averaged(vertex)):
                message = (
                    f"the n of the mean {problem.label(index)} is in the gradient already; you divided by one axis, too"
                )
                yield Guess(problem.by, "1/m times", message, problem.truth / axis, f"m is {axis}", rank=1)


@BATCH_N.slips
def one_axis(problem: Problem) -> Iterator[Slip]:
    """Divided by the batch, or by another axis alone."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        n = averaged(vertex)
        whole = summed(problem.graph, vertex) if vertex.op == "div" else vertex
        shape = np.shape(whole.operands[0]) if whole is not None and whole.operands else ()
        for axis in dict.fromkeys(shape) if len(shape) > 1 and n == np.prod(shape) else ():
            if axis not in (1, n):
                message = f"{problem.label(edge.vertex)} is the mean over all entries; you divided by one axis alone"
                yield Slip(edge.vertex, "1/m for 1/n", message, {edge: scaled(n / axis)}, f"n is {n:g}, m is {axis}")


@BATCH_N.slips
def all_entries(problem: Problem) -> Iterator[Slip]:
    """Divided by all the entries, where the sum is divided by another number."""
    for edge in problem.edges:
        vertex, n = problem.graph.vertices[edge.vertex], averaged(problem.graph.vertices[edge.vertex])
        whole = vertex if vertex.op.startswith("nll_loss") else None
        if vertex.op == "div" and n not in (0.0, 1.0):
            whole = summed(problem.graph, vertex)
        if whole is not None:
            size = np.size(whole.operands[0])
            if size not in (0, 1, n):
                message = f"{problem.label(edge.vertex)} is divided by another number than that of all its entries"
                yield Slip(edge.vertex, "1/m for 1/n", message, {edge: scaled(n / size)}, f"n is {n:g}, m is {size}", 1)


def means(graph: Graph) -> Iterator[tuple[int, Vertex, float]]:
    """Yield the means of the forward pass, with their numbers of entries."""
    for index, vertex in graph.new():
        n = averaged(vertex)
        if n not in (0.0, 1.0) and (vertex.op != "div" or is_of_sum(graph, vertex)):
            yield index, vertex, n


def is_of_sum(graph: Graph, vertex: Vertex) -> bool:
    """Whether a quotient is a mean: a sum over entries that is divided by a number."""
    return summed(graph, vertex) is not None


def summed(graph: Graph, vertex: Vertex) -> Vertex | None:
    """Return the sum over entries that a quotient divides, also with a minus sign between; None where it is no sum."""
    below = graph.vertices[vertex.sources[0]] if vertex.sources[0] >= 0 else None
    if below is not None and below.op == "neg" and below.sources[0] >= 0:
        below = graph.vertices[below.sources[0]]
    return below if below is not None and below.op in ("sum", "sum_dim") else None


@MEAN_N.turns
def summed_up(graph: Graph) -> Iterator[Turn]:
    """The value of a mean that was not divided, or divided twice."""
    for index, vertex, n in means(graph):
        for factor, rule, what, rank in (
            (n, "1 for 1/n", "forgot to divide by", 0),
            (1 / n, "1/n**2 for 1/n", "divided twice by", 0),
            *([(n / (n - 1), "1/(n - 1) for 1/n", "divided by one less than", WEAK)] if n > 2 else []),
        ):
            message = f"you {what} the number of entries in {graph.label(index)}"
            wrong = {index: replace(vertex, value=vertex.value * factor)}
            yield Turn(index, rule, message, wrong, f"n is {n:g}", rank=rank)


@MEAN_N.turns
def averaged_value(graph: Graph) -> Iterator[Turn]:
    """A mean where there is a sum."""
    for index, vertex in graph.new():
        n = summed_over(vertex)
        if n not in (0.0, 1.0):
            message = f"{graph.label(index)} is a sum, and you took the mean"
            changed = {index: replace(vertex, value=vertex.value / n)}
            yield Turn(index, "the mean for the sum", message, changed, f"n is {n:g}", rank=1)


@BATCH_N.turns
def one_axis_forward(graph: Graph) -> Iterator[Turn]:
    for index, vertex, n in means(graph):
        shape = np.shape(vertex.operands[0]) if vertex.op != "div" else ()
        for axis in dict.fromkeys(shape) if len(shape) > 1 and n == np.prod(shape) else ():
            if axis not in (1, n):
                message = f"{graph.label(index)} is the mean over all entries; you divided by one axis alone"
                yield Turn(index, "1/m for 1/n", message, {index: replace(vertex, value=vertex.value * n / axis)})
        whole = vertex if vertex.op.startswith("nll_loss") else summed(graph, vertex) if vertex.op == "div" else None
        size = np.size(whole.operands[0]) if whole is not None else n
        if size not in (0, 1, n):
            message = f"{graph.label(index)} is divided by another number than that of all its entries"
            rank = WEAK if vertex.op == "div" else 1
            wrong = {index: replace(vertex, value=vertex.value * n / size)}
            yield Turn(index, "1/m for 1/n", message, wrong, rank=rank)
