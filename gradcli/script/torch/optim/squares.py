"""The optimizers that divide by the root of squared gradients, without bias correction: RMSprop, Adagrad, Adadelta.

The formulas are those of the torch 2.13 reference, each step rounded as there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from gradcli.engine.numerics.fusing import Value, added, blended, divided, multiplied
from gradcli.engine.tensor import Tensor
from gradcli.script.torch.optim.declaration import Declared
from gradcli.script.torch.optim.state import Group, scalar


class RMSprop(Declared):
    """The gradient over the root of its average square; `centered` subtracts the square of its average."""

    __module__ = "torch.optim.rmsprop"
    _signature = (
        "params, lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0, momentum=0, centered=False, capturable=False, "
        "foreach=None, maximize=False, differentiable=False"
    )
    _listed = "lr momentum alpha eps centered weight_decay capturable foreach maximize differentiable"

    _on_xla: ClassVar = (True, True)
    _symbols: ClassVar = {"v": "square_avg", "mean": "grad_avg", "buf": "momentum_buffer"}

    def _lines(self, _state: Group, /, *, momentum: float, centered: bool, **_: Any) -> Iterator[str]:
        yield "v = alpha*v + (1 - alpha)*grad**2"
        if centered:
            yield "mean = alpha*mean + (1 - alpha)*grad"
        scaled = f"grad/(sqrt({'v - mean**2' if centered else 'v'}) + eps)"
        if momentum > 0:
            yield f"buf = momentum*buf + {scaled}"
        yield f"w = w - lr*{'buf' if momentum > 0 else scaled}"

    def _updated(
        self, parameter: Tensor, x: Value, g: Value, /, *, lr: float, alpha: float, eps: float, momentum: float,
        centered: bool, **_: Any,
    ) -> Value:  # fmt: skip
        extra = ["momentum_buffer"] * (momentum > 0) + ["grad_avg"] * bool(centered)
        state = self._state(parameter, "square_avg", *extra)
        square = state["square_avg"].value = multiplied(state["square_avg"].value * alpha, g, g, 1 - alpha)
        if centered:
            mean = state["grad_avg"].value = blended(state["grad_avg"].value, g, 1 - alpha)
            square = multiplied(square, mean, mean, -1)
        root = np.sqrt(square) + eps
        if not momentum > 0:
            return divided(x, g, root, -lr)
        buffer = state["momentum_buffer"]
        buffer.value = divided(buffer.value * momentum, g, root, 1)
        return added(x, buffer.value, -lr)


class Adagrad(Declared):
    """The gradient over the root of the sum of all its squares."""

    __module__ = "torch.optim.adagrad"
    _signature = (
        "params, lr=0.01, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *, "
        "maximize=False, differentiable=False, fused=None"
    )
    _listed = "lr lr_decay eps weight_decay initial_accumulator_value foreach maximize differentiable fused"
    _checked = "lr lr_decay weight_decay initial_accumulator_value eps"

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        for group in self.param_groups:
            for parameter in group["params"]:
                start = np.full_like(parameter.value, self.defaults["initial_accumulator_value"])[()]
                self.state[parameter].update(step=Tensor(scalar(0)), sum=Tensor(start))

    _symbols: ClassVar = {"total": "sum"}

    def _lines(self, _state: Group, /, *, lr_decay: float, **_: Any) -> Iterator[str]:
        yield "total = total + grad**2"
        yield f"w = w - lr{'/(1 + (t - 1)*lr_decay)' if lr_decay else ''}*grad/(sqrt(total) + eps)"

    def _updated(
        self, parameter: Tensor, x: Value, g: Value, /, *, lr: float, lr_decay: float, eps: float, **_: Any
    ) -> Value:
        state = self._state(parameter, "sum")
        total = state["sum"].value = multiplied(state["sum"].value, g, g, 1)
        return divided(x, g, np.sqrt(total) + eps, -lr / (1 + (state["step"].item() - 1) * lr_decay))


class Adadelta(Declared):
    """Steps as large as the steps so far, over gradients as large as the gradients so far."""

    __module__ = "torch.optim.adadelta"
    _signature = (
        "params, lr=1.0, rho=0.9, eps=1e-06, weight_decay=0, foreach=None, *, capturable=False, maximize=False, "
        "differentiable=False"
    )
    _listed = "lr rho eps weight_decay maximize capturable foreach differentiable"

    _on_xla: ClassVar = (False, False)
    _symbols: ClassVar = {"v": "square_avg", "u": "acc_delta"}

    def _lines(self, _state: Group, /, **_: Any) -> Iterator[str]:
        yield "v = rho*v + (1 - rho)*grad**2"
        yield "step = sqrt(u + eps)/sqrt(v + eps)*grad"
        yield "u = rho*u + (1 - rho)*step**2"
        yield "w = w - lr*step"

    def _updated(
        self, parameter: Tensor, x: Value, g: Value, /, *, lr: float, rho: float, eps: float, **_: Any
    ) -> Value:
        state = self._state(parameter, "square_avg", "acc_delta")
        square, steps = state["square_avg"], state["acc_delta"]
        square.value = multiplied(square.value * rho, g, g, 1 - rho)
        step = np.sqrt(steps.value + eps) / np.sqrt(square.value + eps) * g
        steps.value = multiplied(steps.value * rho, step, step, 1 - rho)
        return added(x, step, -lr)
