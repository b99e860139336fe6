"""Tensors: means, broadcasting, layout."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.broadcast import fit, summed_axes
from gradcli.explanation.refusals import FAILURES
from gradcli.homework.mistakes.declaration import Guess, Mistake, Slip, Turn
from gradcli.homework.solve.graph import Change, Edge, Graph, Vertex
from gradcli.homework.solve.problem import Problem, scaled

SLICES = 8  # of a gradient that was not summed, that are tried

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
BROADCAST_UNSUMMED = Mistake(
    "broadcast-unsummed",
    "did not sum over the broadcast axis",
    order=13,
    hint="look again at the axes along which {node} was broadcast, and what that means for a gradient",
)
TRANSPOSE = Mistake(
    "transpose",
    "left out a transpose, or put one too many",
    order=14,
    of_rule=True,
    hint="look again at the layout at {node}: which factor is transposed, and what has whose shape",
)


TRANSPOSE.ends("the transpose", "it is turned over", lambda problem, value: value.T if np.ndim(value) == 2 else None)


def averaged(vertex: Vertex) -> float:
    """Return the number of entries that a vertex takes the mean of; 1 where it takes none."""
    if "average" in vertex.traits and vertex.options.get("reduction", "mean") == "mean":
        if vertex.op.startswith("nll_loss"):
            return float(np.size(vertex.operands[1]))
        return float(np.size(vertex.operands[0]) / max(np.size(vertex.value), 1))
    if vertex.op == "div" and 1 not in vertex.rules and np.ndim(vertex.operands[1]) == 0:
        return float(vertex.operands[1])
    return 1.0


@MEAN_N.slips
def divisor(problem: Problem) -> Iterator[Slip]:
    """The 1/n forgotten, or used twice."""
    for edge in problem.edges:
        n = averaged(problem.graph.vertices[edge.vertex])
        if n in (0.0, 1.0):
            continue
        vertex, name = problem.graph.vertices[edge.vertex], problem.label(edge.vertex)
        what = f"number that divides in {name}" if vertex.op == "div" else f"n of the mean {name}"
        yield Slip(
            edge.vertex,
            "1 for 1/n",
            f"you forgot to divide by the {what}",
            {edge: scaled(n)},
            f"n is {n:g}",
        )
        yield Slip(
            edge.vertex,
            "1/n**2 for 1/n",
            f"you divided twice by the {what}",
            {edge: scaled(1 / n)},
            f"n is {n:g}",
        )


@BATCH_N.slips
def one_axis(problem: Problem) -> Iterator[Slip]:
    """Divided by the batch, or by another axis alone."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        n = averaged(vertex)
        shape = np.shape(vertex.operands[0]) if vertex.op != "div" else ()
        for axis in dict.fromkeys(shape) if len(shape) > 1 and n == np.prod(shape) else ():
            if axis not in (1, n):
                message = f"{problem.label(edge.vertex)} is the mean over all entries; you divided by one axis alone"
                yield Slip(edge.vertex, "1/m for 1/n", message, {edge: scaled(n / axis)}, f"n is {n:g}, m is {axis}")


def means(graph: Graph) -> Iterator[tuple[int, Vertex, float]]:
    """Yield the means of the forward pass, with their numbers of entries."""
    for index, vertex in graph.new():
        n = averaged(vertex)
        if n not in (0.0, 1.0):
            yield index, vertex, n


@MEAN_N.turns
def summed_up(graph: Graph) -> Iterator[Turn]:
    """The value of a mean that was not divided, or divided twice."""
    for index, vertex, n in means(graph):
        for factor, rule, what in (
            (n, "1 for 1/n", "forgot to divide by"),
            (1 / n, "1/n**2 for 1/n", "divided twice by"),
        ):
            message = f"you {what} the number of entries in {graph.label(index)}"
            yield Turn(index, rule, message, {index: replace(vertex, value=vertex.value * factor)}, f"n is {n:g}")


@BATCH_N.turns
def one_axis_forward(graph: Graph) -> Iterator[Turn]:
    for index, vertex, n in means(graph):
        shape = np.shape(vertex.operands[0]) if vertex.op != "div" else ()
        for axis in dict.fromkeys(shape) if len(shape) > 1 and n == np.prod(shape) else ():
            if axis not in (1, n):
                message = f"{graph.label(index)} is the mean over all entries; you divided by one axis alone"
                yield Turn(index, "1/m for 1/n", message, {index: replace(vertex, value=vertex.value * n / axis)})


def stretched(problem: Problem) -> Iterator[tuple[Edge, Any, tuple[int, ...]]]:
    """Yield the edges whose input was broadcast, with the input and the axes to sum over."""
    for edge in problem.edges:
        operand = problem.graph.vertices[edge.vertex].operands[edge.position]
        shape = np.shape(problem.graph.vertices[edge.vertex].value)
        wide = np.shape(problem.contribution(edge)) if not problem.graph.is_scalar else ()
        axes = summed_axes(shape, np.shape(operand)) if np.ndim(operand) <= len(shape) else ()  # a sum has fewer
        if axes and wide == shape:
            yield edge, operand, axes


