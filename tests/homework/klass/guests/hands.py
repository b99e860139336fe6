"""The students of the third class: some never go on with a wrong number, others always do, and their accidents vary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.homework.klass.course import apart
from tests.homework.klass.model import OUTSIDE, Numbers, Step, Value
from tests.homework.klass.students import Hand, computed, shows

AGAIN = (0.0, 0.1, 0.5, 1.0)  # the share of wrong numbers behind which a student uses the right one
Accident = Callable[["Guest", Step, Numbers, Any], Value]


def two_digits(guest: Guest, step: Step, own: Numbers, value: Any) -> Value:
    """Get two digits wrong in a sum, in one entry."""
    place = entry(guest, value)
    size = 10.0 ** np.floor(np.log10(abs(value[place]) + 1e-9))
    return changed(value, place, value[place] + guest.sign() * size * (guest.draw(1, 9) + guest.draw(1, 9) / 10) / 10)


def other_sheet(guest: Guest, step: Step, own: Numbers, value: Any) -> Value:
    """Copy from somebody whose numbers are others."""
    numbers = {name: moved(guest, one) for name, one in own.items()}
    return computed(step.right, Numbers(numbers), None)


def whole_number(guest: Guest, step: Step, own: Numbers, value: Any) -> Value:
    """Go on with an earlier number as a whole one."""
    name = guest.one_of([name for name in own if isinstance(own[name], float | np.ndarray)])
    return computed(step.right, Numbers({**own, name: np.round(own[name])[()]}), None)


def digit_of_a_given(guest: Guest, step: Step, own: Numbers, value: Any) -> Value:
    """Read a handwritten 1 as a 7, and the like."""
    name = guest.one_of([name for name in own if isinstance(own[name], float | np.ndarray)])
    array = np.array(own[name], float)
    place = entry(guest, array)
    return computed(step.right, Numbers({**own, name: changed(array, place, array[place] + guest.sign() * 0.6)}), None)


def two_swapped(guest: Guest, step: Step, own: Numbers, value: Any) -> Value:
    if value.size < 3:
        return value * 1.7
    found = value.ravel().copy()
    a, b = guest.choose.choice(found.size, 2, replace=False)
    found[a], found[b] = found[b], found[a]
    return found.reshape(value.shape)


def signs_of_one(guest: Guest, step: Step, own: Numbers, value: Any) -> Value:
    if value.size < 2:
        return -value + 0.3
    place = entry(guest, value)
    return changed(value, place, -value[place])


ACCIDENTS: dict[str, Accident] = {
    "two digits": two_digits,
    "other sheet": other_sheet,
    "whole number": whole_number,
    "digit of a given": digit_of_a_given,
    "two entries swapped": two_swapped,
    "sign of one entry": signs_of_one,
    "plus one": lambda guest, step, own, value: value + 1,
    "minus one": lambda guest, step, own, value: value - 1,
    "root": lambda guest, step, own, value: np.sqrt(np.abs(value)),
    "reciprocal": lambda guest, step, own, value: 1 / value,
    "third power": lambda guest, step, own, value: value**3,
    "exponential": lambda guest, step, own, value: np.exp(value),
    "logarithm": lambda guest, step, own, value: np.log(np.abs(value)),
    "pi": lambda guest, step, own, value: value * np.pi / 2,
    "third": lambda guest, step, own, value: value / 7,
    "tip": lambda guest, step, own, value: value * 1.19,
    "percent of a tenth": lambda guest, step, own, value: value * 0.9,
    "guess": lambda guest, step, own, value: np.round(guest.choose.normal(0, 3, value.shape), 3),
    "plus a constant": lambda guest, step, own, value: value + guest.sign() * guest.draw(1, 40) / 10,
    "rolled": lambda guest, step, own, value: np.roll(value, 1) * 1.0 if value.size > 2 else value * 2.6,
    "running sum": lambda guest, step, own, value: np.cumsum(value).reshape(value.shape) + 0.1 * (value.size == 1),
    "largest for all": lambda guest, step, own, value: (
        np.full(value.shape, value.max()) if value.size > 1 else value * 0.37
    ),
    "normalised": lambda guest, step, own, value: value / np.abs(value).sum() if value.size > 1 else value * 5.3,
    "absolute": lambda guest, step, own, value: np.abs(value) if value.size > 1 else value + 0.45,
    "one entry dropped": lambda guest, step, own, value: (
        changed(value, entry(guest, value), 0.0) if value.size > 1 else value - 0.35
    ),
    "neighbour": lambda guest, step, own, value: value + 0.01 * guest.draw(5, 90) * guest.sign(),
    "sine": lambda guest, step, own, value: np.sin(value),
}


class Guest(Hand):
    """One student at work, with accidents of the third class."""

    odd_share = 0.04

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.again = float(self.choose.choice(AGAIN))

    def goes_on(self, value: Value, straight: Value, right: Value) -> Value:
        if apart(value, straight) and self.choose.random() < self.again:
            return straight
        return super().goes_on(value, straight, right)

    def odd(self, step: Step, own: Numbers, straight: Value, right: Value) -> tuple[Value, str]:
        if isinstance(straight, bool | str):
            return straight, ""
        way = self.one_of(list(ACCIDENTS))
        with np.errstate(all="ignore"):
            value = ACCIDENTS[way](self, step, own, np.array(straight, float))
        is_other = value is not None and all(
            apart(value, computed(work, own, None)) for work in step.wrongs.values()
        )  # else it is that mistake, whatever the student thought
        if not is_other or not shows(np.asarray(value)[()], straight, right):
            return straight, ""
        return np.asarray(value)[()], f"{OUTSIDE}: {way}"

    def sign(self) -> float:
        return float(self.choose.choice([-1, 1]))

    def draw(self, low: int, high: int) -> int:
        return int(self.choose.integers(low, high))

    def one_of(self, names: list[str]) -> str:
        return str(self.choose.choice(names))


def entry(guest: Guest, value: Any) -> Any:
    return np.unravel_index(int(guest.choose.integers(value.size)), value.shape)


def changed(value: Any, place: Any, number: Any) -> Any:
    found = np.array(value)
    found[place] = number
    return found


def moved(guest: Guest, value: Value) -> Value:
    """Return another given number, or array of them."""
    if isinstance(value, bool | str) or value is None:
        return value
    return value + np.reshape(guest.choose.integers(-6, 7, np.size(value)) / 10, np.shape(value))[()]
