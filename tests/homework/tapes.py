"""Programs as lists of steps, with values and derivatives of their own: what the tests of diagnoses compare with.

Nothing here asks gradcli. A tape has numpy values, derivatives typed in from a table, and a backward pass of ten lines
in which any contribution can be replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

Value = Any  # a numpy array or scalar
Change = Callable[[Value, Value], Value]  # from upstream gradient and right contribution to the mistaken contribution


class Step(NamedTuple):
    """A name for an operation on names and plain numbers."""

    name: str
    op: str
    args: tuple[str | float, ...]


class Site(NamedTuple):
    """One use of a value: the input of a step at a position."""

    step: str
    position: int


WRITTEN = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{}*{}", "div": "{}/{}", "pow": "{}**{}", "neg": "-{}",
    "matmul": "{} @ {}", "T": "{}.T", "mse_loss": "mse_loss({}, {})",
}  # fmt: skip
SIGMOID = lambda z: 1 / (1 + np.exp(-z))  # noqa: E731
FORWARD: dict[str, Callable[..., Value]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: np.power(a, 1.0 * b),
    "neg": lambda a: -a,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sigmoid": SIGMOID,
    "relu": lambda a: np.maximum(a, 0.0),
    "average": lambda *parts: sum(parts) / len(parts),  # of a list
    "matmul": lambda a, b: a @ b,
    "T": lambda a: a.T,
    "sum": np.sum,
    "mean": np.mean,
    "mse_loss": lambda a, b: np.mean((a - b) ** 2),
}
LOCAL: dict[str, tuple[Callable[..., Value], ...]] = {  # of elementwise steps, over their inputs
    "add": (lambda a, b: 1.0, lambda a, b: 1.0),
    "sub": (lambda a, b: 1.0, lambda a, b: -1.0),
    "mul": (lambda a, b: b, lambda a, b: a),
    "div": (lambda a, b: 1 / b, lambda a, b: -a / b**2),
    "pow": (lambda a, b: b * np.power(a, b - 1.0), lambda a, b: np.power(a, b) * np.log(a)),
    "neg": (lambda a: -1.0,),
    "exp": (np.exp,),
    "log": (lambda a: 1 / a,),
    "sin": (np.cos,),
    "cos": (lambda a: -np.sin(a),),
    "sqrt": (lambda a: 0.5 / np.sqrt(a),),
    "tanh": (lambda a: 1 / np.cosh(a) ** 2,),
    "sigmoid": (lambda a: SIGMOID(a) * SIGMOID(-a),),
    "relu": (lambda a: np.where(a > 0, 1.0, 0.0),),
}
FLOW: dict[str, tuple[Callable[..., Value], ...]] = {  # of the others: from the upstream gradient and the inputs
    "matmul": (
        lambda g, a, b: g @ b.T if np.ndim(b) == 2 else np.outer(g, b),
        lambda g, a, b: a.T @ g,
    ),
    "T": (lambda g, a: g.T,),
    "sum": (lambda g, a: g * np.ones_like(a),),
    "mean": (lambda g, a: g * np.ones_like(a) / np.size(a),),
    "mse_loss": (
        lambda g, a, b: 2 * g * (a - b) / np.size(a),
        lambda g, a, b: 2 * g * (b - a) / np.size(a),
    ),
}
FUNCTIONS = ("exp", "log", "sin", "cos", "sqrt", "tanh", "sigmoid", "relu")


@dataclass(frozen=True)
class Tape:
    """A program at a point: every step is a statement, but for those `inlined` where they are used."""

    leaves: Mapping[str, Value]
    steps: tuple[Step, ...]
    inlined: frozenset[str] = frozenset()

    @property
    def output(self) -> str:
        return self.steps[-1].name

    @cached_property
    def by_name(self) -> dict[str, Step]:
        return {step.name: step for step in self.steps}

    @property
    def named(self) -> list[str]:
        """What a question may ask about, the output last."""
        return [*self.leaves, *(step.name for step in self.steps if step.name not in self.inlined)]

    @cached_property
    def text(self) -> str:
        lines, written = [], {}
        for step in self.steps:
            parts = [written.get(a, a) if isinstance(a, str) else f"{a:g}" for a in step.args]
            if step.op == "average":
                line = f"mean([{', '.join(parts)}])"
            else:
                line = WRITTEN.get(step.op, f"{step.op}({{}})").format(*parts)
            if step.name in self.inlined:
                written[step.name] = f"({line})"
            else:
                lines.append(f"{step.name} = {line}")
        return "\n".join(lines)

    @cached_property
    def values(self) -> dict[str, Value]:
        return self.forward(FORWARD)

    def forward(
        self, functions: Mapping[str, Callable[..., Value]], given: Mapping[str, Value] = {}
    ) -> dict[str, Value]:
        """The values of every step with these functions, and some of them given."""
        values = {**self.leaves, **given}
        for step in self.steps:
            if step.name not in given:
                values[step.name] = functions[step.op](*self.inputs(step, values))
        return values

    def inputs(self, step: Step, values: Mapping[str, Value] | None = None) -> list[Value]:
        values = self.values if values is None else values
        return [values[a] if isinstance(a, str) else a for a in step.args]

    @cached_property
    def sites(self) -> list[Site]:
        """Every use of a value."""
        return [Site(s.name, n) for s in self.steps for n, a in enumerate(s.args) if isinstance(a, str)]

    def source(self, site: Site) -> str:
        source = self.by_name[site.step].args[site.position]
        assert isinstance(source, str)
        return source

    def uses(self, name: str) -> list[Site]:
        return [site for site in self.sites if self.source(site) == name]

    def local(self, site: Site, *inputs: Value) -> Value:
        """The derivative of an elementwise step at its inputs, or at others."""
        step = self.by_name[site.step]
        inputs = inputs or tuple(self.inputs(step))
        return 1 / len(inputs) if step.op == "average" else LOCAL[step.op][site.position](*inputs)

    def is_elementwise(self, name: str) -> bool:
        return name in self.by_name and self.by_name[name].op in LOCAL

    def contribution(self, site: Site, g: Value, values: Mapping[str, Value] | None = None) -> Value:
        """What flows along a use, before it is summed over axes that were broadcast."""
        step = self.by_name[site.step]
        inputs = self.inputs(step, values)
        if step.op in FLOW:
            return FLOW[step.op][site.position](g, *inputs)
        return g * self.local(site, *inputs)

    def gradients(
        self,
        changes: Mapping[Site, Change] | None = None,
        *,
        of: str = "",
        given: Mapping[str, Value] | None = None,
        values: Mapping[str, Value] | None = None,
    ) -> dict[str, Value]:
        """The gradients of a step (the output) with respect to all below it."""
        known = self.values if values is None else values
        totals: dict[str, Value] = {of or self.output: np.ones_like(known[of or self.output])}
        for step in reversed(self.steps):
            if step.name not in totals:
                continue
            g = totals[step.name] = (given or {}).get(step.name, totals[step.name])
            for position, source in enumerate(step.args):
                if isinstance(source, str):
                    site = Site(step.name, position)
                    part = self.contribution(site, g, known)
                    if changes and site in changes:
                        part = changes[site](g, part)
                    totals[source] = totals.get(source, 0.0) + summed_to(part, np.shape(known[source]))
        return totals

    @cached_property
    def right(self) -> dict[str, Value]:
        return self.gradients()

    def paths(self, by: str) -> Iterator[tuple[Site, ...]]:
        """The ways from the output down to a value, each as the uses that it passes."""
        waiting: list[tuple[str, tuple[Site, ...]]] = [(self.output, ())]
        while waiting:
            name, path = waiting.pop()
            if name == by:
                yield path
            elif name in self.by_name:
                sites = [site for site in self.sites if site.step == name]
                waiting.extend((self.source(site), (*path, site)) for site in sites)

    def along(self, paths: Collection[tuple[Site, ...]], by: str) -> Value:
        """The gradient that comes along some paths alone."""
        total = 0.0
        for path in paths:
            g = np.ones_like(self.values[self.output])
            for site in path:
                g = summed_to(self.contribution(site, g), np.shape(self.values[self.source(site)]))
            total = total + g
        return total

    def below(self, name: str) -> list[str]:
        """The named values that a step depends on."""
        found = self.gradients(of=name)
        return [other for other in self.named if other in found and other != name]


def summed_to(value: Value, shape: tuple[int, ...]) -> Value:
    """A gradient summed over the axes along which its owner was broadcast."""
    value = np.asarray(value)
    value = np.sum(value, axis=tuple(range(value.ndim - len(shape))))
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1 and np.shape(value)[axis] != 1)
    return np.sum(value, axis=stretched, keepdims=True) if stretched else value


def slope(derivative: Value) -> Change:
    """The change that puts another local derivative in place of the right one."""
    return lambda g, contribution: g * derivative


def nothing(g: Value, contribution: Value) -> Value:
    """The change that leaves a contribution out."""
    return np.zeros_like(contribution)
