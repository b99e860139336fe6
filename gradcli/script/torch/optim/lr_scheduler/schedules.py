"""Schedules that multiply the learning rates by a number or by a function of the epoch."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Any

from gradcli.script.torch.optim.lr_scheduler.scheduler import LRScheduler, Rates
from gradcli.script.torch.optim.optimizer import Optimizer


class LambdaLR(LRScheduler):
    """The first rates times a function of the epoch."""

    __module__ = "torch.optim.lr_scheduler"

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

    __module__ = "torch.optim.lr_scheduler"

    def get_lr(self) -> Rates:
        self._asked()
        if self.last_epoch == 0:
            return self._rates()
        pairs = zip(self.lr_lambdas, self._rates(), strict=True)
        return [rate * function(self.last_epoch) for function, rate in pairs]


class StepLR(LRScheduler):
    """`gamma` times the rates at every `step_size`-th epoch."""

    __module__ = "torch.optim.lr_scheduler"

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        self._asked()
        if self.last_epoch == 0 or self.last_epoch % self.step_size:
            return self._rates()
        return [rate * self.gamma for rate in self._rates()]

    def _get_closed_form_lr(self) -> Rates:
        return [first * self.gamma ** (self.last_epoch // self.step_size) for first in self.base_lrs]


class MultiStepLR(LRScheduler):
    """`gamma` times the rates at each of some epochs."""

    __module__ = "torch.optim.lr_scheduler"

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        self._asked()
        if self.last_epoch not in self.milestones:
            return self._rates()
        return [rate * self.gamma ** self.milestones[self.last_epoch] for rate in self._rates()]

    def _get_closed_form_lr(self) -> Rates:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [first * self.gamma**passed for first in self.base_lrs]


class ExponentialLR(LRScheduler):
    """`gamma` times the rates at every epoch."""

    __module__ = "torch.optim.lr_scheduler"

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        self._asked()
        return self._rates() if self._is_initial else [rate * self.gamma for rate in self._rates()]

    def _get_closed_form_lr(self) -> Rates:
        return [first * self.gamma**self.last_epoch for first in self.base_lrs]
