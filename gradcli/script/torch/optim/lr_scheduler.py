"""`torch.optim.lr_scheduler`: schedules of learning rates.

A schedule computes in `get_lr` the rates of this epoch from those of the one before; the formulas are torch's, and so
is the rounding of thousands of steps.
"""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections import Counter
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import Facade
from gradcli.script.torch.optim.optimizer import Declared, Group, Optimizer
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

    def __init_subclass__(cls) -> None:
        if cls.__module__.startswith("gradcli."):
            cls.__module__ = LRScheduler.__module__

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        options = given_options(type(self), arguments, keywords)
        optimizer, last_epoch = options.pop("optimizer"), options.pop("last_epoch")
        vars(self).update(options)
        self._settle()
        check_optimizer(optimizer)
        self.optimizer = optimizer
        optimizer._scheduled = True
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(f"param 'initial_lr' is not specified in param_groups[{number}]: leave last_epoch out")
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._begin()

    def _settle(self) -> None:
        """Check the options, or bring them into their final form."""

    def _begin(self) -> None:
        """Step to the first epoch."""
        self._step_count = 0
        self._is_initial = True
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
        self._go(self.last_epoch + 1)

    def _go(self, epoch: int) -> None:
        self.last_epoch = epoch
        self._set(self.get_lr())

    def _restart(self) -> None:
        """Go to the first epoch, with the rates of its beginning."""
        self._set(self.base_lrs)
        self._is_initial = True
        try:
            self._go(0)
        finally:
            self._is_initial = False

    def _set(self, rates: Rates) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = self._rates()

    def _rates(self) -> Rates:
        return [group["lr"] for group in self.optimizer.param_groups]

    def get_lr(self) -> Rates:
        """Return the rates of this epoch, one a group."""
        raise NotImplementedError

    def get_last_lr(self) -> Rates:
        """Return the rates that the last step set."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes but the optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take the attributes over that a `state_dict` holds; unknown names are left out."""
        for name in list(vars(self)):
            if name != "optimizer" and name in state_dict:
                vars(self)[name] = state_dict[name]


class Multiplying(LRScheduler):
    """A schedule that multiplies the last rates by one factor."""

    def get_lr(self) -> Rates:
        factor = self._factor(self.last_epoch)
        return self._rates() if factor is None else [rate * factor for rate in self._rates()]

    def _factor(self, epoch: int) -> float | None:
        """Return the factor of an epoch; None if the rates stay."""
        raise NotImplementedError


class _LRScheduler(LRScheduler):
    """The name that older code derives its schedules from."""


def check_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


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


class StepLR(Multiplying):
    """`gamma` times the rates at every `step_size`-th epoch."""

    _signature = "optimizer, step_size, gamma=0.1, last_epoch=-1"
    step_size: int
    gamma: float

    def _factor(self, epoch: int) -> float | None:
        return None if epoch == 0 or epoch % self.step_size else self.gamma


class MultiStepLR(Multiplying):
    """`gamma` times the rates at each of some epochs."""

    _signature = "optimizer, milestones, gamma=0.1, last_epoch=-1"
    milestones: Counter[int]
    gamma: float

    def _settle(self) -> None:
        self.milestones = Counter(self.milestones)

    def _factor(self, epoch: int) -> float | None:
        return self.gamma ** self.milestones[epoch] if epoch in self.milestones else None


class ExponentialLR(Multiplying):
    """`gamma` times the rates at every epoch."""

    _signature = "optimizer, gamma, last_epoch=-1"
    gamma: float

    def _factor(self, epoch: int) -> float | None:
        return None if self._is_initial else self.gamma


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


class CosineAnnealingLR(LRScheduler):
    """Half a wave of the cosine from the first rates to `eta_min` in `T_max` epochs, and back."""

    _signature = "optimizer, T_max, eta_min=0.0, last_epoch=-1"
    T_max: int
    eta_min: float

    def get_lr(self) -> Rates:
        if self._is_initial:
            return self._rates()
        epoch, period, low = self.last_epoch, self.T_max, self.eta_min
        if (epoch - 1 - period) % (2 * period) == 0:  # the rates are at their lowest: no ratio leads away from there
            rise = 1 - math.cos(math.pi / period)
            return [rate + (first - low) * rise / 2 for first, rate in zip(self.base_lrs, self._rates(), strict=True)]
        height, before = (1 + math.cos(math.pi * e / period) for e in (epoch, epoch - 1))
        return [height / before * (rate - low) + low for rate in self._rates()]


def cosine(start: float, end: float, way: float) -> float:
    return end + (start - end) / 2.0 * (math.cos(math.pi * way) + 1)


def linear(start: float, end: float, way: float) -> float:
    return (end - start) * way + start


ANNEALING = {"cos": cosine, "linear": linear}
PHASE = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")


