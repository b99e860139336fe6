"""Softmax with cross entropy: the gradient at the scores is softmax minus one-hot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gradcli.explanation.lines import FAILURES
from gradcli.homework.mistakes.declaration import WEAK, Guess, Mistake, Slip, Turn
from gradcli.homework.mistakes.forward import FORWARD_SLIP, LAST, operated
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Graph
from gradcli.homework.solve.problem import Problem, scaled, slope

ROWS = 4  # of labels, each of which may be the one that is wrong
SOFTMAX = Mistake("softmax", "slipped in softmax and cross entropy", order=12.5, of_rule=True)


@SOFTMAX.slips
def without_one_hot(problem: Problem) -> Iterator[Slip]:
    """The probabilities alone, and the one-hot labels alone."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        if vertex.op != "log_softmax":
            continue
        scores = problem.label(problem.graph.source(edge))
        message = f"at {scores} the gradient is made of the softmax and of the one-hot labels; you forgot"
        yield Slip(edge.vertex, "softmax", f"{message} the one-hot labels", {edge: _shares})
        yield Slip(edge.vertex, "one-hot", f"{message} the softmax", {edge: _labels}, rank=1)
        message = f"at {scores} the one-hot labels are subtracted, and you added them"
        yield Slip(edge.vertex, "softmax + one-hot", message, {edge: _plus_labels}, rank=1)
        p = np.exp(vertex.value)
        message = f"at {scores} you multiplied by the derivative of the softmax, which is in it already"
        yield Slip(edge.vertex, "p*(1 - p) once more", message, {edge: scaled(p * (1 - p))}, rank=WEAK)


@SOFTMAX.slips
def labels_of_a_sigmoid(problem: Problem) -> Iterator[Slip]:
    """The probabilities alone, or with the labels of the other class, for `p - y` behind a sigmoid."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        p = vertex.value
        given = [
            one.value for one in problem.graph.vertices if one.primitive is None and np.shape(one.value) == np.shape(p)
        ]
        is_loss = vertex.op == "binary_cross_entropy_with_logits" and edge.position == 0
        if is_loss:
            p, given = 1 / (1 + np.exp(-vertex.operands[0])), [vertex.operands[1]]
        for y in given if (vertex.op == "sigmoid" or is_loss) and np.ndim(p) else ():
            share = problem.contribution(edge) / (p - y) if np.all(np.isin(y, (0, 1))) else np.array([np.nan])
            if np.allclose(share, np.ravel(share)[0]):  # the output is their cross entropy
                name = problem.label(problem.graph.source(edge))
                message = f"at {name} the gradient is made of the probabilities and of the labels; you"
                yield Slip(edge.vertex, "p", f"{message} forgot the labels", {edge: scaled(p / (p - y))}, rank=1)
                other = scaled((p - (1 - y)) / (p - y))
                yield Slip(
                    edge.vertex, "p - (1 - y)", f"{message} took those of the other class", {edge: other}, rank=1
                )


@SOFTMAX.slips
def half_a_jacobian(problem: Problem) -> Iterator[Slip]:
    """`p*(g - sum(g*p))` without its sum, without g itself, or with the diagonal of the Jacobian alone."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        if vertex.op != "softmax":
            continue
        p, dim = vertex.value, vertex.options["dim"]
        name = problem.label(edge.vertex)
        message = f"every entry of {name} depends on every score in its row"
        for rule, why, change, rank in (
            ("p*(1 - p)", f"{message}; you kept the diagonal", slope(p * (1 - p)), 0),
            ("p*g", f"{message}; you left out the sum over the others", slope(p), 0),
            ("-p*sum(p*g)", f"{message}; you left out its own part, the one-hot", _others(p, dim, -1.0), 1),
            ("p*sum(p*g)", f"{message}; you left out its own part, the one-hot", _others(p, dim, 1.0), 2),
            ("p*(1 - p) alone", f"{message}, and the gradient from above is a factor", _alone(p * (1 - p)), 2),
            ("g - sum(p*g)", f"every part of the gradient has the factor {name}; you left it out", _plain(p, dim), 1),
            ("p*(g + sum(p*g))", f"what comes of the others in {name} is subtracted", _added(p, dim), 1),
            ("p[i]*p[j] beside the diagonal", f"{message}; beside the diagonal you slipped a sign", _beside(p, dim), 1),
        ):
            yield Slip(edge.vertex, rule, why, {edge: change}, rank=rank)
        if np.ndim(p) == 2:
            message = f"the softmax {name} goes along one axis, and on the way back you summed along the other"
            yield Slip(edge.vertex, "the other axis", message, {edge: _across(p, 1 - dim % 2)}, rank=1)


def _others(p: Value, dim: int, sign: float) -> Change:
    return lambda g, contribution: sign * p * np.sum(p * g, axis=dim, keepdims=True)


def _alone(derivative: Value) -> Change:
    return lambda g, contribution: derivative


def _plain(p: Value, dim: int) -> Change:
    return lambda g, contribution: g - np.sum(p * g, axis=dim, keepdims=True)


def _added(p: Value, dim: int) -> Change:
    return lambda g, contribution: p * (g + np.sum(p * g, axis=dim, keepdims=True))


def _beside(p: Value, dim: int) -> Change:
    return lambda g, contribution: p * (g + np.sum(p * g, axis=dim, keepdims=True)) - 2 * p**2 * g


def _across(p: Value, dim: int) -> Change:
    return lambda g, contribution: p * (g - np.sum(p * g, axis=dim, keepdims=True))


