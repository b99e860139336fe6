"""The assignment of a seed: questions with 54 answers in all, on fresh numbers."""

from __future__ import annotations

import numpy as np

from tests.homework.klass import curves, networks, scripts
from tests.homework.klass.model import Asked, Draw

MAKERS = (
    curves.tower, curves.fraction, curves.gaussian, curves.shared,
    networks.tanh_net, networks.relu_net, networks.nll, networks.jacobian,
    scripts.cut, scripts.retained, scripts.spread, scripts.epochs,
)  # fmt: skip
ANSWERS = 54


def questions(seed: int) -> list[Asked]:
    """Return questions that ask for `ANSWERS` quantities, or the nearest number below; the numbers are the seed's."""
    draw = Draw(seed)
    made = [maker(draw) for maker in MAKERS]
    chosen, count = set(), 0
    for place in draw.random.permutation(len(made)):
        asks = sum(bool(step.quantity) for step in made[place].steps)
        if count + asks <= ANSWERS:
            chosen.add(place)
            count += asks
    return [question for place, question in enumerate(made) if place in chosen]


def apart(value: object, other: object) -> bool:
    """Whether two answers differ beyond rounding, so that one of them is wrong."""
    if isinstance(value, bool | str) or isinstance(other, bool | str):
        return value is not other
    if other is None:
        return True
    a, b = np.asarray(value, float), np.asarray(other, float)
    return a.shape != b.shape or bool(np.any(np.abs(a - b) > 0.004 * np.abs(b) + 1e-4))
