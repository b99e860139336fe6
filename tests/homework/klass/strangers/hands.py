"""The students of the second class: they guess, copy, slip in sums, and often go on with a right number."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.homework.klass.course import apart
from tests.homework.klass.model import OUTSIDE, Numbers, Step, Value
from tests.homework.klass.students import Hand, shows

RIGHT_AGAIN = 0.25  # the share of wrong numbers behind which the right one is used


class Stranger(Hand):
    """One student at work, with other accidents than those of the first class."""

    def goes_on(self, value: Value, straight: Value, right: Value) -> Value:
        if self.choose.random() < RIGHT_AGAIN and not apart(straight, right) and apart(value, right):
            return right
        return super().goes_on(value, straight, right)

    def odd(self, step: Step, own: Numbers, straight: Value, right: Value) -> tuple[Value, str]:
        if isinstance(straight, bool | str):
            return straight, ""
        way = ("guess", "percent", "entry", "column", "constant")[self.choose.integers(5)]
        value: Any = np.array(straight, float)
        place = np.unravel_index(int(self.choose.integers(value.size)), value.shape)
        if way == "guess":
            value = np.round(self.choose.uniform(-6, 6, value.shape), 2)
        elif way == "percent":
            value = value * (1 + float(self.choose.choice([-1, 1])) * float(self.choose.uniform(0.02, 0.4)))
        elif way == "entry":
            value[place] += float(self.choose.choice([-1, 1])) * float(self.choose.integers(1, 30)) / 10
        elif way == "column":
            value = value + np.round(self.choose.uniform(0.2, 3, value.shape[-1:] or ()), 2)
        else:
            value = value - float(self.choose.choice([0.7, 1.3, 2.6, 3.4]))
        value = np.asarray(value)[()]
        return (value, f"{OUTSIDE}: {way}") if shows(value, straight, right) else (straight, "")
