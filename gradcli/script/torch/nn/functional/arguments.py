"""The checks of arguments of `torch.nn.functional`, in torch's words."""

from __future__ import annotations

from typing import Any

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.torch.operations.readers import kind_name


def check_tensor(function: str, value: Any, argument: str = "input", position: int = 1) -> None:
    """Raise TypeError for a value that is no tensor."""
    if not isinstance(value, Tensor):
        kind = kind_name(value)
        raise TypeError(f"{function}(): argument '{argument}' (position {position}) must be Tensor, not {kind}")


def check_dimension(x: Tensor, dim: int) -> None:
    """Raise IndexError, as torch does where it looks at a dimension that a tensor has not."""
    if not x.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if dim >= x.ndim:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-x.ndim}, {x.ndim - 1}], but got {dim})"
        )


def check_dtypes(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """Raise AutogradError for a linear layer of another dtype than its input."""
    of_input, of_weight = TYPE_NAMES[input.dtype], TYPE_NAMES[weight.dtype]
    if bias is None:
        if of_input != of_weight:
            kinds = f"{C_NAMES[of_input]} != {C_NAMES[of_weight]}"
            raise AutogradError(f"expected m1 and m2 to have the same dtype, but got: {kinds}")
        return
    of_bias = TYPE_NAMES[bias.dtype]
    pairs = (("mat1", of_input), ("self", of_bias))
    for name, kind in pairs:
        if kind != of_weight:
            raise AutogradError(f"{name} and mat2 must have the same dtype, but got {kind} and {of_weight}")
