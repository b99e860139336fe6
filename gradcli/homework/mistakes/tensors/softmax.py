"""Softmax with cross entropy: the gradient at the scores is softmax minus one-hot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gradcli.homework.mistakes.declaration import WEAK, EdgeFacts, Mistake, Slip, StepFacts, Turn
from gradcli.homework.mistakes.forward import FORWARD_SLIP, LAST, operated
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Graph
from gradcli.homework.solve.problem import instead, scaled, slope

ROWS = 4  # of labels, each of which may be the one that is wrong
SOFTMAX = Mistake("softmax", "slipped in softmax and cross entropy", order=12.5, of_rule=True)


@SOFTMAX.rules("log_softmax")
def without_one_hot(edge: EdgeFacts) -> Iterator[Slip]:
    """The probabilities alone, and the one-hot labels alone."""
    p, scores = np.exp(edge.value), edge.input
    message = f"at {scores} the gradient is made of the softmax and of the one-hot labels; you forgot"
    yield edge.slip("softmax", f"{message} the one-hot labels", lambda g, contribution: contribution - g)
    yield edge.slip("one-hot", f"{message} the softmax", lambda g, contribution: g, rank=1)
    message = f"at {scores} the one-hot labels are subtracted, and you added them"
    yield edge.slip("softmax + one-hot", message, lambda g, contribution: contribution - 2 * g, rank=1)
    message = f"at {scores} you multiplied by the derivative of the softmax, which is in it already"
    yield edge.slip("p*(1 - p) once more", message, scaled(p * (1 - p)), rank=WEAK)


@SOFTMAX.rules("sigmoid", "binary_cross_entropy_with_logits")
def labels_of_a_sigmoid(edge: EdgeFacts) -> Iterator[Slip]:
    """The probabilities alone, or with the labels of the other class, for `p - y` behind a sigmoid."""
    p = edge.value
    labels = [v.value for v in edge.graph.vertices if v.primitive is None and np.shape(v.value) == np.shape(p)]
    if edge.op != "sigmoid":
        p, labels = 1 / (1 + np.exp(-edge.operands[0])), [edge.operands[1]] * (edge.position == 0)
    for y in labels if np.ndim(p) else ():
        share = edge.problem.contribution(edge.edge) / (p - y) if np.all(np.isin(y, (0, 1))) else np.array([np.nan])
        if np.allclose(share, np.ravel(share)[0]):  # the output is their cross entropy
            message = f"at {edge.input} the gradient is made of the probabilities and of the labels; you"
            yield edge.slip("p", f"{message} forgot the labels", scaled(p / (p - y)), rank=1)
            other = scaled((p - (1 - y)) / (p - y))
            yield edge.slip("p - (1 - y)", f"{message} took those of the other class", other, rank=1)


@SOFTMAX.rules("softmax")
def half_a_jacobian(edge: EdgeFacts) -> Iterator[Slip]:
    """`p*(g - sum(g*p))` without its sum, without g itself, or with the diagonal of the Jacobian alone."""
    p, dim, name = edge.value, edge.vertex.options["dim"], edge.name

    def total(g: Value, axis: int = dim) -> Value:
        return np.sum(p * g, axis=axis, keepdims=True)

    message = f"every entry of {name} depends on every score in its row"
    no_own_part = f"{message}; you left out its own part, the one-hot"
    changes: tuple[tuple[str, str, Change, int], ...] = (
        ("p*(1 - p)", f"{message}; you kept the diagonal", slope(p * (1 - p)), 0),
        ("p*g", f"{message}; you left out the sum over the others", slope(p), 0),
        ("-p*sum(p*g)", no_own_part, lambda g, _: -p * total(g), 1),
        ("p*sum(p*g)", no_own_part, lambda g, _: p * total(g), 2),
        ("p*(1 - p) alone", f"{message}, and the gradient from above is a factor", instead(p * (1 - p)), 2),
        ("g - sum(p*g)", f"every part of the gradient has the factor {name}; you left it out",
         lambda g, _: g - total(g), 1),
        ("p*(g + sum(p*g))", f"what comes of the others in {name} is subtracted", lambda g, _: p * (g + total(g)), 1),
        ("p[i]*p[j] beside the diagonal", f"{message}; beside the diagonal you slipped a sign",
         lambda g, _: p * (g + total(g)) - 2 * p**2 * g, 1),
    )  # fmt: skip
    for rule, why, change, rank in changes:
        yield edge.slip(rule, why, change, rank=rank)
    if np.ndim(p) == 2:
        message = f"the softmax {name} goes along one axis, and on the way back you summed along the other"
        yield edge.slip("the other axis", message, lambda g, _: p * (g - total(g, 1 - dim % 2)), rank=1)


@FORWARD_SLIP.steps("softmax", "log_softmax")
def another_function(step: StepFacts) -> Iterator[Turn]:
    """Exponentials that were not divided by their sum, or a sigmoid of each score."""
    if step.op == "log_softmax":
        message = f"{step.name} is a logarithm, and you took the softmax itself"
        yield step.turn("softmax for log_softmax", message, np.exp(step.value), rank=LAST)
        return
    message = f"in {step.name} you did not divide by the sum of the exponentials"
    yield step.turn("no sum", message, operated(step.vertex, "exp", (0,)), rank=LAST)
    message = f"you took the sigmoid for {step.name}"
    yield step.turn("sigmoid for softmax", message, operated(step.vertex, "sigmoid", (0,)), rank=LAST)


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


@SOFTMAX.steps("softmax", "log_softmax")
def over_all_entries(step: StepFacts) -> Iterator[Turn]:
    """The exponentials of a matrix divided by the sum of them all."""
    if np.ndim(step.value) > 1:
        raised = np.exp(step.operands[0] - np.max(step.operands[0]))
        shares = raised / np.sum(raised)
        message = f"in {step.name} you divided by the sum over all entries; each row has its own"
        yield step.turn("one sum", message, shares if step.op == "softmax" else np.log(shares), rank=1)


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
        others = [labels + shift for shift in range(1, classes)]
        others += [labels[::-1]] if labels.ndim == 1 else []
        for row in range(len(labels) if 1 < np.size(labels) <= ROWS and labels.ndim == 1 else 0):
            others += [labels + shift * (np.arange(len(labels)) == row) for shift in range(1, classes)]
        for other in others:
            changed = replace(graph.vertices[place], value=(other % classes).astype(labels.dtype))
            yield Turn(index, "other labels", f"in {graph.label(index)} you used other labels", {place: changed})
