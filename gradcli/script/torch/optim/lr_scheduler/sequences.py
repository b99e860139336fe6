"""Schedules of schedules: one after the other, and all at once."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from gradcli.script.torch.optim.lr_scheduler.plateau import ReduceLROnPlateau
from gradcli.script.torch.optim.lr_scheduler.scheduler import LRScheduler
from gradcli.script.torch.optim.optimizer import Optimizer


class Several(LRScheduler):
    """A schedule that consists of schedules of one optimizer."""

    _schedulers: list[Any]

    def _take(self, schedulers: Any, optimizer: Any) -> None:
        name = type(self).__name__
        for position, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {position} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                    f"specified when calling `step`, but got one at index {position} in the given schedulers sequence."
                )
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {position} has {scheduler.optimizer!r}, which is different "
                    f"from {type(optimizer).__name__}."
                )
        self._schedulers = schedulers

    def state_dict(self) -> dict[str, Any]:
        kept = {name: value for name, value in super().state_dict().items() if name != "_schedulers"}
        return {**kept, "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class SequentialLR(Several):
    """Each schedule until the next one's milestone."""

    def __init__(self, optimizer: Optimizer, schedulers: Any, milestones: Any, last_epoch: int = -1) -> None:
        if len(schedulers) < 1:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        self._take(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._milestones = milestones
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
            scheduler._go(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


def _undo(outer: Any) -> None:
    """Take back the steps that schedules took when they were made."""
    waiting = list(outer._schedulers)
    while waiting:
        scheduler = waiting.pop()
        if isinstance(scheduler, Several):
            waiting += scheduler._schedulers
        else:
            scheduler.last_epoch -= 1


class ChainedScheduler(Several):
    """All schedules at every step."""

    def __init__(self, schedulers: Any, optimizer: Any = None) -> None:
        if len(schedulers) < 1:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        self._take(schedulers, optimizer)
        self.optimizer = optimizer
        self._last_lr = self._rates()

    def step(self) -> None:  # type: ignore[override]
        """Go to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._rates()
