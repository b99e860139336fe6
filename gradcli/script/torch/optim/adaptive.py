"""Adam and its variants: steps along the average of the gradients, scaled by the sizes of the gradients so far.

The formulas are those of the torch 2.13 reference (`torch.optim.Adam` and so on), each step rounded as there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from gradcli.engine.numerics.fusing import Value, blended, divided, multiplied
from gradcli.engine.tensor import Tensor
from gradcli.script.torch.optim.declaration import Declared
from gradcli.script.torch.optim.state import Group

Pair = tuple[float, float]
MEANS = ("m = beta1*m + (1 - beta1)*grad", "v = beta2*v + (1 - beta2)*grad**2")  # of the gradient and its square


class Adam(Declared):
    """Averages of the gradient and its square, both corrected for beginning at zero."""

    __module__ = "torch.optim.adam"
    _signature = (
        "params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, amsgrad=False, *, maximize=False, "
        "foreach=None, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False"
    )

    def _settled(self, options: Group) -> Group:
        betas = options["betas"]
        if not any(all(isinstance(beta, kind) for beta in betas[:2]) for kind in (float, Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        for position, beta in enumerate(betas[:2]):
            if isinstance(beta, Tensor):
                if options["foreach"] and not options["capturable"]:
                    raise ValueError(
                        f"betas[{position}] as a Tensor is not supported for capturable=False and foreach=True"
                    )
                if beta.value.size != 1:
                    raise ValueError(f"Tensor betas[{position}] must be 1-element")
        return {**options, "betas": tuple(betas)}

    _symbols: ClassVar = {"m": "exp_avg", "v": "exp_avg_sq", "largest": "max_exp_avg_sq"}

    def _lines(self, _state: Group, /, *, amsgrad: bool, **_: Any) -> Iterator[str]:
        yield from MEANS
        if amsgrad:
            yield "largest = maximum(largest, v)"
        yield f"w = w - lr*(m/(1 - beta1**t))/(sqrt({'largest' if amsgrad else 'v'}/(1 - beta2**t)) + eps)"

    def _updated(
        self, parameter: Tensor, x: Value, g: Value, /, *, lr: float, betas: Pair, eps: float, amsgrad: bool, **_: Any
    ) -> Value:
        state = self._state(parameter, "exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * bool(amsgrad))
        (beta1, beta2), step = betas, state["step"].item()
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.value = blended(mean.value, g, 1 - beta1)
        square.value = multiplied(square.value * beta2, g, g, 1 - beta2)
        second = square.value
        if amsgrad:
            second = state["max_exp_avg_sq"].value = np.maximum(state["max_exp_avg_sq"].value, second)
        scale = np.sqrt(second) / (1 - beta2**step) ** 0.5 + eps
        return divided(x, mean.value, scale, -(lr / (1 - beta1**step)))


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters and leaves the gradients alone."""

    __module__ = "torch.optim.adamw"
    _signature = (
        "params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01, amsgrad=False, *, maximize=False, "
        "foreach=None, capturable=False, differentiable=False, fused=None"
    )
    _later: ClassVar[Group] = {"decoupled_weight_decay": True}

    def _settled(self, options: Group) -> Group:
        return {**super()._settled(options), "decoupled_weight_decay": True}


class Adamax(Declared):
    """Adam with the largest gradient seen, slowly forgotten, in place of the average square."""

    __module__ = "torch.optim.adamax"
    _signature = (
        "params, lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, foreach=None, *, maximize=False, "
        "differentiable=False, capturable=False"
    )

    _symbols: ClassVar = {"m": "exp_avg", "u": "exp_inf"}

    def _lines(self, _state: Group, /, **_: Any) -> Iterator[str]:
        yield MEANS[0]
        yield "u = maximum(beta2*u, abs(grad) + eps)"
        yield "w = w - lr/(1 - beta1**t)*m/u"

    def _updated(
        self, parameter: Tensor, x: Value, g: Value, /, *, lr: float, betas: Pair, eps: float, **_: Any
    ) -> Value:
        state = self._state(parameter, "exp_avg", "exp_inf")
        (beta1, beta2), mean, largest = betas, state["exp_avg"], state["exp_inf"]
        mean.value = blended(mean.value, g, 1 - beta1)
        largest.value = np.maximum(largest.value * beta2, np.abs(g) + eps)
        return divided(x, mean.value, largest.value, -(lr / (1 - beta1 ** state["step"].item())))


