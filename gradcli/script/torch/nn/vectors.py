"""`torch.nn.utils`: the gradients of many parameters together, and parameters as one vector."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.script.torch.tensor.options import overwrite


def _listed(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [parameters] if isinstance(parameters, Tensor) else list(parameters)


def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Tensor:
    """Scale all gradients down so that their norm is at most `max_norm`; returns the norm before."""
    gradients = [x.grad for x in _listed(parameters) if x.grad is not None]
    norms = [_norm(x.value, float(norm_type)) for x in gradients]
    total = Tensor(_norm(np.array(norms), float(norm_type)) if norms else np.float32(0.0))
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise AutogradError(f"The total norm of order {float(norm_type)} for gradients from `parameters` is non-finite")
    factor = np.minimum(float(max_norm) / (total.value + total.dtype.type(1e-6)), total.dtype.type(1))
    for gradient in gradients:
        overwrite(gradient, gradient.value * factor)
    return total


def _norm(value: Any, order: float) -> Any:
    return np.linalg.norm(np.ravel(value), order).astype(value.dtype)


def clip_grad_value_(parameters: Any, clip_value: float, foreach: Any = None) -> None:
    """Clip each entry of the gradients to the range from `-clip_value` to `clip_value`."""
    for x in _listed(parameters):
        if x.grad is not None:
            overwrite(x.grad, np.clip(x.grad.value, -float(clip_value), float(clip_value)))


def parameters_to_vector(parameters: Any) -> Any:
    """Return all entries in one row."""
    flat = [ops.view(x, -1) for x in parameters]
    return ops.cat(flat, 0)


def vector_to_parameters(vec: Any, parameters: Any) -> None:
    """Write the parts of a row into the parameters."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for x in parameters:
        count = x.value.size
        x.data = Tensor(vec.array[start : start + count].reshape(x.shape))
        start += count


FUNCTIONS = (clip_grad_norm_, clip_grad_value_, parameters_to_vector, vector_to_parameters)
MEMBERS: dict[str, Callable[..., Any]] = {function.__name__: function for function in FUNCTIONS}
