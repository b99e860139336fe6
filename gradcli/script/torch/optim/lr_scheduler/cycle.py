"""`OneCycleLR`: the rates up to a height and down again, and the momentum the other way."""

from __future__ import annotations

import math
from typing import Any

from gradcli.script.torch.optim.lr_scheduler.scheduler import LRScheduler, Rates, set_momentum
from gradcli.script.torch.optim.optimizer import Optimizer
from gradcli.script.torch.optim.state import Group


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
        if anneal_strategy not in ANNEALING:
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.cycle_momentum = cycle_momentum
        self._anneal_func_type = anneal_strategy
        rise, end = pct_start * self.total_steps - 1, self.total_steps - 1
        up, down = ("initial_lr", "max_lr"), ("max_momentum", "base_momentum")
        phases = [(rise, *up, *down), (end, "max_lr", "min_lr", *down[::-1])]
        if three_phase:
            fall = 2 * pct_start * self.total_steps - 2
            last = (end, "initial_lr", "min_lr", "max_momentum", "max_momentum")
            phases = [(rise, *up, *down), (fall, *up[::-1], *down[::-1]), last]
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
        self._asked()
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
