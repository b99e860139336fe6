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
    for use in stretched(problem):
        of_source.setdefault(problem.graph.source(use[0]), []).append(use)
    for source, places in of_source.items():
        along = f"the axes along which {problem.label(source)} was broadcast"
        for what, reduce, rank in (("mean", np.mean, 0), ("first slice", _slice(0), 1), ("last slice", _slice(-1), 1)):
            for chosen in [*([use] for use in places), *([places] if len(places) > 1 else [])]:
                message = f"you took the {what} over {along}; the gradient is the sum"
                changes = {edge: _reduced(reduce, axes, operand) for edge, operand, axes in chosen}
                rule = f"the {what} for the sum over {chosen[0][2]}"
                yield Slip(chosen[0][0].vertex, rule, message, changes, rank=rank)


def _slice(place: int) -> Any:
    return lambda c, axes: c[tuple(place if axis in axes else slice(None) for axis in range(np.ndim(c)))]


def _reduced(reduce: Any, axes: tuple[int, ...], operand: Any) -> Change:
    return lambda g, contribution: np.reshape(reduce(contribution, axes), np.shape(operand))[()]


@BROADCAST_UNSUMMED.gradients
def other_shapes(problem: Problem) -> Iterator[Guess]:
    """The gradient not summed at all, or summed over another axis."""
    for edge, operand, axes in stretched(problem):
        if problem.graph.source(edge) != problem.by or len(problem.into(problem.by)) != 1:
            continue
        whole, shape = problem.contribution(edge), np.shape(operand)
        message = (
            f"{problem.label(problem.by)} was broadcast, so its gradient is summed over the axes along which it was"
        )
        yield Guess(problem.by, "no sum", message, whole, f"axes {axes}")
        for place in range(1, min(np.shape(whole)[axes[0]], SLICES) if len(axes) == 1 else 0):
            part = np.reshape(np.take(whole, place, axes[0]), shape)
            yield Guess(problem.by, f"slice {place} along axis {axes[0]}", message, part)
        if shape:
            yield Guess(problem.by, "the sum over all axes", f"{message}, and over no others", np.sum(whole))
        for axis in range(np.ndim(whole)):
            summed = np.sum(whole, axis)
            is_like = np.size(summed) == np.size(operand) and np.shape(summed) != shape
            for value in (summed, np.reshape(summed, shape)) if is_like else (summed,):
                if axes != (axis,):
                    yield Guess(problem.by, f"the sum over axis {axis}", f"{message}, not over another", value)


@BROADCAST_UNSUMMED.gradients
def never_summed(problem: Problem) -> Iterator[Guess]:
    """No sum over broadcast axes anywhere, where the variable has several uses or is broadcast only later."""
    sources = stretched_sources(problem)
    if not sources or (problem.by in sources and len(problem.into(problem.by)) == 1):
        return
    with suppress(ValueError, IndexError, TypeError):  # of rules that need the right shape
        whole = problem.swept(fitted=False)[problem.by]
        if np.shape(whole) != np.shape(problem.truth):
            name = problem.label(problem.by)
            message = f"what {name} feeds was broadcast, so its gradient is summed over the axes along which it was"
            yield Guess(problem.by, "no sum", message, whole, rank=1)


def stretched_sources(problem: Problem) -> set[int]:
    return {problem.graph.source(edge) for edge, _, _ in stretched(problem)}


@BROADCAST_UNSUMMED.gradients
def summed_in_vain(problem: Problem) -> Iterator[Guess]:
    """Summed where nothing was broadcast."""
    truth = np.asarray(problem.truth)
    if truth.ndim and problem.by not in stretched_sources(problem):
        message = f"{problem.label(problem.by)} was not broadcast, so nothing of its gradient is summed"
        yield Guess(problem.by, "a sum", message, np.sum(truth), rank=1)
        for axis in range(truth.ndim if truth.ndim > 1 else 0):
            yield Guess(problem.by, f"a sum over axis {axis}", message, np.sum(truth, axis), rank=1)


@BROADCAST_UNSUMMED.gradients
def each_example(problem: Problem) -> Iterator[Guess]:
    """The parts of a product with a matrix side by side, where they are added."""
    message = f"each example gives a part of the gradient of {problem.label(problem.by)}, and the parts are added"
    for edge in problem.into(problem.by):
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


@BROADCAST_UNSUMMED.gradients
def one_of_equal_rows(problem: Problem) -> Iterator[Guess]:
    """One row for a gradient whose rows are all alike."""
    truth = np.asarray(problem.truth)
    for axis in range(truth.ndim):
        first = np.take(truth, 0, axis)
        if truth.shape[axis] > 1 and np.all(truth == np.expand_dims(first, axis)):
            message = f"a gradient has the shape of {problem.label(problem.by)} itself, also where its entries repeat"
            yield Guess(problem.by, "one row", message, first)
