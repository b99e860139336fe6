"""Values that do not depend on their tensors, but have a node in torch: drawn numbers, filled tensors, angles."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.forward import apply
from gradcli.engine.graph import Node
from gradcli.engine.memory.views import blank
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.formula import Formula, call, literal
from gradcli.engine.tensor import Tensor
from gradcli.errors import ShapeError
from gradcli.language.tree import Argument, Binary, Call, Expression, Name, Number

# Numbers that have a name in formulas.


class Constant:
    """A number that formulas write as it is defined: `log(2)` and not 0.6931471805599453."""

    def __init__(self, value: float, tree: Expression) -> None:
        self.value = value
        self.tree = tree

    def beside(self, x: Any) -> Any:
        """Return the number to use with `x`: a Formula for a Formula, else a plain float, which changes no dtype."""
        return Formula(self.tree, self.value) if isinstance(x, Formula) else self.value


def number_of(x: Any) -> Any:
    """Return the number that stands for an operand which was left out; None of one that was given."""
    return x.number if isinstance(x, Formula) else x if isinstance(x, int) else None


def _call(name: str, argument: Expression) -> Expression:
    return Call(name, (Argument(argument),))


LOG_2 = Constant(math.log(2), _call("log", Number(2)))
LOG_10 = Constant(math.log(10), _call("log", Number(10)))
SQRT_PI = Constant(math.sqrt(math.pi), _call("sqrt", Name("pi")))
SQRT_2_OVER_PI = Constant(math.sqrt(2 / math.pi), _call("sqrt", Binary("/", Number(2), Name("pi"))))


def constant_zeros(x: Any) -> Any:
    """Return zeros like `x`, outside the graph."""
    return Tensor(np.zeros_like(x.value)[()]) if isinstance(x, Tensor) else blank(x)


def constant_node(
    node: str,
    value: Any,
    *inputs: Tensor,
    saves: tuple[int, ...] = (),
    undefined: bool = False,
    written: Callable[[Any], Expression] = literal,
) -> Tensor:
    """Return the value as the result of a node with that name, which gives its inputs zeros, or `undefined` ones.

    The node saves the inputs of these positions, and the result if `OUT` is one of them. No operation of the language
    makes it from its inputs, so that a formula has the value itself, as it is `written`.
    """

    def rule(g: Carrier, out: Carrier, *operands: Carrier, position: int) -> Any:
        return None if undefined else constant_zeros(operands[position])

    def forward(*_: Any) -> Any:
        return value

    def notation(*_: Any) -> Expression:
        return written(value)

    name = node.rpartition("::")[2].partition("Backward")[0].lower()
    kept: dict[str, Any] = {"copies": True, "saves": saves} if saves else {"saves": None}
    node_primitive = Primitive(name, forward, (rule,), node, notation, structured=True, variadic=True, **kept)
    return apply(node_primitive, inputs, {})


def identity(value: Any) -> Expression:
    """Write identity matrices."""
    matrix = Call("eye", tuple(Argument(literal(size)) for size in value.shape[-2:]))
    return matrix if value.ndim == 2 else Call("expand", (Argument(matrix), Argument(literal(value.shape))))


# Operations of several nodes that are one node in torch: its name.


def _same(x: Any) -> Any:
    return x


def pass_through(name: str, node: str, **kept: Any) -> Primitive:
    """Make the primitive of a node that passes values and gradients on unchanged."""
    return Primitive(name, _same, (lambda g, out, x: g,), node, call(name, _same), structured=True, **kept)


@cache
def _ending(node: str, saves: tuple[int, ...], number: int) -> Primitive:
    return pass_through("result", node, saves=saves, number=number)


def as_node(x: Tensor, node: str, *, saves: tuple[int, ...] = (), number: int = 0) -> Any:
    """Return the tensor as the result of a node of this name, which in torch stands for several nodes here.

    The node passes gradients on unchanged; with `saves=(OUT,)` it saves the result. `number` says which of several
    results it is.
    """
    return _ending(node, saves, number)(x)


def one_way(result: Any, message: str) -> Any:
    """Return the result, whose node refuses the backward pass with a RuntimeError, as a kernel of torch does."""

    def refuse(g: Carrier, out: Carrier, *operands: Carrier, **options: Any) -> Any:
        raise ShapeError(message)

    if isinstance(result.node, Node):
        primitive = result.node.primitive
        result.node.primitive = replace(primitive, rules=tuple(rule and refuse for rule in primitive.rules))
    return result
