"""`torch.optim.lr_scheduler`: schedules of learning rates.

A schedule computes in `get_lr` the rates of this epoch from those of the one before; the formulas are torch's, and so
is the rounding of thousands of steps.
"""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import Facade
from gradcli.script.torch.optim.optimizer import Declared, Optimizer
from gradcli.script.torch.signature import given_options

Rates = list[Any]

TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    "PyTorch skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)


class LRScheduler(Facade):
    """A schedule, with the options of its signature as attributes; the step to epoch 0 is taken when it is made."""

    __parent__ = True

    __module__ = "torch.optim.lr_scheduler"
    __facade__ = True
    _signature = "optimizer, last_epoch=-1"
    _absent = "last_epoch"

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __init_subclass__(cls) -> None:
        if cls.__module__.startswith("gradcli."):
            cls.__module__ = LRScheduler.__module__

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        options = given_options(type(self), arguments, keywords)
        optimizer = options.pop("optimizer")
        options.pop("last_epoch", None)
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        vars(self).update(options)
        self._settle()
        self._start()

    def _settle(self) -> None:
        """Check the options, or bring them into their final form."""

    def _start(self) -> None:
        """Note the first rates, and go to the first epoch."""
        self.optimizer._scheduled = True
        self.base_lrs = [group.setdefault("initial_lr", group["lr"]) for group in self.optimizer.param_groups]
        self._begin()

    def _begin(self) -> None:
        """Step to the first epoch, whose factor is that of the beginning."""
        self._step_count, self.last_epoch, self._is_initial = 0, -1, True
        try:
            self.step()
        finally:
            self._is_initial = False

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch."""
        if epoch is not None:
            raise UnsupportedError("step(epoch) of a schedule is not supported here", help="write scheduler.step()")
        optimizer = self.optimizer
        is_torchs = isinstance(optimizer, Declared) and type(optimizer).__module__.startswith("torch.")
        if self._step_count == 1 and not optimizer._stepped and is_torchs:
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
        """Return the rates of this epoch, one a group."""
        factor = self._factor(self.last_epoch)
        return [rate * factor for rate in self._rates()]

    def _factor(self, epoch: int) -> float:
        """Return what the last rates are multiplied by."""
        raise NotImplementedError

    def get_last_lr(self) -> Rates:
        """Return the rates that the last step set."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes but the optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take the attributes over that a `state_dict` holds; unknown names are left out."""
        vars(self).update({name: x for name, x in state_dict.items() if name in vars(self) and name != "optimizer"})


class _LRScheduler(LRScheduler):
    """The name that older code derives its schedules from."""


def _each(value: Any, optimizer: Optimizer, name: str) -> list[Any]:
    """Return the values of an option for each group; one alone is that of all."""
    count = len(optimizer.param_groups)
    values = list(value) if isinstance(value, list | tuple) else [value] * count
    if len(values) != count:
        raise ValueError(f"Expected {count} {name}, but got {len(values)}")
    return values


