"""Adam with Nesterov's momentum, and Adam that waits until its averages are known well enough.

The formulas are those of the torch 2.13 reference, each step rounded as there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.optim.adaptive import Adaptive, check_betas
from gradcli.script.torch.optim.optimizer import Group, check, number
from gradcli.script.torch.optim.rounding import Value, blended, divided, multiplied


def shrunk(group: Group, parameter: Tensor, lr: float) -> Value:
    """The value of the parameter after weight decay that leaves the gradients alone."""
    if not (group["decoupled_weight_decay"] and group["weight_decay"]):
        return parameter.value
    parameter.changed()  # torch shrinks the parameter in an operation of its own
    return parameter.value * (1 - lr * group["weight_decay"])


class NAdam(Adaptive):
    """Adam that steps from where the momentum leads: Dozat 2016."""

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check("learning rate", lr)
        check("epsilon value", eps)
        check_betas(betas)
        check("weight_decay value", weight_decay)
        check("momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _updated(self, group: Group, parameter: Tensor, g: Value) -> Value:
        state = self.state[parameter]
        if not state:
            state.update(step=Tensor(np.float32(0)), mu_product=Tensor(np.float32(1)))
            state.update((name, Tensor(np.zeros_like(parameter.value)[()])) for name in ("exp_avg", "exp_avg_sq"))
        state = self._state(parameter)
        (beta1, beta2), lr, step = group["betas"], number(group["lr"]), state["step"].item()
        value = shrunk(group, parameter, lr)
        mu, mu_next = (beta1 * (1.0 - 0.5 * 0.96 ** (n * group["momentum_decay"])) for n in (step, step + 1))
        product, mean, square = state["mu_product"], state["exp_avg"], state["exp_avg_sq"]
        product.value = np.float32(product.value * np.float32(mu))
        mean.value = blended(mean.value, g, 1 - beta1)
        square.value = multiplied(square.value * beta2, g, g, 1 - beta2)
        scale = np.sqrt(square.value / (1 - beta2**step)) + group["eps"]
        parameter.changed()  # torch steps along the gradient and along the average in turn
        value = divided(value, g, scale, -lr * (1.0 - mu) / (1.0 - product.item()))
        return divided(value, mean.value, scale, -lr * mu_next / (1.0 - product.item() * mu_next))


class RAdam(Adaptive):
    """Adam that scales by the average square only when that varies little: Liu et al. 2019."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
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
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _updated(self, group: Group, parameter: Tensor, g: Value) -> Value:
        state = self._state(parameter, "exp_avg", "exp_avg_sq")
        (beta1, beta2), lr, step = group["betas"], number(group["lr"]), state["step"].item()
        value, mean, square = shrunk(group, parameter, lr), state["exp_avg"], state["exp_avg_sq"]
        mean.value = blended(mean.value, g, 1 - beta1)
        square.value = multiplied(square.value * beta2, g, g, 1 - beta2)
        missing = 1 - beta2**step
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / missing
        update = mean.value / (1 - beta1**step) * lr
        if length > 5.0:
            trust = ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5
            update = update * (np.reciprocal(np.sqrt(square.value) + group["eps"]) * missing**0.5) * trust
        return value - update
