"""The optimizers, each declared by its options, what it keeps of each parameter, and the formula of its step.

The formulas are those of torch 2.13 (`torch.optim.Adam` and so on). In them `w` is a parameter, `grad` its gradient and
`t` the number of the step; the options have torch's names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from gradcli.script.torch.optim.optimizer import Declared, Group

MEANS = ("m = beta1*m + (1 - beta1)*grad", "v = beta2*v + (1 - beta2)*grad**2")  # of the gradient and its square


class SGD(Declared):
    """Gradient descent, with momentum as in torch: the buffer begins as the first gradient."""

    __module__ = "torch.optim.sgd"
    _signature = (
        "params, lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, foreach=None, "
        "differentiable=False, fused=None"
    )
    _absent = "differentiable"
    _kept: ClassVar = {"buf": "momentum_buffer"}
    _counts = False

    def _settled(self, options: Group) -> Group:
        if options["nesterov"] and (options["momentum"] <= 0 or options["dampening"] != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        return options

    def _lines(self, begun: bool, /, *, momentum: float, dampening: float, nesterov: bool, **_: Any) -> Iterator[str]:  # type: ignore[override]
        if momentum:
            gradient = "(1 - dampening)*grad" if dampening else "grad"
            yield f"buf = momentum*buf + {gradient}" if begun else "buf = grad"
        if nesterov:
            yield "grad = grad + momentum*buf"
        yield "w = w - lr*buf" if momentum and not nesterov else "w = w - lr*grad"


class Adam(Declared):
    """Averages of the gradient and its square, both corrected for beginning at zero."""

    __module__ = "torch.optim.adam"
    _signature = (
        "params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, amsgrad=False, *, maximize=False, "
        "foreach=None, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False"
    )
    _absent = "capturable differentiable"
    _kept: ClassVar = {"m": "exp_avg", "v": "exp_avg_sq", "largest": "max_exp_avg_sq"}

    def _lines(self, _begun: bool, /, *, amsgrad: bool, **_: Any) -> Iterator[str]:  # type: ignore[override]
        yield from MEANS
        if amsgrad:
            yield "largest = maximum(largest, v)"
        yield f"w = w - lr*(m/(1 - beta1**t))/(sqrt({'largest' if amsgrad else 'v'}/(1 - beta2**t)) + eps)"


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters and leaves the gradients alone."""

    __module__ = "torch.optim.adamw"
    _signature = (
        "params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01, amsgrad=False, *, maximize=False, "
        "foreach=None, capturable=False, differentiable=False, fused=None"
    )

    def _settled(self, options: Group) -> Group:
        return {**options, "decoupled_weight_decay": True}


class RMSprop(Declared):
    """The gradient over the root of its average square; `centered` subtracts the square of its average."""

    __module__ = "torch.optim.rmsprop"
    _signature = (
        "params, lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0, momentum=0, centered=False, capturable=False, "
        "foreach=None, maximize=False, differentiable=False"
    )
    _listed = "lr momentum alpha eps centered weight_decay capturable foreach maximize differentiable"
    _absent = "capturable differentiable"
    _kept: ClassVar = {"v": "square_avg", "buf": "momentum_buffer", "mean": "grad_avg"}

    def _lines(self, _begun: bool, /, *, momentum: float, centered: bool, **_: Any) -> Iterator[str]:  # type: ignore[override]
        yield "v = alpha*v + (1 - alpha)*grad**2"
        if centered:
            yield "mean = alpha*mean + (1 - alpha)*grad"
        scaled = f"grad/(sqrt({'v - mean**2' if centered else 'v'}) + eps)"
        if momentum > 0:
            yield f"buf = momentum*buf + {scaled}"
        yield f"w = w - lr*{'buf' if momentum > 0 else scaled}"


class Adagrad(Declared):
    """The gradient over the root of the sum of all its squares."""

    __module__ = "torch.optim.adagrad"
    _signature = (
        "params, lr=0.01, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *, "
        "maximize=False, differentiable=False, fused=None"
    )
    _listed = "lr lr_decay eps weight_decay initial_accumulator_value foreach maximize differentiable fused"
    _checked = "lr lr_decay weight_decay initial_accumulator_value eps"
    _absent = "initial_accumulator_value differentiable"
    _kept: ClassVar = {"total": "sum"}

    def _lines(self, _begun: bool, /, *, lr_decay: float, **_: Any) -> Iterator[str]:  # type: ignore[override]
        yield "total = total + grad**2"
        yield f"w = w - lr{'/(1 + (t - 1)*lr_decay)' if lr_decay else ''}*grad/(sqrt(total) + eps)"
