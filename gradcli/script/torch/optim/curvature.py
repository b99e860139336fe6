"""`torch.optim.LBFGS`: steps along a direction that accounts for the curvature, estimated from the last gradients.

Nocedal 1980, in torch's arrangement: the first step is short, and `step` calls its closure again and again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.numerics.fusing import Value, added
from gradcli.engine.numerics.summation import total
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.machine import running
from gradcli.script.torch.optim.declaration import Declared
from gradcli.script.torch.optim.formulas import worked
from gradcli.script.torch.optim.line_search import strong_wolfe
from gradcli.script.torch.optim.optimizer import number, write
from gradcli.script.torch.optim.state import Group

# What torch writes into the state at the end of a step, in its order.
LAST = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")


class LBFGS(Declared):
    """The limited-memory BFGS method; its state, kept for the first parameter, holds the last `history_size` steps."""

    __module__ = "torch.optim.lbfgs"
    _signature = (
        "params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-07, tolerance_change=1e-09, history_size=100, "
        "line_search_fn=None"
    )

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]
        self._moves: list[Any] = []  # the latest step along a direction, as it is told

    def _settled(self, options: Group) -> Group:
        if options["max_eval"] is None:
            options["max_eval"] = options["max_iter"] * 5 // 4
        return options

    def step(self, closure: Callable[[], Any]) -> Any:
        """Take up to `max_iter` steps, between the hooks."""
        return super().step(closure)

    def _step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Take up to `max_iter` steps; returns the loss before the first."""
        group, shown = self.param_groups[0], self.state[self._params[0]]
        shown.setdefault("func_evals", 0)
        shown.setdefault("n_iter", 0)
        state = {name: _numbers(value) for name, value in shown.items()}
        self._stepped = self._scheduled
        first, loss = self._evaluated(closure)
        state["func_evals"] += 1
        g = self._gradient()
        shown["func_evals"] += 1
        if not np.abs(g).max() <= group["tolerance_grad"]:
            is_first = not state["n_iter"]
            self._iterate(closure, state, loss, g)
            for name in LAST if is_first else ():
                state[name] = state.pop(name)
            shown.update((name, _tensors(value)) for name, value in state.items())
            if running.machine.timeline is not None:
                running.machine.timeline.stepped(self, self._params, self._moves)
        return first

    def _iterate(self, closure: Callable[[], Any], state: dict[str, Any], loss: float, g: Value) -> None:
        group, rate, evaluations = self.param_groups[0], number(self.param_groups[0]["lr"]), 1
        for iteration in range(1, group["max_iter"] + 1):
            running.machine.budget.spend(1)
            state["n_iter"] += 1
            d = state["d"] = self._direction(state, g)
            before, state["prev_flat_grad"], state["prev_loss"] = loss, g.copy(), loss
            short = state["n_iter"] == 1
            t = min(1.0, 1.0 / total(np.abs(g))) * rate if short else rate
            state["t"] = t if short else group["lr"]  # a tensor itself, which the caller may halve before the next step
            slope = np.dot(g, d)
            if slope > -group["tolerance_change"]:
                break
            if group["line_search_fn"] is not None:
                left = group["max_eval"] - evaluations
                loss, g, t, calls = self._searched(closure, t, d, (loss, g, slope), left)
                state["t"] = t
                self._move(d, t)
            else:
                self._move(d, t)
                calls = 0
                if iteration < group["max_iter"]:
                    loss, g, calls = self._evaluated(closure)[1], self._gradient(), 1
            evaluations += calls
            state["func_evals"] += calls
            if (
                evaluations >= group["max_eval"]
                or np.abs(g).max() <= group["tolerance_grad"]
                or np.abs(d * t).max() <= group["tolerance_change"]
                or abs(loss - before) < group["tolerance_change"]
            ):
                break

    def _direction(self, state: dict[str, Any], g: Value) -> Value:
        """Return the direction: against the gradient, corrected by its changes along the last steps."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return -g
        history = self.param_groups[0]["history_size"]
        changes, steps, inverses = state["old_dirs"], state["old_stps"], state["ro"]
        change, step = g - state["prev_flat_grad"], state["d"] * number(state["t"])
        bend = np.dot(change, step)
        if bend > 1e-10:
            if len(changes) == history:
                for kept in (changes, steps, inverses):
                    kept.pop(0)
            changes.append(change)
            steps.append(step)
            inverses.append(1.0 / bend)
            state["H_diag"] = bend / np.dot(change, change)
        q, shares = -g, []
        for c, s, inverse in zip(reversed(changes), reversed(steps), reversed(inverses), strict=True):
            shares.append(np.dot(s, q) * inverse)
            q = added(q, c, -float(shares[-1]))
        kept_shares = state.setdefault("al", [None] * self.param_groups[0]["history_size"])
        kept_shares[: len(shares)] = reversed(shares)
        r = q * state["H_diag"]
        for c, s, inverse, share in zip(changes, steps, inverses, reversed(shares), strict=True):
            r = added(r, s, float(share - np.dot(c, r) * inverse))
        return r

    def _searched(
        self, closure: Callable[[], Any], t: Any, d: Value, start: tuple[float, Value, Value], calls: int
    ) -> tuple[float, Value, Any, int]:
        if self.param_groups[0]["line_search_fn"] != "strong_wolfe":
            raise AutogradError("only 'strong_wolfe' is supported")
        here = [parameter.value.copy() for parameter in self._params]

        def evaluate(t: Any) -> tuple[float, Value]:
            self._move(d, t)
            found = self._evaluated(closure)[1], self._gradient()
            for parameter, value in zip(self._params, here, strict=True):
                write(parameter, value)
            return found

        return strong_wolfe(evaluate, t, d, *start, calls)

    def _evaluated(self, closure: Callable[[], Any]) -> tuple[Any, float]:
        """Return the loss, as a tensor and as a number."""
        with set_grad_enabled(True):
            loss = closure()
        with set_grad_enabled(False):
            return loss, float(loss)

    def _gradient(self) -> Value:
        """Return the gradients of all parameters in one row; zeros for missing ones."""
        parts = [np.ravel(np.zeros_like(p.value) if p.grad is None else p.grad.value) for p in self._params]
        return np.concatenate(parts)

    def _move(self, d: Value, t: Any) -> None:
        start, self._moves = 0, []
        timeline = running.machine.timeline
        for parameter in self._params:
            part = d[start : start + parameter.value.size].reshape(parameter.shape)
            if timeline is not None and timeline.asks_how:
                entry = tuple(map(int, np.unravel_index(np.argmax(np.abs(part)), part.shape)))
                values = {"w": parameter.value[entry], "d": part[entry], "t": float(t)}
                self._moves.append((parameter, entry, (), worked("w = w + t*d", values)))
            write(parameter, added(parameter.value, part[()], float(t)))
            start += parameter.value.size


def _tensors(value: Any) -> Any:
    """Return a value of the state as it is shown: its numbers as tensors."""
    if isinstance(value, list):
        return [_tensors(one) for one in value]
    return Tensor(value) if isinstance(value, np.ndarray | np.generic) else value


def _numbers(value: Any) -> Any:
    """Return a value of the state as a step works with it: numbers in place of tensors."""
    if isinstance(value, list):
        return [_numbers(one) for one in value]
    return value.value if isinstance(value, Tensor) else value
