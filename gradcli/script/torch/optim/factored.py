"""Adafactor, which keeps the average square of a matrix of gradients as a row and a column.

The formulas are those of the torch 2.13 reference (`torch.optim.Adafactor`), each step rounded as there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.numerics.fusing import Value, added, blended
from gradcli.engine.tensor import Tensor
from gradcli.script.torch.optim.declaration import Declared
from gradcli.script.torch.optim.optimizer import number
from gradcli.script.torch.optim.state import Group

Eps = tuple[float | None, float]


class Adafactor(Declared):
    """Adam without momentum, with an average square of factors and a step in proportion to the parameter."""

    __module__ = "torch.optim"
    _signature = (
        "params, lr=0.01, beta2_decay=-0.8, eps=(None, 0.001), d=1.0, weight_decay=0.0, *, foreach=None, maximize=False"
    )
    _checked = ""
    _decays_apart = True

    def _settled(self, options: Group) -> Group:
        lr, (eps1, eps2) = options["lr"], options["eps"]
        if isinstance(lr, Tensor) and lr.value.size != 1:
            raise ValueError("Tensor lr must be 1-element")
        for is_right, wrong in (
            (number(lr) >= 0, f"Learning rate should be >= 0 but is: {lr}"),
            (options["beta2_decay"] <= 0, f"beta2_decay should be <= 0 but is: {options['beta2_decay']}"),
            (eps1 is None or eps1 >= 0, f"epsilon1 should be >= 0 but is: {eps1}"),
            (eps2 >= 0, f"epsilon2 should be >= 0 but is: {eps2}"),
            (options["d"] >= 1, f"Clipping threshold d should be >= 1 but is: {options['d']}"),
            (options["weight_decay"] >= 0, f"weight_decay should be >= 0 but is: {options['weight_decay']}"),
        ):
            if not is_right:
                raise ValueError(wrong)
        return options

    def _updated(
        self, parameter: Tensor, x: Value, g: Value, /, *, lr: float, beta2_decay: float, eps: Eps, d: float,
        weight_decay: float, **_: Any,
    ) -> Value:  # fmt: skip
        parts: dict[str, int | None] = {"variance": None}
        if g.ndim > 1:
            parts = {"row_var": -1, "col_var": -2}
        state = self._factors(parameter, parts)
        step = state["step"].item()
        share = step**beta2_decay
        eps1 = float(np.finfo(x.dtype).eps) if eps[0] is None else eps[0]
        size = max(eps[1], _length(x) / x.size**0.5) * min(lr, 1 / step**0.5)
        if weight_decay:
            parameter.changed()  # torch shrinks the parameter in an operation of its own
            x = x * (1 - lr * weight_decay)
        for name, axis in parts.items():
            squares = g * g if axis is None else np.linalg.norm(g, axis=axis, keepdims=True) ** 2 / g.shape[axis]
            state[name].value = blended(state[name].value, squares, share)
        if g.ndim > 1:
            row = state["row_var"].value
            square = row @ state["col_var"].value / np.maximum(row.mean(axis=-2, keepdims=True), x.dtype.type(eps1))
        else:
            square = state["variance"].value
        update = np.reciprocal(np.sqrt(np.maximum(square, x.dtype.type(eps1 * eps1)))) * g
        return added(x, update, -size / max(1.0, _length(update) / (update.size**0.5 * d)))

    def _factors(self, parameter: Tensor, parts: dict[str, int | None]) -> dict[str, Tensor]:
        """Count a step in the state of a parameter, and return it; its average squares begin at 0."""
        is_first = not self.state[parameter]
        state = self._state(parameter)
        for name, axis in parts.items() if is_first else ():
            shape = [1 if axis is not None and place == axis % parameter.ndim else size
                     for place, size in enumerate(parameter.shape)]  # fmt: skip
            state[name] = Tensor(np.zeros(shape, parameter.dtype)[()])
        return state


def _length(x: Value) -> float:
    return float(np.linalg.norm(np.asarray(x)))
