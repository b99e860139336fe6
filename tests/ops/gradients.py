"""How a test asks for a value and its gradients: the operation by name, plain lists in, plain lists out."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.backward import grad
from gradcli.engine.tensor import tensor
from gradcli.ops.support.surface import OPERATIONS


def value_and_gradients(name: str, *inputs: Any, arguments: tuple[Any, ...] = (), **options: Any) -> tuple[Any, ...]:
    """The value, and the gradient of its sum for each input; of a result with parts the first counts."""
    leaves = [tensor(np.array(x, dtype=np.float64), requires_grad=True) for x in inputs]
    out = OPERATIONS[name](*leaves, *arguments, **options)
    out = out[0] if isinstance(out, tuple) else out
    gradients = grad([out], leaves, [np.ones(out.shape)])
    return out.value.tolist(), *(g.value.tolist() for g in gradients if g is not None)