class OneCycleLR(LRScheduler):
    """From `max_lr / div_factor` to `max_lr` in the first part of the steps, and far below in the rest."""

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float = 0.85,
        max_momentum: float = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if three_phase:
            raise UnsupportedError("OneCycleLR(three_phase=True) is not supported here", help="leave the argument out")
        if anneal_strategy not in ANNEALING:
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.cycle_momentum = cycle_momentum
        self._anneal_func_type = anneal_strategy
        rise, end = pct_start * self.total_steps - 1, self.total_steps - 1
        up, down = ("initial_lr", "max_lr"), ("max_momentum", "base_momentum")
        phases = [(rise, *up, *down), (end, "max_lr", "min_lr", *down[::-1])]
        self._schedule_phases = [dict(zip(PHASE, phase, strict=True)) for phase in phases]
        heights = list(max_lr) if isinstance(max_lr, list | tuple) else [max_lr] * len(optimizer.param_groups)
        for group, height in zip(optimizer.param_groups, heights, strict=True):
            first = height / div_factor
            group.update(initial_lr=first, max_lr=height, min_lr=first / final_div_factor)
            if cycle_momentum:
                set_momentum(group, max_momentum)
                group.update(max_momentum=max_momentum, base_momentum=base_momentum)
        if cycle_momentum:
            self.use_beta1 = "betas" in optimizer.defaults
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        phases, anneal = self._schedule_phases, ANNEALING[self._anneal_func_type]
        number = min(sum(step > phase["end_step"] for phase in phases), len(phases) - 1)
        phase = phases[number]
        start = phases[number - 1]["end_step"] if number else 0.0
        way = (step - start) / (phase["end_step"] - start)

        def value(group: Group, kind: str) -> float:
            return anneal(group[phase[f"start_{kind}"]], group[phase[f"end_{kind}"]], way)

        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                set_momentum(group, value(group, "momentum"))
        return [value(group, "lr") for group in self.optimizer.param_groups]


def _total(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    """Return the number of steps of the cycle; ValueError unless it is given as a positive number or product."""
    if total_steps is not None:
        counts = {"total_steps": total_steps}
    elif epochs is not None and steps_per_epoch is not None:
        counts = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
    else:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, count in counts.items():
        if count <= 0 or not isinstance(count, int):
            raise ValueError(f"Expected positive integer {name}, but got {count}")
    return math.prod(counts.values())


class ReduceLROnPlateau(LRScheduler):
    """`factor` times the rates when a quantity has not improved for more than `patience` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        check_optimizer(optimizer)
        groups = len(optimizer.param_groups)
        if isinstance(min_lr, list | tuple) and len(min_lr) != groups:
            raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.optimizer = optimizer
        # in torch's order, which a printed state shows
        self.factor, self.default_min_lr = factor, None if isinstance(min_lr, list | tuple) else min_lr
        self.min_lrs = list(min_lr) if isinstance(min_lr, list | tuple) else [min_lr] * groups
        self.patience, self.cooldown, self.eps, self.last_epoch = patience, cooldown, eps, 0
        self._last_lr = self._rates()
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode, self.best = mode, threshold, threshold_mode, self.mode_worse
        self.cooldown_counter = self.num_bad_epochs = 0

    def step(self, metrics: Any) -> None:  # type: ignore[override]
        """Go to the next epoch, at whose end the quantity is `metrics`."""
        current = float(metrics)
        self.last_epoch += 1
        if self._is_better(current):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = self._rates()

    @property
    def in_cooldown(self) -> bool:
        """Return whether the rates have just been reduced."""
        return self.cooldown_counter > 0

    def _is_better(self, value: float) -> bool:
        """Return whether a value beats the best one by more than the threshold."""
        sign = 1 if self.mode == "max" else -1
        if self.threshold_mode == "rel":
            bound = self.best * (1.0 + sign * self.threshold)
        else:
            bound = self.best + sign * self.threshold
        return value > bound if self.mode == "max" else value < bound

    def _reduce(self) -> None:
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            rate = max(group["lr"] * self.factor, least)
            if group["lr"] - rate > self.eps:
                group["lr"] = rate


class SequentialLR(LRScheduler):
    """Each schedule until the next one's milestone."""

    _schedulers: list[Any]

    def __init__(self, optimizer: Optimizer, schedulers: Any, milestones: Any, last_epoch: int = -1) -> None:
        if len(schedulers) < 1:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        if any(isinstance(x, ReduceLROnPlateau) or x.optimizer is not optimizer for x in schedulers):
            raise ValueError("SequentialLR takes schedulers of its own optimizer, and no ReduceLROnPlateau")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(f"SequentialLR takes {len(schedulers) - 1} milestones, one between every two schedulers")
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        _undo(self)
        first = schedulers[bisect_right(milestones, 0)]
        first._begin()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Go to the next epoch."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            scheduler._restart()
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


def _undo(outer: Any) -> None:
    """Take back the steps that schedules took when they were made."""
    waiting = list(outer._schedulers)
    while waiting:
        scheduler = waiting.pop()
        if isinstance(scheduler, SequentialLR):
            waiting += scheduler._schedulers
        else:
            scheduler.last_epoch -= 1
