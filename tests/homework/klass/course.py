"""The assignment of a seed: about 15 questions with 54 answers, on fresh numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.homework.klass import chains, loops, losses, matrices, neurons, scalars, shapes, snippets
from tests.homework.klass.guests import curves as paper
from tests.homework.klass.guests import nets, units
from tests.homework.klass.guests import scripts as snips
from tests.homework.klass.model import Asked, Draw
from tests.homework.klass.strangers import curves, networks, scripts

COURSES = {
    "first": (
        scalars.diamond, scalars.product, scalars.quotient, scalars.powers, scalars.wave, scalars.root,
        neurons.neuron, neurons.tanh_neuron, neurons.units,
        matrices.matrices, matrices.layers, matrices.relu_layer, matrices.classes, matrices.broadcasting,
        matrices.means,
        snippets.accumulation, snippets.detached, snippets.without_grad, snippets.functional,
    ),
    "second": (
        chains.bell, chains.meeting, chains.kinks, chains.tied, chains.deep, chains.logs,
        losses.logistic, losses.vector_layer, losses.scores, losses.jacobian, losses.regression,
        shapes.outer, shapes.centred, shapes.layout, shapes.attention, shapes.gated,
        loops.descent, loops.by_hand, loops.twice, loops.higher, loops.weighted, loops.module,
    ),
}  # fmt: skip
MAKERS = tuple(maker for course in COURSES.values() for maker in course)
STRANGERS = (
    curves.polynomial, curves.relay, curves.ratio, curves.shared, curves.entropy,
    networks.logistic_batch, networks.tanh_net, networks.relu_net, networks.nll, networks.bias, networks.mse,
    networks.variance, networks.norm,
    scripts.batches, scripts.cut, scripts.in_place, scripts.update, scripts.retained, scripts.spread,
)  # fmt: skip
GUESTS = (
    paper.tower, paper.fraction, paper.whole_numbers, paper.hinge, units.gaussian, units.recurrence, units.binary,
    units.kinked, nets.two_layers, nets.crossed, nets.shifted, nets.jacobian, snips.momentum, snips.twice, snips.frozen,
    snips.epochs, snips.places, snips.products,
)  # fmt: skip
ANSWERS = 54


def questions(seed: int, makers: Sequence[Any] = MAKERS) -> list[Asked]:
    """Return questions that ask for `ANSWERS` quantities, or the nearest number below; the numbers are the seed's."""
    draw = Draw(seed)
    kept: list[Asked] = []
    made = [maker(draw) for maker in makers]
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
    if other is None:
        return True
    a, b = np.asarray(value, float), np.asarray(other, float)
    return a.shape != b.shape or bool(np.any(np.abs(a - b) > 0.004 * np.abs(b) + 1e-4))
