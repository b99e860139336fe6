"""Schedules that multiply the learning rates by a number or by a function of the epoch."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import Any

from gradcli.script.torch.optim.lr_scheduler.scheduler import LRScheduler, Multiplying, Rates
from gradcli.script.torch.optim.optimizer import Optimizer


class LambdaLR(LRScheduler):
    """The first rates times a function of the epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        groups = len(optimizer.param_groups)
        if not isinstance(lr_lambda, list | tuple):
            lr_lambda = [lr_lambda] * groups
        if len(lr_lambda) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        self._asked()
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [first * function(self.last_epoch) for function, first in pairs]

    def state_dict(self) -> dict[str, Any]:
        state = super().state_dict()
        del state["lr_lambdas"]
        return {**state, "lr_lambdas": [None] * len(self.lr_lambdas)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "lr_lambdas"})


class MultiplicativeLR(LambdaLR):
    """The last rates times a function of the epoch."""

    def get_lr(self) -> Rates:
        self._asked()
        if self.last_epoch == 0:
            return self._rates()
        pairs = zip(self.lr_lambdas, self._rates(), strict=True)
        return [rate * function(self.last_epoch) for function, rate in pairs]


class StepLR(Multiplying):
    """`gamma` times the rates at every `step_size`-th epoch."""

    _signature = "optimizer, step_size, gamma=0.1, last_epoch=-1"
    step_size: int
    gamma: float

    def _factor(self, epoch: int) -> float | None:
        return None if epoch == 0 or epoch % self.step_size else self.gamma

    def _product(self, epoch: int) -> float:
        return self.gamma ** (epoch // self.step_size)


class MultiStepLR(Multiplying):
    """`gamma` times the rates at each of some epochs."""

    _signature = "optimizer, milestones, gamma=0.1, last_epoch=-1"
    milestones: Counter[int]
    gamma: float

    def _settle(self) -> None:
        self.milestones = Counter(self.milestones)

    def _factor(self, epoch: int) -> float | None:
        return self.gamma ** self.milestones[epoch] if epoch in self.milestones else None

    def _product(self, epoch: int) -> float:
        return self.gamma ** bisect_right(sorted(self.milestones.elements()), epoch)


class ExponentialLR(Multiplying):
    """`gamma` times the rates at every epoch."""

    _signature = "optimizer, gamma, last_epoch=-1"
    gamma: float

    def _factor(self, epoch: int) -> float | None:
        return None if self._is_initial else self.gamma

    def _product(self, epoch: int) -> float:
        return self.gamma**epoch
