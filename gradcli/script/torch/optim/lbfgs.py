"""`torch.optim.LBFGS`: steps along a direction that accounts for the curvature, estimated from the last gradients.

Nocedal 1980, in torch's arrangement: the first step is short, and `step` calls its closure again and again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.modes import set_grad_enabled
from gradcli.script.machine import running
from gradcli.script.torch.optim.formulas import worked
from gradcli.script.torch.optim.optimizer import Declared, Group, Value, number, write

MOVE = "w = w + t*d"


class LBFGS(Declared):
    """The limited-memory BFGS method, which remembers the last `history_size` steps."""

    __module__ = "torch.optim.lbfgs"
    _signature = (
        "params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-07, tolerance_change=1e-09, history_size=100, "
        "line_search_fn=None"
    )
    _absent = "line_search_fn"

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]
        self._changes: list[Value] = []  # of the gradient along the last steps
        self._steps: list[Value] = []
        self._scale: Any = 1  # of the first direction
        self._last: tuple[Value, Value] | None = None  # the last gradient and step
        self._moves: list[Any] = []  # the latest step along a direction, for a reader

    def _settled(self, options: Group) -> Group:
        if options["max_eval"] is None:
            options["max_eval"] = options["max_iter"] * 5 // 4
        return options

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Take up to `max_iter` steps; return the loss before the first."""
        group, state = self.param_groups[0], self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        self._stepped = self._scheduled
        first, loss = self._evaluated(closure)
        state["func_evals"] += 1
        g = self._gradient()
        if not np.abs(g).max() <= group["tolerance_grad"]:
            self._iterate(closure, state, loss, g)
            if running.machine.timeline is not None:
                running.machine.timeline.stepped(self, self._params, self._moves)
        return first

    def _iterate(self, closure: Callable[[], Any], state: Group, loss: float, g: Value) -> None:
        group, rate, evaluations = self.param_groups[0], number(self.param_groups[0]["lr"]), 1
        for iteration in range(1, group["max_iter"] + 1):
            running.machine.budget.spend(1)
            state["n_iter"] += 1
            d = self._direction(g)
            before, old = loss, g.copy()
            t = min(1.0, 1.0 / np.abs(g).sum()) * rate if self._last is None else rate
            slope = np.dot(g, d)
            if slope > -group["tolerance_change"]:
                break
            calls = 0
            self._move(d, t)
            if iteration < group["max_iter"]:
                loss, g, calls = self._evaluated(closure)[1], self._gradient(), 1
            self._last = old, d * t
            evaluations += calls
            state["func_evals"] += calls
            if (
                evaluations >= group["max_eval"]
                or np.abs(g).max() <= group["tolerance_grad"]
                or np.abs(d * t).max() <= group["tolerance_change"]
                or abs(loss - before) < group["tolerance_change"]
            ):
                break

    def _direction(self, g: Value) -> Value:
        """Return the direction: against the gradient, corrected by its changes along the last steps."""
        if self._last is None:
            return -g
        change, step = g - self._last[0], self._last[1]
        bend = np.dot(change, step)
        if bend > 1e-10:
            size = self.param_groups[0]["history_size"]
            self._changes = [*self._changes, change][-size:]
            self._steps = [*self._steps, step][-size:]
            self._scale = bend / np.dot(change, change)
        q, shares = -g, []
        pairs = list(zip(self._changes, self._steps, strict=True))
        for c, s in reversed(pairs):
            shares.append(np.dot(s, q) / np.dot(c, s))
            q = q - shares[-1] * c
        r = q * self._scale
        for (c, s), share in zip(pairs, reversed(shares), strict=True):
            r = r + (share - np.dot(c, r) / np.dot(c, s)) * s
        return r

    def _evaluated(self, closure: Callable[[], Any]) -> tuple[Any, float]:
        """Return the loss, as a tensor and as a number."""
        with set_grad_enabled(True):
            loss = closure()
        with set_grad_enabled(False):
            return loss, float(loss)

    def _gradient(self) -> Value:
        """Return the gradients of all parameters in one row; zeros for missing ones."""
        return np.concatenate(
            [np.ravel(np.zeros_like(p.value) if p.grad is None else p.grad.value) for p in self._params]
        )

    def _move(self, d: Value, t: Any) -> None:
        start, self._moves = 0, []
        timeline = running.machine.timeline
        for parameter in self._params:
            step = d[start : start + parameter.value.size].reshape(parameter.shape)
            if timeline is not None and timeline.asks_how:
                entry = tuple(map(int, np.unravel_index(np.argmax(np.abs(step)), step.shape)))
                values = {"w": parameter.value[entry], "d": step[entry], "t": float(t)}
                self._moves.append((parameter, entry, (), worked(MOVE, values)))
            write(parameter, parameter.value + step[()] * float(t))
            start += parameter.value.size
