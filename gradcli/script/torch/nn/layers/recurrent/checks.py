"""The checks of recurrent layers, in torch's words."""

from __future__ import annotations

import warnings
from typing import Any

from gradcli.errors import AutogradError


def check_sizes(size: Any, hidden: Any, layers: Any, dropout: Any, projected: int, states: int, **flags: Any) -> None:
    """Check the arguments of recurrent layers; `flags` are those that are True or False, by name."""
    if isinstance(dropout, bool) or not isinstance(dropout, int | float) or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    if dropout > 0 and layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
            f"num_layers greater than 1, but got dropout={dropout} and num_layers={layers}",
            UserWarning,
            stacklevel=2,
        )
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise TypeError(f"{name} should be of type bool, got: {type(flag).__name__}")
    for name, given in (("input_size", size), ("hidden_size", hidden)):
        if not isinstance(given, int):
            raise TypeError(f"{name} should be of type int, got: {type(given).__name__}")
        if given <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if projected and states == 1:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
    if projected < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if projected >= hidden:
        raise ValueError("proj_size has to be smaller than hidden_size")


def check_dimensions(given: tuple[Any, ...], batched: bool) -> None:
    wanted = 3 if batched else 2
    found = [state.ndim for state in given]
    if all(ndim == wanted for ndim in found):
        return
    start = f"For {'batched 3-D' if batched else 'unbatched 2-D'} input, "
    if len(found) > 1:
        both = ", ".join(f"{ndim}-D" for ndim in found)
        raise AutogradError(f"{start}hx and cx should also be {wanted}-D but got ({both}) tensors", code="E301")
    raise AutogradError(f"{start}hx should also be {wanted}-D but got {found[0]}-D tensor", code="E301")


def check_input(sequence: Any, weight: Any, size: int) -> None:
    if sequence.dtype != weight.dtype:
        given, wanted = (f"torch.{dtype.name}" for dtype in (sequence.dtype, weight.dtype))
        raise ValueError(
            f"RNN input dtype ({given}) does not match weight dtype ({wanted}). Convert input: input.to({wanted}), "
            f"or convert model: model.to({given})"
        )
    if not sequence.value.size and 0 in sequence.shape[:1]:
        raise AutogradError("Expected sequence length to be larger than 0 in RNN", code="E301")
    if sequence.shape[-1] != size:
        raise AutogradError(
            f"input.size(-1) must be equal to input_size. Expected {size}, got {sequence.shape[-1]}",
            code="E301",
        )
