"""The optimizers without corrections for the first steps: RMSprop, Adagrad, Adadelta.

The formulas are those of the torch 2.13 reference, each step rounded as there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.optim.adaptive import Adaptive
from gradcli.script.torch.optim.optimizer import Group, check, number
from gradcli.script.torch.optim.rounding import Value, added, blended, divided, multiplied


class RMSprop(Adaptive):
    """The gradient over the root of its average square; `centered` subtracts the square of its average."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check("learning rate", lr)
        check("epsilon value", eps)
        check("momentum value", momentum)
        check("weight_decay value", weight_decay)
        check("alpha value", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _updated(self, group: Group, parameter: Tensor, g: Value) -> Value:
        momentum, centered, alpha = group["momentum"], group["centered"], group["alpha"]
        extra = ["momentum_buffer"] * (momentum > 0) + ["grad_avg"] * bool(centered)
        state = self._state(parameter, "square_avg", *extra)
        square = state["square_avg"].value = multiplied(state["square_avg"].value * alpha, g, g, 1 - alpha)
        if centered:
            mean = state["grad_avg"].value = blended(state["grad_avg"].value, g, 1 - alpha)
            square = multiplied(square, mean, mean, -1)
        root, rate = np.sqrt(square) + group["eps"], number(group["lr"])
        if not momentum > 0:
            return divided(parameter.value, g, root, -rate)
        buffer = state["momentum_buffer"]
        buffer.value = divided(buffer.value * momentum, g, root, 1)
        return added(parameter.value, buffer.value, -rate)


class Adagrad(Adaptive):
    """The gradient over the root of the sum of all its squares."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check("learning rate", lr)
        check("lr_decay value", lr_decay)
        check("weight_decay value", weight_decay)
        check("initial_accumulator_value value", initial_accumulator_value)
        check("epsilon value", eps)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                start = np.full_like(parameter.value, initial_accumulator_value)[()]
                self.state[parameter].update(step=Tensor(np.float32(0)), sum=Tensor(start))

    def _updated(self, group: Group, parameter: Tensor, g: Value) -> Value:
        state = self._state(parameter, "sum")
        total = state["sum"].value = multiplied(state["sum"].value, g, g, 1)
        rate = number(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
        return divided(parameter.value, g, np.sqrt(total) + group["eps"], -rate)


class Adadelta(Adaptive):
    """Steps as large as the steps so far, over gradients as large as the gradients so far."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check("learning rate", lr)
        if not 0 <= rho <= 1:
            raise ValueError(f"Invalid rho value: {rho}")
        check("epsilon value", eps)
        check("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _updated(self, group: Group, parameter: Tensor, g: Value) -> Value:
        state = self._state(parameter, "square_avg", "acc_delta")
        rho, eps, square, steps = group["rho"], group["eps"], state["square_avg"], state["acc_delta"]
        square.value = multiplied(square.value * rho, g, g, 1 - rho)
        step = np.sqrt(steps.value + eps) / np.sqrt(square.value + eps) * g
        steps.value = multiplied(steps.value * rho, step, step, 1 - rho)
        return added(parameter.value, step, -number(group["lr"]))
