"""Convolutions with the kernel turned round: layers of networks slide it as it stands, mathematicians turn it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.homework.mistakes.declaration import EdgeFacts, Mistake, Slip, StepFacts, Turn
from gradcli.homework.model import Value

CONVOLUTION = "convolution"
FLIPPED_KERNEL = Mistake(
    "flipped-kernel", "turned the kernel of a convolution round", order=14.4, of_rule=True, is_single=True
)


def turned_round(kernel: Value) -> Value:
    """Return a kernel with the entries of each channel in the other order."""
    return np.flip(kernel, tuple(range(2, np.ndim(kernel))))


def with_other(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule, or a forward pass, that gets the kernel turned round."""
    return lambda *given, **options: rule(*given[:-2], turned_round(given[-2]), given[-1], **options)


@FLIPPED_KERNEL.rules(CONVOLUTION)
def on_the_way_back(edge: EdgeFacts) -> Iterator[Slip]:
    """The gradient of the input with the kernel turned round, or that of the kernel itself turned round."""

    def change(g: Value, contribution: Value) -> Value:
        if edge.position == 1:
            return turned_round(contribution)
        return with_other(edge.vertex.rules[0])(g, edge.value, *edge.operands, **edge.vertex.options)

    if edge.position <= 1:
        message = f"on the way back to {edge.input} you turned the kernel round"
        yield edge.slip("the kernel turned round", message, change)


@FLIPPED_KERNEL.steps(CONVOLUTION)
def on_the_way_forward(step: StepFacts) -> Iterator[Turn]:
    """The convolution of mathematics, in both passes."""
    vertex, kernel = step.vertex, step.operands[1]
    if np.array_equal(turned_round(kernel), kernel) or vertex.primitive is None:
        return
    rules = {position: with_other(rule) for position, rule in vertex.rules.items()}
    if 1 in rules:
        rules[1] = lambda *given, **options: turned_round(vertex.rules[1](*given, **options))
    primitive = replace(vertex.primitive, forward=with_other(vertex.primitive.forward))
    value = primitive.forward(*vertex.operands, **vertex.options)
    message = f"in {step.name} the kernel slides as it stands; you turned it round"
    yield step.turn("the kernel turned round", message, replace(vertex, primitive=primitive, rules=rules, value=value))
