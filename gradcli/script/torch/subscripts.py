"""`torch.einsum` and `torch.unravel_index`, of which torch reads some arguments in Python."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.python.values.kinds import type_of
from gradcli.script.torch.operations import facade

LETTERS = ascii_uppercase + ascii_lowercase


def einsum(*arguments: Any) -> Any:
    """Sum products as an equation says, or a list of numbers for the dimensions of each operand and of the result."""
    if len(arguments) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    equation, *operands = arguments
    if isinstance(equation, Tensor):
        equation = ",".join(map(_letters, arguments[1::2]))
        operands = list(arguments[::2])
        if len(arguments) % 2:
            equation += "->" + _letters(operands.pop())
    function: Any = facade.function("einsum")
    return function(equation, *operands)


def _letters(subscripts: Any) -> str:
    return "".join(map(_letter, subscripts))


def _letter(subscript: Any) -> str:
    if subscript is ...:
        return "..."
    if 0 <= subscript < len(LETTERS):
        return LETTERS[subscript]
    raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")


def unravel_index(indices: Any, shape: Any) -> Any:
    """The places along each dimension of a shape, which torch reads in Python."""
    if not isinstance(shape, int | Sequence):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type_of(shape)}")
    wrong = next((size for size in shape if not isinstance(size, int)), None) if isinstance(shape, Sequence) else None
    if wrong is not None:
        raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type_of(wrong)}")
    function: Any = facade.function("unravel_index")
    return function(indices, shape)
