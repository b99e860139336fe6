"""A question of the synthetic class: steps with their right numbers, and the mistakes that students make in them.

All arithmetic is numpy's or Python's own, so that nothing here shares a fault with the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Value = Any  # a number, an array, None, a boolean, or a text
Work = Callable[[Any], Value]
OUTSIDE = "outside"  # begins the names of mistakes that no catalogue knows


class Numbers(dict[str, Value]):
    """What a student has written so far, by name: `v.s`, `v.q_s` for dq/ds."""

    __getattr__ = dict.__getitem__


@dataclass(frozen=True)
class Step:
    """One thing to compute; `wrongs` are by mistake, `code: variation`. One that is not asked has no quantity."""

    name: str
    right: Work
    wrongs: Mapping[str, Work]
    quantity: str = ""


@dataclass(frozen=True)
class Asked:
    """One question: the lines of its TOML, the numbers that are given, and the steps in their order."""

    id: str
    body: str
    given: Mapping[str, Value]
    steps: tuple[Step, ...]

    def toml(self) -> str:
        asks = ", ".join(f'"{step.quantity}"' for step in self.steps if step.quantity)
        return f'[[question]]\nid = "{self.id}"\n{self.body}ask = [{asks}]\n'

    def numbers(self) -> Numbers:
        return Numbers(self.given)

    def right(self) -> Numbers:
        numbers = self.numbers()
        for step in self.steps:
            numbers[step.name] = step.right(numbers)
        return numbers


def asked(quantity: str, right: Work, **wrongs: Work) -> Step:
    """A step that is asked for; `sign__of_v=...` is the mistake `sign: of v`."""
    name = (
        quantity.replace("local d", "l_").replace("/d", "_").replace(".", "_").replace('"', "").replace("p['b']", "b")
    )
    name = name[1:] if "/d" in quantity and quantity.startswith("d") else name
    return Step(name, right, renamed(wrongs), quantity)


def hidden(name: str, right: Work, **wrongs: Work) -> Step:
    return Step(name, right, renamed(wrongs))


def renamed(wrongs: Mapping[str, Work]) -> dict[str, Work]:
    named = (name.partition("__") for name in wrongs)
    texts = [f"{code.replace('_', '-')}: {rest.replace('_', ' ')}" for code, _, rest in named]
    return dict(zip(texts, wrongs.values(), strict=True))


def program(text: str, **at: Value) -> str:
    values = ", ".join(f"{name} = {np.asarray(value).tolist()}" for name, value in at.items())
    return f'program = """\n{text.strip()}\n"""\nat = {{ {values} }}\n'


def script(text: str) -> str:
    return f'script = """\nimport torch\n{text.strip()}\n"""\n'


class Draw:
    """The numbers of fresh assignments: one decimal, not 0 or 1, and no two alike."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def some(self, count: int, low: float = 0.3, high: float = 3.0) -> list[float]:
        pool = [n / 10 for n in range(round(10 * low), round(10 * high)) if n not in (5, 10, 20)]
        return [float(one) for one in self.random.choice(pool, count, replace=False)]

    def signed(self, *shape: int, high: float = 3.0) -> Any:
        """An array with some entries below zero."""
        entries = np.array(self.some(int(np.prod(shape)), 0.2, high))
        signs = self.random.choice([-1, 1], len(entries))
        signs[0], signs[-1] = 1, -1
        return (entries * signs).reshape(shape)
