"""The expression language on real torch: the oracle that the engine is measured against.

Needs torch, so only `tests/goldens/record.py` and tests behind `pytest.importorskip("torch")` import it. It shares the
parser and the annotations of operations with gradcli (which lists are labels), and none of its mathematics.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch

from gradcli.language.parser import parse_program
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    List,
    Literal,
    Method,
    Name,
    Number,
    Slice,
    Tuple,
    Unary,
    children,
    postorder,
)
from gradcli.ops.support.surface import OPERATIONS
from gradcli.source import Source
from tests.graphs import flattened
from tests.torch_names import function_of

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": partial(torch.div, rounding_mode="floor"),  # torch has no derivative for its own `//`
    "%": operator.mod,
    "@": operator.matmul,
    "**": operator.pow,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
CONSTANTS = {"pi": math.pi, "inf": math.inf, "nan": math.nan}


@dataclass
class Outcome:
    """What a program leaves: its output, and the leaves by name."""

    output: torch.Tensor | None = None
    leaves: dict[str, torch.Tensor] = field(default_factory=dict)

    @property
    def graph(self) -> list[str]:
        assert self.output is not None
        return flattened(self.output.grad_fn, self.leaves)

    def gradients(self) -> dict[str, torch.Tensor | None]:
        """The gradients for the upstream gradient 1, 2, 3, ..."""
        output = self.output
        assert output is not None
        if output.requires_grad:
            output.backward(torch.arange(1, output.numel() + 1, dtype=output.dtype).reshape(output.shape))
        return {name: leaf.grad for name, leaf in self.leaves.items()}


def run(text: str) -> Outcome:
    """Evaluate a program in double precision; assignments of plain numbers and lists are leaves."""
    outcome = Outcome()
    scope: dict[str, Any] = dict(CONSTANTS)
    with double_precision():
        for statement in parse_program(Source(text)).statements:
            value = _evaluate(statement.value, scope)
            if statement.target is not None and statement.target not in scope and _is_plain(statement.value):
                value = torch.tensor(value, dtype=torch.float64, requires_grad=True)
                outcome.leaves[statement.target] = value
            scope[str(statement.target)] = value
        outcome.output = as_tensor(value)
    return outcome


@contextmanager
def double_precision() -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def _is_plain(tree: Expression) -> bool:
    return all(isinstance(node, Number | List | Unary) for node in postorder(tree))


def _evaluate(tree: Expression, scope: dict[str, Any]) -> Any:
    stack: list[Any] = []
    for node in postorder(tree):
        count = len(children(node))
        parts = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        stack.append(scope[node.id] if isinstance(node, Name) else _apply(node, parts))
    return stack[0]


def _apply(node: Expression, parts: list[Any]) -> Any:
    match node:
        case Number() | Literal():
            return node.value
        case List():
            return parts
        case Tuple():
            return tuple(parts)
        case Unary():
            return -_operand(parts[0]) if node.operator == "-" else parts[0]
        case Binary() | Compare():
            return OPERATORS[node.operator](*map(_operand, parts))
        case Call():
            arguments, keywords = _read(node.function, node.arguments, parts)
            return function_of(OPERATIONS[node.function].name)(*arguments, **keywords)
        case Method():
            (receiver, *arguments), keywords = _read(node.name, [Argument(node.receiver), *node.arguments], parts)
            return getattr(receiver, node.name)(*arguments, **keywords)
        case Attribute():
            return getattr(parts[0], node.name)
        case Slice():
            rest = iter(parts)
            return slice(*(None if part is None else next(rest) for part in (node.start, node.stop, node.step)))
        case Index():
            items = tuple(as_tensor(item) if isinstance(item, list) else item for item in parts[1:])
            return parts[0][items if len(items) > 1 else items[0]]
    raise TypeError(f"not an expression: {type(node).__name__}")


def as_tensor(value: Any) -> torch.Tensor:
    """Numbers and lists as constants; lists that hold tensors are stacked."""
    if isinstance(value, torch.Tensor):
        return value
    if isinstance(value, list) and any(isinstance(item, torch.Tensor) for item in value):
        return torch.stack([as_tensor(item) for item in value])
    return torch.tensor(value)


def _operand(value: Any) -> Any:
    """Lists in arithmetic hold real numbers."""
    return as_tensor(value).double() if isinstance(value, list) else value


def _read(name: str, written: Sequence[Argument], values: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments as the annotations of our operation have them: labels are long, other lists are real."""
    parameters = OPERATIONS[name].parameters
    kinds = [str(parameter.annotation) for parameter in parameters.values()]
    variadic = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters.values())
    arguments, keywords = [], {}
    for position, (value, argument) in enumerate(zip(values, written, strict=True)):
        if argument.keyword is not None:
            keywords[argument.keyword] = _convert(value, str(parameters[argument.keyword].annotation))
        else:
            kind = kinds[min(position, len(kinds) - 1)] if variadic else kinds[position]
            arguments.append(_convert(value, kind))
    return arguments, keywords


def _convert(value: Any, kind: str) -> Any:
    kind = kind.removesuffix(" | None")
    if value is None:
        return None
    if kind == "Sequence[Tensor]":
        return [as_tensor(item) for item in value]
    if kind == "Tensors":
        several = isinstance(value, list) and any(isinstance(item, torch.Tensor) for item in value)
        return [as_tensor(item) for item in value] if several else as_tensor(value)
    if kind in ("Indices", "Places"):
        x = as_tensor(value)
        return x.long() if x.is_floating_point() else x
    if kind in ("Real", "Array", "Tensor") and not isinstance(value, torch.Tensor):
        x = as_tensor(value)
        return x if kind == "Tensor" else x.double()
    return as_tensor(value) if isinstance(value, list) and kind in ("Operand", "int | Tensor") else value
