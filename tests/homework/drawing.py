"""Random programs for questions: scalar ones with fan-out and nesting, and small networks."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.homework.tapes import FORWARD, Step, Tape

NICE = (1.0, 2.0, 3.0, 4.0, 0.5, 1.5, -1.0, -2.0, -3.0)
LARGEST = 40.0  # of a value; beyond it gradients leave the range in which people work
Value = Any  # a numpy array or scalar


def scalar_tape(seed: int, *, nice: bool | None = None) -> Tape:
    """A random program on numbers, at values that one types or at any floats."""
    choose = random.Random(seed)
    nice = choose.random() < 0.4 if nice is None else nice
    return ScalarSketch(choose, nice).tape()


class ScalarSketch:
    """A program that is being drawn: each step uses what is there, unused values rather than used ones."""

    def __init__(self, choose: random.Random, nice: bool) -> None:
        self.choose = choose
        names = ("x", "y", "w")[: choose.randint(2, 3)]
        self.leaves = {
            n: choose.choice(NICE) if nice else choose.choice((-1, 1)) * choose.uniform(0.3, 2.5) for n in names
        }
        self.values: dict[str, Value] = dict(self.leaves)
        self.steps: list[Step] = []
        self.unused = list(names)

    def tape(self) -> Tape:
        for _ in range(self.choose.randint(3, 6)):
            self.add(*self.choice())
        while len(self.unused) > 1:  # everything flows into the output
            if len(self.unused) > 2 and self.choose.random() < 0.4:
                self.add("average", tuple(self.unused))
            else:
                self.add(self.choose.choice(("add", "mul", "sub", "mul")), tuple(self.unused[-2:]))
        if self.steps[-1].op == "average" or self.choose.random() < 0.3:
            self.add("pow", (self.unused[0], 2.0))
        return Tape(self.leaves, tuple(self.steps), inlined(self.steps, self.choose))

    def choice(self) -> tuple[str, tuple[str | float, ...]]:
        """An operation with its inputs."""
        a, b = self.name(), self.name()
        number = float(self.choose.choice((2, 3, 5)))
        return self.choose.choice(
            [
                ("add", (a, b)), ("mul", (a, b)), ("mul", (a, b)), ("sub", (a, b)), ("div", (a, b)), ("div", (a, b)),
                ("mul", (number, a)), ("add", (a, number)), ("div", (a, number)), ("div", (number, a)),
                ("pow", (a, 2.0)), ("pow", (a, 3.0)), ("pow", (2.0, a)), ("neg", (a,)), ("sub", (number, a)),
                ("exp", (a,)), ("log", (a,)), ("sqrt", (a,)), ("sin", (a,)), ("cos", (a,)),
                ("tanh", (a,)), ("tanh", (a,)), ("sigmoid", (a,)), ("sigmoid", (a,)), ("relu", (a,)), ("relu", (a,)),
            ]
        )  # fmt: skip

    def name(self) -> str:
        return self.choose.choice(self.unused if self.choose.random() < 0.6 else list(self.values))

    def add(self, op: str, args: tuple[str | float, ...]) -> None:
        """A step with a value to work with: a sum in place of one that divides by nearly 0 and the like."""
        inputs = [np.float64(self.values[a] if isinstance(a, str) else a) for a in args]
        value = FORWARD[op](*inputs)
        risky = {"div": inputs[-1], "log": inputs[0], "sqrt": inputs[0], "relu": inputs[0]}.get(op, 1.0)
        if not abs(value) < LARGEST or abs(risky) < 0.1 or (op in ("div", "sub") and args[0] == args[1]):
            op, args = "add", (args[0] if isinstance(args[0], str) else args[1], 1.0 if len(args) == 1 else args[-1])
            value = sum(np.float64(self.values[a] if isinstance(a, str) else a) for a in args)
        name = "abcdefghjklmnop"[len(self.steps)]
        self.steps.append(Step(name, op, args))
        self.values[name] = value
        self.unused = [n for n in self.unused if n not in args] + [name]


def inlined(steps: list[Step], choose: random.Random) -> frozenset[str]:
    """Some of the steps that are used once, to be written where they are used."""
    uses = [a for step in steps for a in step.args]
    return frozenset(s.name for s in steps[:-1] if uses.count(s.name) == 1 and choose.random() < 0.35)


def network_tape(seed: int) -> Tape:
    """A layer or two with a loss: products of matrices, broadcasting, transposes, activations, fan-out."""
    choose = random.Random(seed)
    return NetworkSketch(choose).tape()


class NetworkSketch:
    def __init__(self, choose: random.Random) -> None:
        self.choose = choose
        self.numbers = np.random.default_rng(choose.randrange(2**32))
        self.leaves: dict[str, Value] = {}
        self.steps: list[Step] = []
        self.rows, self.columns = choose.choice([(2, 3), (3, 2), (3, 3), (2, 2), (4, 3)])

    def leaf(self, name: str, *shape: int) -> str:
        drawn = self.numbers.uniform(0.2, 1.6, shape) * self.numbers.choice([-1, 1], shape)
        self.leaves[name] = np.round(drawn, 3)[()]
        return name

    def step(self, op: str, *args: str | float) -> str:
        name = "abcdefghjklmnop"[len(self.steps)]
        self.steps.append(Step(name, op, args))
        return name

    def tape(self) -> Tape:
        draw: Callable[[], str] = self.choose.choice([self.layer, self.layer, self.table])
        value = draw()
        shape = (self.rows, self.columns)
        if self.choose.random() < 0.4:
            name, size = self.choose.choice([("s", ()), ("s", (self.columns,)), ("s", (self.rows, 1))])
            value = self.step("mul", value, self.leaf(name, *size))
        if self.choose.random() < 0.3:  # fan-out
            value = self.step(self.choose.choice(("mul", "add")), value, self.step("tanh", value))
        loss = self.choose.choice(["mse_loss", "squares", "mean", "sum", "weighted"])
        if loss == "mse_loss":
            self.step("mse_loss", value, self.leaf("Y", *shape))
        elif loss == "squares":
            self.step("mean", self.step("pow", self.step("sub", value, self.leaf("Y", *shape)), 2.0))
        elif loss == "weighted":
            self.step("sum", self.step("mul", value, self.leaf("C", *shape)))
        else:
            self.step(loss, self.step("pow", self.step("add", value, 1.0), 2.0))
        return Tape(self.leaves, tuple(self.steps), inlined(self.steps, self.choose))

    def layer(self) -> str:
        inner = self.choose.choice([2, 3, self.columns])
        x = self.leaf("X", self.rows, inner)
        if self.choose.random() < 0.4:
            weight = self.step("T", self.leaf("W", self.columns, inner))
        else:
            weight = self.leaf("W", inner, self.columns)
        value = self.step("matmul", x, weight)
        if self.choose.random() < 0.75:
            size = self.choose.choice([(self.columns,), (1, self.columns), (self.rows, 1), ()])
            value = self.step("add", value, self.leaf("v", *size))
        if self.choose.random() < 0.75:
            value = self.step(self.choose.choice(["tanh", "sigmoid", "relu", "relu", "relu", "sin"]), value)
        return value

    def table(self) -> str:
        """Two tables elementwise, one of them perhaps turned or stretched."""
        turned = self.step("T", self.leaf("A", self.columns, self.rows))
        size = self.choose.choice([(self.rows, self.columns), (self.columns,), (self.rows, 1), (1, self.columns), ()])
        value = self.step(self.choose.choice(["mul", "add", "mul", "sub", "div"]), turned, self.leaf("B", *size))
        return self.step(self.choose.choice(["tanh", "sin", "relu", "relu", "sigmoid"]), value)
