"""The bases of the schedules of learning rates.

A schedule computes in `get_lr` the rates of this epoch from those of the one before; the formulas are torch's, and so
is the rounding of thousands of steps.
"""

from __future__ import annotations

import warnings
from typing import Any

from gradcli.script.python.values.attributes import Facade
from gradcli.script.torch.optim.optimizer import Optimizer
from gradcli.script.torch.signature import given

Rates = list[Any]

TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    "PyTorch skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure "
    "to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
ASKED = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."
EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)


class LRScheduler(Facade):
    """A schedule, with the options of its signature as attributes; the step to epoch 0 is taken when it is made."""

    __parent__ = True

    __module__ = "torch.optim.lr_scheduler"
    __facade__ = True
    _signature = "optimizer, last_epoch=-1"
    _get_lr_called_within_step = False

    def __init_subclass__(cls) -> None:
        if cls.__module__.startswith("gradcli."):
            cls.__module__ = LRScheduler.__module__

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        options = given(type(self), arguments, keywords)
        optimizer, last_epoch = options.pop("optimizer"), options.pop("last_epoch")
        vars(self).update(options)
        self._settle()
        check_optimizer(optimizer)
        self.optimizer = optimizer
        optimizer._scheduled = True
        optimizer._watched = vars(optimizer).get("step")
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
        """Go to the next epoch, or to a given one."""
        optimizer = self.optimizer
        if self._step_count == 1 and vars(optimizer).get("step") is not optimizer._watched:
            warnings.warn(OVERRIDDEN, UserWarning, stacklevel=2)
        elif self._step_count == 1 and not optimizer._stepped and type(optimizer).step is Optimizer.step:
            warnings.warn(TOO_EARLY, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH, UserWarning, stacklevel=2)
        self._go(epoch)

    def _go(self, epoch: int | None = None) -> None:
        self._get_lr_called_within_step = True
        try:
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            rates = self.get_lr() if epoch is None else self._get_closed_form_lr()
        finally:
            self._get_lr_called_within_step = False
        self._set(rates)

    def _set(self, rates: Rates) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = self._rates()

    def _rates(self) -> Rates:
        return [group["lr"] for group in self.optimizer.param_groups]

    def get_lr(self) -> Rates:
        """Return the rates of this epoch, one a group."""
        raise NotImplementedError

    def _get_closed_form_lr(self) -> Rates:
        """Return the rates of this epoch from the first ones; without such a formula, from the last ones."""
        return self.get_lr()

    def _asked(self) -> None:
        """Warn as torch does if `get_lr` is called outside of `step`."""
        if not self._get_lr_called_within_step:
            warnings.warn(ASKED, UserWarning, stacklevel=3)

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
    """A schedule that multiplies the last rates by one factor, and knows the product of all factors so far."""

    def get_lr(self) -> Rates:
        self._asked()
        factor = self._factor(self.last_epoch)
        return self._rates() if factor is None else [rate * factor for rate in self._rates()]

    def _factor(self, epoch: int) -> float | None:
        """Return the factor of an epoch; None if the rates stay."""
        raise NotImplementedError

    def _get_closed_form_lr(self) -> Rates:
        product = self._product(self.last_epoch)
        return [first * product for first in self.base_lrs]

    def _product(self, epoch: int) -> float:
        raise NotImplementedError


class _LRScheduler(LRScheduler):
    """The name that older code derives its schedules from."""


def check_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def each(optimizer: Optimizer, name: str, value: Any) -> list[Any]:
    """Return one value for every group; ValueError if their numbers differ."""
    count = len(optimizer.param_groups)
    if not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, param_groups "
            f"has {count}."
        )
    return list(value)


def set_momentum(group: dict[str, Any], momentum: float) -> None:
    """Set the momentum of a group, or the first of its betas."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    elif "momentum" in group:
        group["momentum"] = momentum
    else:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
