"""Broadcasting: the gradient is summed over the axes along which a value was stretched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from gradcli.engine.broadcast import summed_axes
from gradcli.homework.mistakes.declaration import Guess, Mistake, Slip
from gradcli.homework.solve.graph import Change, Edge
from gradcli.homework.solve.problem import Problem

SLICES = 8  # of a gradient that was not summed, that are tried

BROADCAST_UNSUMMED = Mistake(
    "broadcast-unsummed",
    "did not sum over the broadcast axis",
    order=13,
    hint="look again at the axes along which {node} was broadcast, and what that means for a gradient",
)


def stretched(problem: Problem) -> list[tuple[Edge, Any, tuple[int, ...]]]:
    """Return the edges whose input was broadcast, with the input and the axes to sum over."""
    return problem.once("stretched", lambda: list(broadcast_inputs(problem)))


def broadcast_inputs(problem: Problem) -> Iterator[tuple[Edge, Any, tuple[int, ...]]]:
    for edge in problem.edges:
        operand = problem.graph.vertices[edge.vertex].operands[edge.position]
        shape = np.shape(problem.graph.vertices[edge.vertex].value)
        axes = summed_axes(shape, np.shape(operand)) if np.ndim(operand) <= len(shape) else ()  # a sum has fewer
        if axes and np.shape(problem.contribution(edge)) == shape:
            yield edge, operand, axes


@BROADCAST_UNSUMMED.slips
def instead_of_the_sum(problem: Problem) -> Iterator[Slip]:
    """One slice, or the mean, where the sum over the broadcast axes belongs."""
    of_source: dict[int, list[tuple[Edge, Any, tuple[int, ...]]]] = {}
    for one in stretched(problem):
        of_source.setdefault(problem.graph.source(one[0]), []).append(one)
    for source, places in of_source.items():
        name = problem.label(source)
        along = f"the axes along which {name} was broadcast"
        ways = (("mean", lambda c, axes: np.mean(c, axes)), ("first slice", _slice(0)), ("last slice", _slice(-1)))
        for what, reduce in ways:
            for chosen in [*([one] for one in places), *([places] if len(places) > 1 else [])]:
                yield Slip(
                    chosen[0][0].vertex,
                    f"the {what} for the sum over {chosen[0][2]}",
                    f"you took the {what} over {along}; the gradient is the sum",
                    {edge: _reduced(reduce, axes, operand) for edge, operand, axes in chosen},
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
def summed_in_vain(problem: Problem) -> Iterator[Guess]:
    """Summed where nothing was broadcast."""
    truth = np.asarray(problem.truth)
    if (
        problem.kind != "gradient"
        or not truth.ndim
        or problem.by in map(problem.graph.source, stretched_edges(problem))
    ):
        return
    message = f"{problem.label(problem.by)} was not broadcast, so nothing of its gradient is summed"
    yield Guess(problem.by, "a sum", message, np.sum(truth), rank=1)
    for axis in range(truth.ndim if truth.ndim > 1 else 0):
        yield Guess(problem.by, f"a sum over axis {axis}", message, np.sum(truth, axis), rank=1)


def stretched_edges(problem: Problem) -> list[Edge]:
    return [edge for edge, _, _ in stretched(problem)]


@BROADCAST_UNSUMMED.guesses
def each_example(problem: Problem) -> Iterator[Guess]:
    """The parts of a product with a matrix side by side, where they are added."""
    message = f"each example gives a part of the gradient of {problem.label(problem.by)}, and the parts are added"
    for edge in problem.into(problem.by) if problem.kind == "gradient" else ():
        above = problem.into(edge.vertex)
        if problem.graph.vertices[edge.vertex].op == "unsqueeze" and len(above) == 1:  # a vector before a matrix
            edge = above[0]
        vertex, g = problem.graph.vertices[edge.vertex], problem.totals[edge.vertex]
        if vertex.op == "mv" and edge.position == 1:
            whole = vertex.operands[0] * g[:, None]
        elif vertex.op == "mm" and edge.position == 0 and len(vertex.operands[0]) == 1:
            whole = vertex.operands[1] * g
        else:
            continue
        yield Guess(problem.by, "no sum", message, whole)
        yield Guess(problem.by, "no sum", message, whole.T)


@BROADCAST_UNSUMMED.guesses
def one_of_equal_rows(problem: Problem) -> Iterator[Guess]:
    """One row for a gradient whose rows are all alike."""
    truth = np.asarray(problem.truth)
    for axis in range(truth.ndim) if problem.kind == "gradient" and truth.ndim else ():
        first = np.take(truth, 0, axis)
        if truth.shape[axis] > 1 and np.all(truth == np.expand_dims(first, axis)):
            message = f"a gradient has the shape of {problem.label(problem.by)} itself, also where its entries repeat"
            yield Guess(problem.by, "one row", message, first)