def set_momentum(group: dict[str, Any], momentum: float) -> None:
    """Set the momentum of a group, or the first of its betas."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    elif "momentum" in group:
        group["momentum"] = momentum
    else:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")


class LambdaLR(LRScheduler):
    """The first rates times a function of the epoch."""

    _signature = "optimizer, lr_lambda, last_epoch=-1"

    def _settle(self) -> None:
        self.lr_lambdas = _each(vars(self).pop("lr_lambda"), self.optimizer, "lr_lambdas")

    def get_lr(self) -> Rates:
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [first * function(self.last_epoch) for function, first in pairs]


class StepLR(LRScheduler):
    """`gamma` times the rates at every `step_size`-th epoch."""

    _signature = "optimizer, step_size, gamma=0.1, last_epoch=-1"

    def _factor(self, epoch: int) -> float:
        return 1 if epoch == 0 or epoch % self.step_size else self.gamma


class MultiStepLR(LRScheduler):
    """`gamma` times the rates at each of some epochs."""

    _signature = "optimizer, milestones, gamma=0.1, last_epoch=-1"

    milestones: Any

    def _settle(self) -> None:
        self.milestones = Counter(self.milestones)

    def _factor(self, epoch: int) -> float:
        return self.gamma ** self.milestones[epoch] if epoch in self.milestones else 1


class ExponentialLR(LRScheduler):
    """`gamma` times the rates at every epoch."""

    _signature = "optimizer, gamma, last_epoch=-1"

    def _factor(self, epoch: int) -> float:
        return 1 if self._is_initial else self.gamma


class LinearLR(LRScheduler):
    """From one part of the rates to another in equal steps."""

    _signature = f"optimizer, start_factor={1 / 3}, end_factor=1.0, total_iters=5, last_epoch=-1"

    def _settle(self) -> None:
        if not (0 < self.start_factor <= 1 and 0 <= self.end_factor <= 1):
            raise ValueError("start_factor should be above 0 and at most 1, and end_factor between 0 and 1")

    def _factor(self, epoch: int) -> float:
        first: float = self.start_factor
        if self._is_initial or epoch > self.total_iters:
            return 1 if epoch else first
        way = self.end_factor - first
        return float(1.0 + way / (self.total_iters * first + (epoch - 1) * way)) if epoch else first


class CosineAnnealingLR(LRScheduler):
    """Half a wave of the cosine from the first rates to `eta_min` in `T_max` epochs, and back."""

    _signature = "optimizer, T_max, eta_min=0.0, last_epoch=-1"

    def get_lr(self) -> Rates:
        if self._is_initial:
            return self._rates()
        epoch, period, low = self.last_epoch, self.T_max, self.eta_min
        if (epoch - 1 - period) % (2 * period) == 0:  # the rates are at their lowest: no ratio leads away from there
            rise = 1 - math.cos(math.pi / period)
            return [rate + (first - low) * rise / 2 for first, rate in zip(self.base_lrs, self._rates(), strict=True)]
        height, before = (1 + math.cos(math.pi * e / period) for e in (epoch, epoch - 1))
        return [height / before * (rate - low) + low for rate in self._rates()]


ANNEALING: dict[str, Callable[[float, float, float], float]] = {
    "cos": lambda start, end, way: end + (start - end) / 2.0 * (math.cos(math.pi * way) + 1),
    "linear": lambda start, end, way: (end - start) * way + start,
}


class OneCycleLR(LRScheduler):
    """From `max_lr / div_factor` to `max_lr` in the first part of the steps, and far below in the rest."""

    _signature = (
        "optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3, anneal_strategy='cos', "
        "cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0, final_div_factor=10000.0, "
        "three_phase=False, last_epoch=-1"
    )
    _absent = "three_phase last_epoch"
    total_steps: Any

    def _settle(self) -> None:
        options = vars(self)
        epochs, steps = options.pop("epochs"), options.pop("steps_per_epoch")
        if self.total_steps is None:
            if epochs is None or steps is None:
                raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
            self.total_steps = epochs * steps
        if self.total_steps <= 0 or not isinstance(self.total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {self.total_steps}")
        if not isinstance(self.pct_start, float) or not 0 <= self.pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {self.pct_start}")
        if self.anneal_strategy not in ANNEALING:
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {self.anneal_strategy}")

    def _begin(self) -> None:
        groups = self.optimizer.param_groups
        for group, height in zip(groups, _each(self.max_lr, self.optimizer, "max_lr"), strict=True):
            first = height / self.div_factor
            group.update(initial_lr=first, max_lr=height, min_lr=first / self.final_div_factor)
            if self.cycle_momentum:
                group.update(max_momentum=self.max_momentum, base_momentum=self.base_momentum)
        self.base_lrs = [group["initial_lr"] for group in groups]
        super()._begin()

    def get_lr(self) -> Rates:
        step, groups, anneal = self.last_epoch, self.optimizer.param_groups, ANNEALING[self.anneal_strategy]
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        top, end = self.pct_start * self.total_steps - 1, self.total_steps - 1
        rises = step <= top
        way = step / top if rises else (step - top) / (end - top)
        momenta = (self.max_momentum, self.base_momentum)
        for group in groups if self.cycle_momentum else ():
            set_momentum(group, anneal(*(momenta if rises else momenta[::-1]), way))
        ends = ("initial_lr", "max_lr") if rises else ("max_lr", "min_lr")
        return [anneal(group[ends[0]], group[ends[1]], way) for group in groups]


class ReduceLROnPlateau(LRScheduler):
    """`factor` times the rates when a quantity has not improved for more than `patience` epochs."""

    _signature = (
        "optimizer, mode='min', factor=0.1, patience=10, threshold=0.0001, threshold_mode='rel', cooldown=0, min_lr=0, "
        "eps=1e-08"
    )
    _absent = "threshold_mode cooldown"

    def _settle(self) -> None:
        if self.factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if self.mode not in ("min", "max"):
            raise ValueError(f"mode {self.mode} is unknown!")
        self.min_lrs = _each(vars(self).pop("min_lr"), self.optimizer, "min_lrs")

    def _start(self) -> None:
        self.last_epoch = self.num_bad_epochs = 0
        self._last_lr = self._rates()
        self.best = math.inf if self.mode == "min" else -math.inf

    def step(self, metrics: Any) -> None:  # type: ignore[override]
        """Go to the next epoch, at whose end the quantity is `metrics`."""
        current = float(metrics)
        self.last_epoch += 1
        sign = 1 if self.mode == "max" else -1
        if sign * current > sign * self.best * (1.0 + sign * self.threshold):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.num_bad_epochs = 0
            for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
                rate = max(group["lr"] * self.factor, least)
                group["lr"] = rate if group["lr"] - rate > self.eps else group["lr"]
        self._last_lr = self._rates()


class SequentialLR(LRScheduler):
    """Each schedule until the next one's milestone, at which its own epochs begin."""

    _signature = "optimizer, schedulers, milestones, last_epoch=-1"

    def _settle(self) -> None:
        if len(self.milestones) != len(self.schedulers) - 1:
            counts = f"{len(self.schedulers)} schedulers and {len(self.milestones)} milestones"
            raise ValueError(f"SequentialLR takes one milestone between every two schedulers, not {counts}")
        if any(isinstance(x, ReduceLROnPlateau) or x.optimizer is not self.optimizer for x in self.schedulers):
            raise ValueError("SequentialLR takes schedulers of its own optimizer, and no ReduceLROnPlateau")

    def _begin(self) -> None:
        self.last_epoch = 0
        self._restart(self.schedulers[0])

    def _restart(self, schedule: Any) -> None:
        """Go to the first epoch of a schedule, with the rates of the beginning."""
        self._set(self.base_lrs)
        schedule._begin()
        self._last_lr = schedule.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Go to the next epoch."""
        self.last_epoch += 1
        schedule = self.schedulers[bisect_right(self.milestones, self.last_epoch)]
        if self.last_epoch in self.milestones:
            self._restart(schedule)
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()
