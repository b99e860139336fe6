"""Descent along the gradient (SGD), with the mean of the parameters (ASGD), and along its signs alone (Rprop)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from gradcli.engine.numerics.fusing import Value, added, multiplied
from gradcli.engine.tensor import Tensor
from gradcli.script.torch.optim.declaration import Declared
from gradcli.script.torch.optim.state import Group, scalar

Pair = tuple[float, float]


class SGD(Declared):
    """Gradient descent, with momentum as in torch: the buffer begins as the first gradient."""

    __module__ = "torch.optim.sgd"
    _signature = (
        "params, lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, foreach=None, "
        "differentiable=False, fused=None"
    )
    _later: ClassVar[Group] = {"fused": False}

    def _settled(self, options: Group) -> Group:
        if options["nesterov"] and (options["momentum"] <= 0 or options["dampening"] != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        return options

    _symbols: ClassVar = {"buf": "momentum_buffer"}

    def _lines(self, state: Group, /, *, momentum: float, dampening: float, nesterov: bool, **_: Any) -> Iterator[str]:
        if momentum:
            yield (
                "buf = grad" if "momentum_buffer" not in state else
                "buf = momentum*buf + (1 - dampening)*grad" if dampening else "buf = momentum*buf + grad"
            )  # fmt: skip
        if nesterov:
            yield "grad = grad + momentum*buf"
        yield "w = w - lr*buf" if momentum and not nesterov else "w = w - lr*grad"

    def _updated(
        self, parameter: Tensor, x: Value, g: Value, /, *, lr: float, momentum: float, dampening: float, nesterov: bool,
        **_: Any,
    ) -> Value:  # fmt: skip
        if momentum:
            state = self.state[parameter]
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = Tensor(g.copy())
            else:
                buffer.value = added(buffer.value * momentum, g, 1 - dampening)
            g = added(g, buffer.value, momentum) if nesterov else buffer.value
        return added(x, g, -lr)


class ASGD(Declared):
    """Gradient descent that keeps the mean of the parameters too: Polyak and Juditsky 1992."""

    __module__ = "torch.optim.asgd"
    _signature = (
        "params, lr=0.01, lambd=0.0001, alpha=0.75, t0=1000000.0, weight_decay=0, foreach=None, maximize=False, "
        "differentiable=False, capturable=False"
    )
    _checked = "lr weight_decay"

    _captured: ClassVar = ("params, mus, etas, and state_steps", "params, mus, etas, and state_steps")
    _symbols: ClassVar = {"eta": "eta", "mu": "mu", "mean": "ax"}

    def _lines(self, state: Group, /, **_: Any) -> Iterator[str]:
        if not state:
            yield from ("eta = lr", "mu = 1")
        yield "w = (1 - lambd*eta)*w - eta*grad"
        yield "mean = mean + mu*(w - mean)"
        yield "eta = lr/(1 + lambd*lr*t)**alpha"
        yield "mu = 1/maximum(1, t - t0)"

    def _updated(
        self, parameter: Tensor, x: Value, g: Value, /, *, lr: float, lambd: float, alpha: float, t0: float, **_: Any
    ) -> Value:
        state = self._state(parameter, "ax", eta=lr, mu=1)
        eta, mu, mean, step = state["eta"], state["mu"], state["ax"], state["step"].item()
        parameter.changed()  # torch shrinks the parameter in an operation of its own
        x = added(x * (1 - lambd * eta.item()), g, -eta.item())
        mean.value = x.copy() if mu.item() == 1 else mean.value + (x - mean.value) * mu.value
        eta.value = eta.value.dtype.type(scalar(lr / (1 + lambd * lr * step) ** alpha))
        mu.value = mu.value.dtype.type(scalar(1 / max(1, step - t0)))
        return x


class Rprop(Declared):
    """Steps that grow while the gradient keeps its sign and shrink when it turns: Riedmiller and Braun 1993."""

    __module__ = "torch.optim.rprop"
    _signature = (
        "params, lr=0.01, etas=(0.5, 1.2), step_sizes=(1e-06, 50), *, foreach=None, maximize=False, "
        "differentiable=False, capturable=False"
    )

    _on_xla: ClassVar = (True, True)
    _symbols: ClassVar = {"before": "prev", "size": "step_size"}

    def _lines(self, state: Group, /, **_: Any) -> Iterator[str]:
        if not state:
            yield "size = lr"
        yield "turn = grad*before"
        yield "size = clip(size*where(turn > 0, grow, where(turn < 0, shrink, 1)), least, most)"
        yield "before = where(turn < 0, 0, grad)"
        yield "w = w - size*sign(before)"

    def _updated(
        self, parameter: Tensor, x: Value, g: Value, /, *, lr: float, etas: Pair, step_sizes: Pair, **_: Any
    ) -> Value:
        is_first = not self.state[parameter]
        state = self._state(parameter, "prev", "step_size")
        before, size = state["prev"], state["step_size"]
        if is_first:
            size.value = np.full_like(g, lr)[()]
        turned = g * before.value
        factor = np.where(turned > 0, etas[1], np.where(turned < 0, etas[0], 1)).astype(g.dtype)[()]
        size.value = np.clip(size.value * factor, *map(g.dtype.type, step_sizes))
        before.value = np.where(turned < 0, 0, g).astype(g.dtype)[()]
        return multiplied(x, np.sign(before.value), size.value, -1)
