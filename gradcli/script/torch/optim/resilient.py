"""Optimizers that average the parameters, and that look at the signs of gradients alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.optim.adaptive import Adaptive
from gradcli.script.torch.optim.optimizer import Group, check, number
from gradcli.script.torch.optim.rounding import Value, added, multiplied


class ASGD(Adaptive):
    """Gradient descent that keeps the mean of the parameters too: Polyak and Juditsky 1992."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check("learning rate", lr)
        check("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _updated(self, group: Group, parameter: Tensor, g: Value) -> Value:
        state, lr = self.state[parameter], number(group["lr"])
        if not state:
            state.update(step=Tensor(np.float32(0)), eta=Tensor(np.float32(lr)), mu=Tensor(np.float32(1)))
            state["ax"] = Tensor(np.zeros_like(parameter.value)[()])
        state = self._state(parameter)
        eta, mu, mean, step = state["eta"], state["mu"], state["ax"], state["step"].item()
        parameter.changed()  # torch shrinks the parameter in an operation of its own
        value = added(parameter.value * (1 - group["lambd"] * eta.item()), g, -eta.item())
        mean.value = value.copy() if mu.item() == 1 else mean.value + (value - mean.value) * mu.value
        eta.value = np.float32(lr / (1 + group["lambd"] * lr * step) ** group["alpha"])
        mu.value = np.float32(1 / max(1, step - group["t0"]))
        return value


class Rprop(Adaptive):
    """Steps that grow while the gradient keeps its sign and shrink when it turns: Riedmiller and Braun 1993."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check("learning rate", lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _updated(self, group: Group, parameter: Tensor, g: Value) -> Value:
        fresh = not self.state[parameter]
        state = self._state(parameter, "prev", "step_size")
        before, size = state["prev"], state["step_size"]
        if fresh:
            size.value = np.full_like(g, number(group["lr"]))[()]
        (smaller, larger), turned = group["etas"], g * before.value
        factor = np.where(turned > 0, larger, np.where(turned < 0, smaller, 1)).astype(g.dtype)[()]
        size.value = np.clip(size.value * factor, *map(g.dtype.type, group["step_sizes"]))
        before.value = np.where(turned < 0, 0, g).astype(g.dtype)[()]
        return multiplied(parameter.value, np.sign(before.value), size.value, -1)
