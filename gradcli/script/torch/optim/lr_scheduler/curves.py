"""Schedules that lead the learning rates along a line or a curve."""

from __future__ import annotations

import math

from gradcli.script.torch.optim.lr_scheduler.scheduler import LRScheduler, Multiplying, Rates


class ConstantLR(Multiplying):
    """A part of the rates until an epoch, all of them from there on."""

    _signature = f"optimizer, factor={1 / 3}, total_iters=5, last_epoch=-1"
    factor: float
    total_iters: int

    def _settle(self) -> None:
        if not 0 <= self.factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")

    def _factor(self, epoch: int) -> float | None:
        if epoch == 0:
            return self.factor
        return 1.0 / self.factor if epoch == self.total_iters else None

    def _product(self, epoch: int) -> float:
        return self.factor + (epoch >= self.total_iters) * (1 - self.factor)


class LinearLR(Multiplying):
    """From one part of the rates to another in equal steps."""

    _signature = f"optimizer, start_factor={1 / 3}, end_factor=1.0, total_iters=5, last_epoch=-1"
    start_factor: float
    end_factor: float
    total_iters: int

    def _settle(self) -> None:
        if not 0 < self.start_factor <= 1:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= self.end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")

    def _factor(self, epoch: int) -> float | None:
        if epoch == 0:
            return self.start_factor
        if self._is_initial or epoch > self.total_iters:
            return None
        way = self.end_factor - self.start_factor
        return 1.0 + way / (self.total_iters * self.start_factor + (epoch - 1) * way)

    def _product(self, epoch: int) -> float:
        way = (self.end_factor - self.start_factor) * min(self.total_iters, epoch) / self.total_iters
        return self.start_factor + way


class PolynomialLR(Multiplying):
    """The rates down to 0 in `total_iters` epochs, along a power of the part that is left."""

    _signature = "optimizer, total_iters=5, power=1.0, last_epoch=-1"
    total_iters: int
    power: float

    def _factor(self, epoch: int) -> float | None:
        if self._is_initial or epoch > self.total_iters:
            return None
        left, before = (1.0 - e / self.total_iters for e in (epoch, epoch - 1))
        return float((left / before) ** self.power)

    def _product(self, epoch: int) -> float:
        return float((1.0 - min(self.total_iters, epoch) / self.total_iters) ** self.power)


class CosineAnnealingLR(LRScheduler):
    """Half a wave of the cosine from the first rates to `eta_min` in `T_max` epochs, and back."""

    _signature = "optimizer, T_max, eta_min=0.0, last_epoch=-1"
    T_max: int
    eta_min: float

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
