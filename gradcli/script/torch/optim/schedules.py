"""`torch.optim.lr_scheduler`: learning rates that change from epoch to epoch.

A schedule says in `get_lr` what the rates of this epoch are, from those of the one before; the formulas are torch's,
and so the rounding of thousands of steps is.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable
from typing import Any

from gradcli.script.python.attributes import Facade
from gradcli.script.torch.optim.optimizer import Optimizer

Rates = list[Any]

TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    "PyTorch skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)


class LRScheduler(Facade):
    """What every schedule is; the first step, to epoch 0, is taken when it is made."""

    __facade__ = True

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for a "
                    "fresh training run (not recommended)"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self._is_initial = True
        self._get_lr_called_within_step = False
        self.step()
        self._is_initial = False

    def step(self) -> None:
        """Go to the next epoch."""
        optimizer = self.optimizer
        if self._step_count == 1 and not optimizer._stepped and type(optimizer).step is Optimizer.step:
            warnings.warn(TOO_EARLY, UserWarning, stacklevel=2)
        self._step_count += 1
        self.last_epoch += 1
        self._set(self.get_lr())

    def _set(self, rates: Rates) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = self._rates()

    def _rates(self) -> Rates:
        return [group["lr"] for group in self.optimizer.param_groups]

    def get_lr(self) -> Rates:
        """The rates of this epoch, one a group."""
        raise NotImplementedError

    def get_last_lr(self) -> Rates:
        """The rates that the last step set."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave; other names are left out."""
        for name in vars(self).keys() & state_dict.keys() - {"optimizer"}:
            setattr(self, name, state_dict[name])


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
        if self.last_epoch == 0:
            return self._rates()
        pairs = zip(self.lr_lambdas, self._rates(), strict=True)
        return [rate * function(self.last_epoch) for function, rate in pairs]


class StepLR(LRScheduler):
    """`gamma` times the rates at every `step_size`-th epoch."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        if self.last_epoch == 0 or self.last_epoch % self.step_size:
            return self._rates()
        return [rate * self.gamma for rate in self._rates()]


class MultiStepLR(LRScheduler):
    """`gamma` times the rates at each of some epochs."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        if self.last_epoch not in self.milestones:
            return self._rates()
        return [rate * self.gamma ** self.milestones[self.last_epoch] for rate in self._rates()]


class ConstantLR(LRScheduler):
    """A part of the rates until an epoch, all of them from there on."""

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if not 0 <= factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        if self.last_epoch == 0:
            return [rate * self.factor for rate in self._rates()]
        if self.last_epoch != self.total_iters:
            return self._rates()
        return [rate * (1.0 / self.factor) for rate in self._rates()]


class LinearLR(LRScheduler):
    """From one part of the rates to another in equal steps."""

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
        if self.last_epoch == 0:
            return [rate * self.start_factor for rate in self._rates()]
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._rates()
        way = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * way
        return [rate * (1.0 + way / before) for rate in self._rates()]


class ExponentialLR(LRScheduler):
    """`gamma` times the rates at every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        return self._rates() if self._is_initial else [rate * self.gamma for rate in self._rates()]


class CosineAnnealingLR(LRScheduler):
    """Half a wave of the cosine from the first rates to `eta_min` in `T_max` epochs, and back."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        if self._is_initial:
            return self._rates()
        epoch, period, low = self.last_epoch, self.T_max, self.eta_min
        if (epoch - 1 - period) % (2 * period) == 0:  # the rates are at their lowest: no ratio leads away from there
            rise = 1 - math.cos(math.pi / period)
            return [rate + (first - low) * rise / 2 for first, rate in zip(self.base_lrs, self._rates(), strict=True)]
        height, before = (1 + math.cos(math.pi * e / period) for e in (epoch, epoch - 1))
        return [height / before * (rate - low) + low for rate in self._rates()]
