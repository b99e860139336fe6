"""`torch.optim.swa_utils`: averages of the parameters of a model over its training, and a schedule for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import numpy as np

from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.operators import bounded
from gradcli.script.stdlib.data.copying import deepcopy
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.layers.normalization import _BatchNorm, _InstanceNorm
from gradcli.script.torch.optim.lr_scheduler.scheduler import LRScheduler, Rates
from gradcli.script.torch.optim.optimizer import write
from gradcli.script.torch.tensor.casting import cast

Average = Callable[..., Any]


def check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Make the function of an average and a value that moves the average by a part of the way."""
    check_decay(decay)

    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        with set_grad_enabled(False):
            return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Average:
    """Make the function of an average, a value and the number of values before that averages all of them alike."""

    def swa_update(averaged_param: Any, current_param: Any, num_averaged: Any) -> Any:
        with set_grad_enabled(False):
            return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Average:
    """Make the function of `get_ema_avg_fn` for lists, which are changed in place."""
    check_decay(decay)

    def ema_update(ema_param_list: Any, current_param_list: Any, _: Any) -> None:
        with set_grad_enabled(False):
            for mean, x in zip(ema_param_list, current_param_list, strict=True):
                if is_floating(mean.value):
                    write(mean, ops.lerp(mean, x, 1 - decay).value)
                else:
                    write(mean, cast(mean * decay + x * (1 - decay), mean.dtype).value)

    return ema_update


def get_swa_multi_avg_fn() -> Average:
    """Make the function of `get_swa_avg_fn` for lists, which are changed in place."""

    def swa_update(averaged_param_list: Any, current_param_list: Any, num_averaged: Any) -> None:
        part = 1 / (num_averaged + 1)
        part = part.item() if isinstance(part, Tensor) else part
        with set_grad_enabled(False):
            for mean, x in zip(averaged_param_list, current_param_list, strict=True):
                if not is_floating(mean.value):
                    raise UnsupportedError("the average of whole numbers is not supported here")
                write(mean, ops.lerp(mean, x, part).value)

    return swa_update


class AveragedModel(Module):
    """A copy of a model, whose parameters are averages of those that the model has at each update."""

    __module__ = "torch.optim.swa_utils"

    def __init__(
        self,
        model: Any,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Average | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        self.register_buffer("n_averaged", Tensor(np.int64(0)))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Any) -> None:
        """Take the parameters that the model has now into the averages."""
        own, given = (
            chain(x.parameters(), x.buffers()) if self.use_buffers else x.parameters() for x in (self.module, model)
        )
        pairs = [(mean.detach(), x.detach()) for mean, x in zip(own, given, strict=False)]
        if self.n_averaged.item() == 0:
            for mean, x in pairs:
                write(mean, x.value)
        elif self.avg_fn is not None:
            for mean, x in pairs:
                write(mean, cast(self.avg_fn(mean.detach(), x, self.n_averaged), mean.dtype).value)
        else:
            update = self.multi_avg_fn or get_swa_multi_avg_fn()
            for kind in dict.fromkeys(mean.dtype for mean, _ in pairs):
                alike = [pair for pair in pairs if pair[0].dtype == kind]
                update([mean for mean, _ in alike], [x for _, x in alike], self.n_averaged)
        if not self.use_buffers:
            for mean, x in zip(self.module.buffers(), model.buffers(), strict=True):
                write(mean.detach(), x.value)
        write(self.n_averaged, self.n_averaged.value + 1)


def update_bn(loader: Iterable[Any], model: Any, device: Any = None) -> None:
    """Compute the statistics of all batch normalizations anew, from one pass over the batches."""
    layers = [
        module for module in model.modules() if isinstance(module, _BatchNorm) and not isinstance(module, _InstanceNorm)
    ]
    momenta = [layer.momentum for layer in layers]
    for layer in layers:
        layer.reset_running_stats()
    if not layers:
        return
    was_training = model.training
    model.train()
    for layer in layers:
        layer.momentum = None
    with set_grad_enabled(False):
        for batch in bounded(loader):
            model(batch[0] if isinstance(batch, list | tuple) else batch)
    for layer, momentum in zip(layers, momenta, strict=True):
        layer.momentum = momentum
    model.train(was_training)


def linear(way: float) -> float:
    return way


def cosine(way: float) -> float:
    return (1 - math.cos(math.pi * way)) / 2


class SWALR(LRScheduler):
    """From the rates that the groups have to `swa_lr`, and on with these."""

    __module__ = "torch.optim.swa_utils"

    def __init__(
        self, optimizer: Any, swa_lr: Any, anneal_epochs: int = 10, anneal_strategy: str = "cos", last_epoch: int = -1
    ) -> None:
        groups = optimizer.param_groups
        rates = list(swa_lr) if isinstance(swa_lr, list | tuple) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise ValueError(
                f"swa_lr must have the same length as optimizer.param_groups. swa_lr has {len(rates)} values, "
                f"param_groups has {len(groups)}."
            )
        for group, rate in zip(groups, rates, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _part(self, step: int) -> float:
        """Return how far a step is on the way to the last rates: 0 at the first, 1 at the end."""
        way = max(0, min(1, step / max(1, self.anneal_epochs)))
        return cosine(way) if self._anneal_strategy == "cos" else linear(way)

    def get_lr(self) -> Rates:
        self._asked()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._part(step - 1), self._part(step)
        found = []
        for group in self.optimizer.param_groups:
            rate, last = group["lr"], group["swa_lr"]
            first = last if before == 1 else (rate - before * last) / (1 - before)
            found.append(last * now + first * (1 - now))
        return found