class NAdam(Declared):
    """Adam that steps from where the momentum leads: Dozat 2016."""

    __module__ = "torch.optim.nadam"
    _signature = (
        "params, lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, momentum_decay=0.004, "
        "decoupled_weight_decay=False, *, maximize=False, foreach=None, capturable=False, differentiable=False"
    )

    _captured: ClassVar = ("params, mu_products and state_steps", "params, mu_products, and state_steps")
    _symbols: ClassVar = {"m": "exp_avg", "v": "exp_avg_sq", "product": "mu_product"}

    def _lines(self, state: Group, /, **_: Any) -> Iterator[str]:
        yield "mu = beta1*(1 - 0.5*0.96**(t*momentum_decay))"
        yield "next = beta1*(1 - 0.5*0.96**((t + 1)*momentum_decay))"
        yield "product = product*mu" if state else "product = mu"
        yield from MEANS
        yield "scale = sqrt(v/(1 - beta2**t)) + eps"
        yield "w = w - lr*(1 - mu)/(1 - product)*grad/scale - lr*next/(1 - product*next)*m/scale"

    def _updated(
        self, parameter: Tensor, x: Value, g: Value, /, *, lr: float, betas: Pair, eps: float, momentum_decay: float,
        **_: Any,
    ) -> Value:  # fmt: skip
        state = self._state(parameter, "exp_avg", "exp_avg_sq", mu_product=1)
        (beta1, beta2), step = betas, state["step"].item()
        mu, mu_next = (beta1 * (1.0 - 0.5 * 0.96 ** (n * momentum_decay)) for n in (step, step + 1))
        product, mean, square = state["mu_product"], state["exp_avg"], state["exp_avg_sq"]
        kind = product.value.dtype.type
        product.value = kind(product.value * kind(mu))
        mean.value = blended(mean.value, g, 1 - beta1)
        square.value = multiplied(square.value * beta2, g, g, 1 - beta2)
        scale = np.sqrt(square.value / (1 - beta2**step)) + eps
        parameter.changed()  # torch steps along the gradient and along the average in turn
        x = divided(x, g, scale, -lr * (1.0 - mu) / (1.0 - product.item()))
        return divided(x, mean.value, scale, -lr * mu_next / (1.0 - product.item() * mu_next))


class RAdam(Declared):
    """Adam that scales by the average square only when that varies little: Liu et al. 2019."""

    __module__ = "torch.optim.radam"
    _signature = (
        "params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, decoupled_weight_decay=False, *, "
        "foreach=None, maximize=False, capturable=False, differentiable=False"
    )
    _listed = "lr betas eps weight_decay maximize foreach capturable decoupled_weight_decay differentiable"

    _symbols: ClassVar = {"m": "exp_avg", "v": "exp_avg_sq"}

    def _lines(self, state: Group, /, *, betas: Pair, **_: Any) -> Iterator[str]:
        step, beta2 = state["step"].item() + 1 if state else 1, betas[1]
        yield from MEANS
        yield "longest = 2/(1 - beta2) - 1"
        yield "length = longest - 2*t*beta2**t/(1 - beta2**t)"
        if 2 / (1 - beta2) - 1 - 2 * step * beta2**step / (1 - beta2**step) > 5.0:
            yield "trust = sqrt((length - 4)*(length - 2)*longest/((longest - 4)*(longest - 2)*length))"
            yield "w = w - lr*(m/(1 - beta1**t))*trust*sqrt(1 - beta2**t)/(sqrt(v) + eps)"
        else:
            yield "w = w - lr*(m/(1 - beta1**t))"

    def _updated(
        self, parameter: Tensor, x: Value, g: Value, /, *, lr: float, betas: Pair, eps: float, **_: Any
    ) -> Value:
        state = self._state(parameter, "exp_avg", "exp_avg_sq")
        (beta1, beta2), step = betas, state["step"].item()
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.value = blended(mean.value, g, 1 - beta1)
        square.value = multiplied(square.value * beta2, g, g, 1 - beta2)
        missing = 1 - beta2**step
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / missing
        update = mean.value / (1 - beta1**step) * lr
        if length > 5.0:
            trust = ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5
            update = update * (np.reciprocal(np.sqrt(square.value) + eps) * missing**0.5) * trust
        return x - update
