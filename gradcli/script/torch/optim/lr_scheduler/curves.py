"""Schedules that lead the learning rates along a line or a curve."""

from __future__ import annotations

import math

from gradcli.script.torch.optim.lr_scheduler.scheduler import LRScheduler, Rates
from gradcli.script.torch.optim.optimizer import Optimizer


class ConstantLR(LRScheduler):
    """A part of the rates until an epoch, all of them from there on."""

    __module__ = "torch.optim.lr_scheduler"

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if not 0 <= factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        self._asked()
        if self.last_epoch == 0:
            return [rate * self.factor for rate in self._rates()]
        if self.last_epoch != self.total_iters:
            return self._rates()
        return [rate * (1.0 / self.factor) for rate in self._rates()]

    def _get_closed_form_lr(self) -> Rates:
        factor = self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)
        return [first * factor for first in self.base_lrs]


class LinearLR(LRScheduler):
    """From one part of the rates to another in equal steps."""

    __module__ = "torch.optim.lr_scheduler"

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        self._asked()
        if self.last_epoch == 0:
            return [rate * self.start_factor for rate in self._rates()]
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._rates()
        way = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * way
        return [rate * (1.0 + way / before) for rate in self._rates()]

    def _get_closed_form_lr(self) -> Rates:
        way = (self.end_factor - self.start_factor) * min(self.total_iters, self.last_epoch) / self.total_iters
        return [first * (self.start_factor + way) for first in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The rates down to 0 in `total_iters` epochs, along a power of what is left."""

    __module__ = "torch.optim.lr_scheduler"

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        self._asked()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._rates()
        left, before = (1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1))
        factor = (left / before) ** self.power
        return [rate * factor for rate in self._rates()]

    def _get_closed_form_lr(self) -> Rates:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [first * left**self.power for first in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Half a wave of the cosine from the first rates to `eta_min` in `T_max` epochs, and back."""

    __module__ = "torch.optim.lr_scheduler"

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        self._asked()
        if self._is_initial:
            return self._rates()
        epoch, period, low = self.last_epoch, self.T_max, self.eta_min
        if (epoch - 1 - period) % (2 * period) == 0:  # the rates are at their lowest: no ratio leads away from there
            rise = 1 - math.cos(math.pi / period)
            return [rate + (first - low) * rise / 2 for first, rate in zip(self.base_lrs, self._rates(), strict=True)]
        height, before = (1 + math.cos(math.pi * e / period) for e in (epoch, epoch - 1))
        return [height / before * (rate - low) + low for rate in self._rates()]

    def _get_closed_form_lr(self) -> Rates:
        height = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (first - self.eta_min) * height / 2 for first in self.base_lrs]
