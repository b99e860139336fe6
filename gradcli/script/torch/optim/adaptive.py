"""The optimizers that scale each entry by the gradients it has seen: Adam and its kin.

The formulas are those of the torch 2.13 reference (`torch.optim.Adam` and so on), each step rounded as there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.optim.optimizer import Group, Optimizer, check, number
from gradcli.script.torch.optim.rounding import Value, blended, divided, multiplied


class Adaptive(Optimizer):
    """An optimizer whose state is a count of steps and running averages in the shape of the parameter."""

    def _state(self, parameter: Tensor, *averages: str) -> dict[str, Tensor]:
        """The state of a parameter; averages begin at zero."""
        state: dict[str, Tensor] = self.state[parameter]
        if not state:
            state["step"] = Tensor(np.float32(0))
            state.update((name, Tensor(np.zeros_like(parameter.value)[()])) for name in averages)
        state["step"].value = np.float32(state["step"].value + 1)
        return state


class Adam(Adaptive):
    """Averages of the gradient and its square, both corrected for beginning at zero."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        check("learning rate", lr)
        check("epsilon value", eps)
        check_betas(betas)
        check("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "betas": tuple(map(number, betas)),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _updated(self, group: Group, parameter: Tensor, g: Value) -> Value:
        largest = ["max_exp_avg_sq"] if group["amsgrad"] else []
        state = self._state(parameter, "exp_avg", "exp_avg_sq", *largest)
        (beta1, beta2), lr, step = group["betas"], number(group["lr"]), state["step"].item()
        value, mean, square = parameter.value, state["exp_avg"], state["exp_avg_sq"]
        if group["decoupled_weight_decay"] and group["weight_decay"]:
            value = value * (1 - lr * group["weight_decay"])
            parameter.changed()  # torch shrinks the parameter in an operation of its own
        mean.value = blended(mean.value, g, 1 - beta1)
        square.value = multiplied(square.value * beta2, g, g, 1 - beta2)
        second = square.value
        if largest:
            second = state["max_exp_avg_sq"].value = np.maximum(state["max_exp_avg_sq"].value, second)
        scale = np.sqrt(second) / (1 - beta2**step) ** 0.5 + group["eps"]
        return divided(value, mean.value, scale, -(lr / (1 - beta1**step)))


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters and leaves the gradients alone."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        **switches: Any,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **{**switches, "decoupled_weight_decay": True})


class Adamax(Adaptive):
    """Adam with the largest gradient seen, slowly forgotten, in place of the average square."""

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check("learning rate", lr)
        check("epsilon value", eps)
        check_betas(betas)
        check("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _updated(self, group: Group, parameter: Tensor, g: Value) -> Value:
        state = self._state(parameter, "exp_avg", "exp_inf")
        (beta1, beta2), mean, largest = group["betas"], state["exp_avg"], state["exp_inf"]
        mean.value = blended(mean.value, g, 1 - beta1)
        largest.value = np.maximum(largest.value * beta2, np.abs(g) + group["eps"])
        rate = number(group["lr"]) / (1 - beta1 ** state["step"].item())
        return divided(parameter.value, mean.value, largest.value, -rate)


def check_betas(betas: Any) -> None:
    """Refuse betas outside [0, 1)."""
    for position, beta in enumerate(betas[:2]):
        if not 0 <= number(beta) < 1:
            raise ValueError(f"Invalid beta parameter at index {position}: {beta}")
