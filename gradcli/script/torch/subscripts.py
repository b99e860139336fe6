"""`torch.einsum` and `torch.unravel_index`, of which torch reads some arguments in Python."""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase
from typing import Any

from gradcli.engine.tensor import Tensor
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
