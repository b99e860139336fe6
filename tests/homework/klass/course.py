"""The assignment of a seed: about 15 questions with 54 answers, on fresh numbers."""

from __future__ import annotations

import numpy as np

from tests.homework.klass import matrices, neurons, scalars, snippets
from tests.homework.klass.model import Asked, Draw

MAKERS = (
    scalars.diamond, scalars.product, scalars.quotient, scalars.powers, scalars.wave, scalars.root,
    neurons.neuron, neurons.tanh_neuron, neurons.units,
    matrices.matrices, matrices.layers, matrices.relu_layer, matrices.classes, matrices.broadcasting, matrices.means,
    snippets.accumulation, snippets.detached, snippets.without_grad, snippets.functional,
)  # fmt: skip
ANSWERS = 54


def questions(seed: int) -> list[Asked]:
    """Return questions that ask for `ANSWERS` quantities, or the nearest number below; the numbers are the seed's."""
    draw = Draw(seed)
    kept: list[Asked] = []
    made = [maker(draw) for maker in MAKERS]
    for place in draw.random.permutation(len(made)):
        if sum(map(asks, [*kept, made[place]])) <= ANSWERS:
            kept.append(made[place])
    return [one for one in made if any(one is other for other in kept)]


def asks(question: Asked) -> int:
    return sum(bool(step.quantity) for step in question.steps)


def apart(value: object, other: object) -> bool:
    """Whether two answers differ beyond rounding, so that one of them is wrong."""
    if isinstance(value, bool | str) or isinstance(other, bool | str):
        return value is not other
    a, b = np.asarray(value, float), np.asarray(other, float)
    return a.shape != b.shape or bool(np.any(np.abs(a - b) > 0.004 * np.abs(b) + 1e-4))
