"""Many points at once: what a program does at one point, done to values that have one more dimension in front.

A program is run once on values that hide their numbers: whatever looks at one, to choose a path or to refuse it,
ends the attempt. What comes through does the same at every point of these shapes, and is nothing but a list of
primitives, with those of the backward pass, which the rules leave when they are read over Tensors. So no rule is ever
run over a stack: only primitives are, each as its declaration says. Each step is tried at a few points, and must give
them the bits that they have alone.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.backward import grad
from gradcli.engine.checks.shapes import behind, in_front
from gradcli.engine.graph import Node
from gradcli.engine.hidden import Hidden
from gradcli.engine.modes import switched
from gradcli.engine.numerics.draws import Draws
from gradcli.engine.operators import FUNCTIONS
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.formula import infix
from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError
from gradcli.facts import dataclass

Array = Any  # of numpy
SIZES = ("shape", "size")  # options that are sizes; the others that a declaration names count dimensions


class Step(NamedTuple):
    """One application: its inputs are hidden, or the same at every point."""

    primitive: Primitive
    inputs: tuple[Any, ...]
    options: dict[str, Any]
    out: Hidden

    @property
    def hidden(self) -> list[bool]:
        return [type(x) is Hidden for x in self.inputs]


def _raised(x: Array, exponent: Any) -> Array:
    """Return powers as numpy's operator gives them for each point: of a number in another way than of an array."""
    if np.ndim(exponent):
        raise NotImplementedError("exponents that differ from point to point")
    return np.array([number**exponent for number in x]) if x.ndim == 1 else x**exponent


# What a rule writes as `x**2`, which over Tensors would be torch's power, with other last digits.
POWER = Primitive("numpy_power", operator.pow, (None, None), "", infix("**"), stacked=_raised)


@contextmanager
def hiding() -> Iterator[list[Step]]:
    """Apply primitives in the block to hidden values, and list the applications."""
    steps: list[Step] = []
    reveal = FUNCTIONS["apply"]

    def apply(primitive: Primitive, inputs: tuple[Any, ...], options: dict[str, Any]) -> Tensor:
        values = [x.value if isinstance(x, Tensor) else x for x in inputs]
        hidden = [(x, value) for x, value in zip(inputs, values, strict=True) if type(value) is Hidden]
        for x, value in hidden:
            x.value = value.array
        try:
            out: Tensor = reveal(primitive, inputs, options)
        finally:
            for x, value in hidden:
                value.array, x.value = x.value if x.value is not value else value.array, value
        if hidden:
            if "counting" in primitive.traits and (len(inputs) == 1 or any(x.dtype == np.bool_ for _, x in hidden)):
                raise AttributeError("the number of entries of a hidden value")
            out.value = Hidden(out.value)
            if isinstance(out.node, Node):
                out.node.out, out.node.inputs = out.value, inputs
            steps.append(Step(primitive, tuple(values), options, out.value))
        return out

    FUNCTIONS["apply"] = apply
    try:
        yield steps
    finally:
        FUNCTIONS["apply"] = reveal


@dataclass(frozen=True)
class Stack:
    """A program as a list of steps: its variables, the output, and the gradients that there are."""

    variables: Mapping[str, Hidden]
    steps: Sequence[Step]
    output: Any
    gradients: Mapping[str, Any]

    def sizes(self) -> list[int]:
        """Return the numbers of entries of all values at one point."""
        return [x.size for x in (*self.variables.values(), *(step.out for step in self.steps))]

    def __call__(self, columns: Mapping[str, Array], count: int) -> tuple[Array, dict[str, Array | None]]:
        """Return the output and the gradients at `count` points, whose values the columns have."""
        values = {id(hidden): columns[name] for name, hidden in self.variables.items()}
        with switched(stacked=True, tape=None), np.errstate(all="ignore"):
            for step in self.steps:
                inputs = [values[id(x)] if type(x) is Hidden else x for x in step.inputs]
                values[id(step.out)] = applied(step, inputs, count)

        def of(x: Any) -> Any:
            return values[id(x)] if type(x) is Hidden else np.broadcast_to(x, (count, *np.shape(x)))

        return of(self.output), {name: None if g is None else of(g) for name, g in self.gradients.items()}


def stack(variables: Mapping[str, Hidden], program: Callable[[], tuple[Tensor, Mapping[str, Tensor], Any]]) -> Stack:
    """Return the stack of a program, which returns its output, the leaves to differentiate, and the upstream gradient.

    Raises whatever comes of it where it looks at the numbers, or has a step that is not for stacks.
    """
    with hiding() as steps:
        output, leaves, upstream = program()
        gradients: dict[str, Any] = dict.fromkeys(leaves)
        if leaves and output.node is not None:
            seed = Tensor(np.ones(output.shape, output.dtype)[()] if upstream is None else upstream)
            with written_in_rules():
                tensors = grad([output], [*leaves.values()], [seed], allow_unused=True, carries=True)
            gradients = {name: g if g is None else g.value for name, g in zip(leaves, tensors, strict=True)}
    for leaf in leaves.values():
        leaf.node = None  # a leaf and its node hold each other
    for step in steps:
        check(step)
    return Stack(variables, steps, output.value, gradients)