@BROADCAST_UNSUMMED.slips
def instead_of_the_sum(problem: Problem) -> Iterator[Slip]:
    """One slice, or the mean, where the sum over the broadcast axes belongs."""
    for edge, operand, axes in stretched(problem):
        name = problem.label(problem.graph.source(edge))
        along = f"the axes along which {name} was broadcast"
        ways = (("mean", lambda c, axes: np.mean(c, axes)), ("first slice", _slice(0)), ("last slice", _slice(-1)))
        for what, reduce in ways:
            yield Slip(
                edge.vertex,
                f"the {what} for the sum over {axes}",
                f"you took the {what} over {along}; the gradient is the sum",
                {edge: _reduced(reduce, axes, operand)},
                rank=0 if what == "mean" else 1,
            )


def _slice(place: int) -> Any:
    return lambda c, axes: c[tuple(place if axis in axes else slice(None) for axis in range(np.ndim(c)))]


def _reduced(reduce: Any, axes: tuple[int, ...], operand: Any) -> Change:
    return lambda g, contribution: np.reshape(reduce(contribution, axes), np.shape(operand))[()]


@BROADCAST_UNSUMMED.guesses
def other_shapes(problem: Problem) -> Iterator[Guess]:
    """The gradient not summed at all, or summed over another axis."""
    if problem.kind != "gradient":
        return
    for edge, operand, axes in stretched(problem):
        if problem.graph.source(edge) != problem.by or len(problem.into(problem.by)) != 1:
            continue
        name, whole = problem.label(problem.by), problem.contribution(edge)
        message = f"{name} was broadcast, so its gradient is summed over the axes along which it was"
        yield Guess(problem.by, "no sum", message, whole, f"axes {axes}")
        for place in range(1, min(np.shape(whole)[axes[0]], SLICES) if len(axes) == 1 else 0):
            part = np.reshape(np.take(whole, place, axes[0]), np.shape(operand))
            yield Guess(problem.by, f"slice {place} along axis {axes[0]}", message, part)
        if np.ndim(operand):
            yield Guess(problem.by, "the sum over all axes", f"{message}, and over no others", np.sum(whole))
        for axis in range(np.ndim(whole)):
            if axes != (axis,):
                summed = np.sum(whole, axis)
                yield Guess(problem.by, f"the sum over axis {axis}", f"{message}, not over another", summed)
                if np.size(summed) == np.size(operand) and np.shape(summed) != np.shape(operand):
                    reshaped = np.reshape(summed, np.shape(operand))
                    yield Guess(problem.by, f"the sum over axis {axis}", f"{message}, not over another", reshaped)


@BROADCAST_UNSUMMED.guesses
def never_summed(problem: Problem) -> Iterator[Guess]:
    """No sum over broadcast axes anywhere, where the variable has several uses or is broadcast only later."""
    sources = [problem.graph.source(edge) for edge, _, _ in stretched(problem)] if problem.kind == "gradient" else []
    if not sources or (problem.by in sources and len(problem.into(problem.by)) == 1):
        return
    with suppress(ValueError, IndexError, TypeError):  # of rules that need the right shape
        whole = problem.swept(fitted=False)[problem.by]
        if np.shape(whole) != np.shape(problem.truth):
            name = problem.label(problem.by)
            message = f"what {name} feeds was broadcast, so its gradient is summed over the axes along which it was"
            yield Guess(problem.by, "no sum", message, whole, rank=1)


@BROADCAST_UNSUMMED.guesses
def one_of_equal_rows(problem: Problem) -> Iterator[Guess]:
    """One row for a gradient whose rows are all alike."""
    truth = np.asarray(problem.truth)
    for axis in range(truth.ndim) if problem.kind == "gradient" and truth.ndim else ():
        first = np.take(truth, 0, axis)
        if truth.shape[axis] > 1 and np.all(truth == np.expand_dims(first, axis)):
            message = f"a gradient has the shape of {problem.label(problem.by)} itself, also where its entries repeat"
            yield Guess(problem.by, "one row", message, first)


@TRANSPOSE.guesses
def transposed(problem: Problem) -> Iterator[Guess]:
    if np.ndim(problem.truth) == 2:
        name = problem.label(problem.by)
        yield Guess(
            problem.by,
            "the transpose",
            f"this is the transpose: a gradient has the layout of {name} itself",
            problem.truth.T,
        )


@TRANSPOSE.slips
def untransposed(problem: Problem) -> Iterator[Slip]:
    """`g @ W` for `g @ W.T`, where the shapes let it through."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        change = _untransposed(vertex, edge.position)
        if change is None:
            continue
        try:
            fits = np.shape(fit(change(problem.totals[edge.vertex], None), np.asarray(vertex.operands[edge.position])))
        except FAILURES:
            continue
        if fits != np.shape(vertex.operands[edge.position]):
            continue
        left, right = ("g", "W") if edge.position == vertex_first(vertex) else ("X", "g")
        turned = f"{left} @ {right}.T" if left == "g" else f"{left}.T @ {right}"
        yield Slip(
            edge.vertex,
            f"{left} @ {right} for {turned}",
            f"on the way back through {problem.label(edge.vertex)} you did not transpose the other factor",
            {edge: change},
        )


def vertex_first(vertex: Vertex) -> int:
    """Return the position of the left factor of a matrix product among the inputs."""
    return len(vertex.operands) - 2


def _untransposed(vertex: Vertex, position: int) -> Change | None:
    first = vertex_first(vertex)
    if "matrix" not in vertex.traits or position < first:
        return None
    if position == first:
        if np.ndim(vertex.operands[first + 1]) == 1:  # the outer product, turned
            return lambda g, contribution: np.outer(vertex.operands[first + 1], g)
        return lambda g, contribution: np.matmul(g, vertex.operands[first + 1])
    return lambda g, contribution: np.matmul(vertex.operands[first], g)
