"""`torch.optim.SGD`."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.optim.optimizer import Group, Optimizer, check, number
from gradcli.script.torch.optim.rounding import Value, added


class SGD(Optimizer):
    """Gradient descent, with momentum as in torch: the buffer begins as the first gradient."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check("learning rate", lr)
        check("momentum value", momentum)
        check("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _updated(self, group: Group, parameter: Tensor, g: Value) -> Value:
        momentum = group["momentum"]
        if momentum:
            state = self.state[parameter]
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = Tensor(g.copy())
            else:
                buffer.value = added(buffer.value * momentum, g, 1 - group["dampening"])
            g = added(g, buffer.value, momentum) if group["nesterov"] else buffer.value
        return added(parameter.value, g, -number(group["lr"]))