@contextmanager
def written_in_rules() -> Iterator[None]:
    """Take powers that rules write in the block as they are over arrays."""
    power = FUNCTIONS["pow"]
    FUNCTIONS["pow"] = lambda x, exponent: FUNCTIONS["apply"](POWER, (x, exponent), {})
    try:
        yield
    finally:
        FUNCTIONS["pow"] = power


def check(step: Step) -> None:
    """Refuse a step that does not give each of some points what it gives that point alone, in its layout."""
    if "raising" in step.primitive.traits and np.ndim(step.inputs[0]) > np.ndim(step.inputs[1]) == 0:
        raise NotImplementedError("an array to the power of a number that is another at each point")
    sizes = {size for x in step.inputs for size in np.shape(x)}
    count = next(count for count in range(2, len(sizes) + 3) if count not in sizes)  # so that no other takes its place
    draws = Draws()
    try:
        rows, alone = tried(step, [step.inputs, *(made_up(step, draws) for _ in range(1, count))])
    except (GradcliError, ArithmeticError, ValueError):  # this step is not for any numbers
        rows, alone = tried(step, [step.inputs] * count)
    if rows.shape[1:] != step.out.shape or steps(rows[0]) != steps(step.out):
        raise NotImplementedError(step.primitive.name)
    if any(row.tobytes() != single.tobytes() for row, single in zip(rows, alone, strict=True)):
        raise NotImplementedError(step.primitive.name)


def tried(step: Step, points: Sequence[Sequence[Any]]) -> tuple[Array, list[Any]]:
    """Return the results of a step at some points at once, and at each alone."""
    apply = FUNCTIONS["apply"]
    with switched(tape=None, grad_enabled=False), np.errstate(all="ignore"):
        tensors = [[Tensor(x.array) if type(x) is Hidden else x for x in inputs] for inputs in points]
        alone = [apply(step.primitive, tuple(inputs), step.options).value for inputs in tensors]
        columns = zip(*points, strict=True)
        stacks = [np.stack([x.array for x in xs]) if type(xs[0]) is Hidden else xs[0] for xs in columns]
        with switched(stacked=True):
            return applied(step, stacks, len(points)), alone


def made_up(step: Step, draws: Draws) -> list[Any]:
    """Return inputs of a step with other fractions."""
    return [
        Hidden(laid(draws.uniform(0.1, 0.9, x.shape).astype(x.dtype), x)[()])
        if type(x) is Hidden and x.dtype.kind == "f"
        else x
        for x in step.inputs
    ]


def applied(step: Step, inputs: Sequence[Any], count: int) -> Array:
    """Do a step to many points, by the declaration of its primitive."""
    primitive, options = step.primitive, step.options
    has_points = list(step.hidden)
    if primitive.structured:  # numbers are left as they are
        has_points = [np.ndim(x) > 0 for x in inputs]
        pairs = zip(inputs, step.hidden, strict=True)
        inputs = [x if has or not np.ndim(x) else np.broadcast_to(x, (count, *np.shape(x))) for x, has in pairs]
        if primitive.stacked is None:
            raise NotImplementedError(primitive.name)
    if callable(primitive.stacked):
        return settled(primitive.stacked(*inputs, **options), step)
    ndim, first = max(map(np.ndim, step.inputs)), np.ndim(step.inputs[0])
    defaults = getattr(primitive.forward, "__kwdefaults__", None) or {}
    moved = {
        name: (count, *options[name]) if name in SIZES else behind(options.get(name, defaults.get(name)), first)
        for name in primitive.stacked or ()
    }
    pairs = zip(inputs, has_points, strict=True)
    inputs = [x.reshape(count, *in_front(x.shape[1:], ndim)) if has else x for x, has in pairs]
    return settled(primitive.forward(*inputs, **{**options, **moved}), step)


def settled(result: Array, step: Step) -> Array:
    """Return a result in the dtype and the layout that it has for one point, on which the order of sums depends."""
    result = result if result.dtype == step.out.dtype else result.astype(step.out.dtype)
    return result if not result.size or steps(result[0]) == steps(step.out) else laid(result, step.out)


def laid(x: Array, like: Any) -> Array:
    """Return an array, or a stack of arrays, with the dimensions in memory in the order of another."""
    first = x.ndim - like.ndim
    order = [*range(first), *sorted(range(first, x.ndim), key=lambda dim: -like.strides[dim - first])]
    return np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))


def steps(x: Any) -> list[int]:
    """Return the strides of the dimensions in which there is a step."""
    return [stride for stride, size in zip(x.strides, x.shape, strict=True) if size > 1]