def _shares(g: Value, contribution: Value) -> Value:
    return contribution - g


def _plus_labels(g: Value, contribution: Value) -> Value:
    return contribution - 2 * g


def _labels(g: Value, contribution: Value) -> Value:
    return g


@SOFTMAX.guesses
def every_class(problem: Problem) -> Iterator[Guess]:
    """The derivative of `-log(p[k])` taken at every class: `-1/p`."""
    uses = problem.into(problem.by) if problem.kind == "gradient" and np.ndim(problem.truth) == 1 else []
    if len(uses) == 1 and problem.graph.vertices[uses[0].vertex].op == "select":
        name = problem.label(problem.by)
        of_others = np.count_nonzero(problem.truth) == 1
        p = problem.graph.vertices[problem.by].value
        wrong = np.sum(problem.truth * p) / p
        if of_others and np.all(np.isfinite(wrong)):
            message = f"only one entry of {name} is used; no gradient comes back to the others"
            yield Guess(problem.by, "at every entry", message, wrong, rank=WEAK)


@FORWARD_SLIP.turns
def another_function(graph: Graph) -> Iterator[Turn]:
    """Exponentials that were not divided by their sum, or a sigmoid of each score."""
    for index, vertex in graph.new():
        if vertex.op == "log_softmax":
            message = f"{graph.label(index)} is a logarithm, and you took the softmax itself"
            changed = {index: replace(vertex, value=np.exp(vertex.value))}
            yield Turn(index, "softmax for log_softmax", message, changed, rank=LAST)
        if vertex.op == "softmax":
            out = graph.label(index)
            yield Turn(index, "no sum", f"in {out} you did not divide by the sum of the exponentials",
                       {index: operated(vertex, "exp", (0,))}, rank=LAST)  # fmt: skip
            yield Turn(index, "sigmoid for softmax", f"you took the sigmoid for {out}",
                       {index: operated(vertex, "sigmoid", (0,))}, rank=LAST)  # fmt: skip


@SOFTMAX.turns
def other_axis(graph: Graph) -> Iterator[Turn]:
    """Softmax along the other axis, alone and in the cross entropy with it."""
    places = [index for index, vertex in graph.new() if vertex.op in ("softmax", "log_softmax")]
    matrices = [index for index in places if np.ndim(graph.vertices[index].value) == 2]
    for chosen in [[index] for index in matrices] + ([matrices] if len(matrices) > 1 else []):
        changed = {}
        for index in chosen:
            vertex = graph.vertices[index]
            options = {**vertex.options, "dim": 1 - vertex.options["dim"] % 2}
            assert vertex.primitive is not None
            value = vertex.primitive.forward(*vertex.operands, **options)
            changed[index] = replace(vertex, value=value, altered=options)
        name = graph.label(graph.vertices[chosen[0]].sources[0])
        message = f"you took the softmax of {name} along the wrong axis"
        yield Turn(chosen[0], "the other axis", message, changed)


@SOFTMAX.turns
def over_all_entries(graph: Graph) -> Iterator[Turn]:
    """The exponentials of a matrix divided by the sum of them all."""
    for index, vertex in graph.new():
        if vertex.op in ("softmax", "log_softmax") and np.ndim(vertex.value) > 1:
            raised = np.exp(vertex.operands[0] - np.max(vertex.operands[0]))
            shares = raised / np.sum(raised)
            value = shares if vertex.op == "softmax" else np.log(shares)
            message = f"in {graph.label(index)} you divided by the sum over all entries; each row has its own"
            yield Turn(index, "one sum", message, {index: replace(vertex, value=value)}, rank=1)


@SOFTMAX.turns
def wrong_one_hot(graph: Graph) -> Iterator[Turn]:
    """One-hot labels with the one elsewhere."""
    if not any("softmax" in vertex.op for vertex in graph.vertices):
        return
    for index, vertex in graph.new():
        labels = np.asarray(vertex.value)
        if vertex.primitive is None and labels.ndim and is_one_hot(labels):
            others = [np.roll(labels, shift, -1) for shift in range(1, labels.shape[-1])]
            for other in [*others, labels[::-1]] if labels.ndim > 1 else others:
                message = f"you used other labels for {graph.label(index)}"
                yield Turn(index, "other labels", message, {index: replace(vertex, value=other)})


def is_one_hot(labels: Value) -> bool:
    return bool(np.all(np.isin(labels, (0, 1))) and np.all(labels.sum(axis=-1) == 1))


@SOFTMAX.turns
def wrong_labels(graph: Graph) -> Iterator[Turn]:
    """Labels counted from another number, or in another order; probabilities in place of labels are rolled."""
    for index, vertex in graph.new():
        if not vertex.op.startswith("nll_loss") or vertex.sources[1] < 0:
            continue
        place, classes = vertex.sources[1], np.shape(vertex.operands[0])[-1]
        labels = np.asarray(vertex.operands[1])
        others = [(labels + shift) % classes for shift in range(1, classes)]
        others += [labels[::-1]] if labels.ndim == 1 else []
        for row in range(len(labels) if 1 < np.size(labels) <= ROWS and labels.ndim == 1 else 0):
            others += [labels + shift * (np.arange(len(labels)) == row) for shift in range(1, classes)]
        others = [other % classes for other in others]
        for other in others:
            value = other.astype(labels.dtype)
            try:
                changed = replace(graph.vertices[place], value=value)
            except FAILURES:
                continue
            message = f"in {graph.label(index)} you used other labels"
            yield Turn(index, "other labels", message, {place: changed})
