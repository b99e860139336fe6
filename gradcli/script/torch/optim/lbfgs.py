"""`torch.optim.LBFGS`: steps along a direction that accounts for the curvature, estimated from the last gradients.

Nocedal 1980, in torch's arrangement: the first step is short, and `step` calls its closure again and again. The search
for a step that satisfies the strong Wolfe conditions is that of Nocedal and Wright 2006, 3.5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.modes import set_grad_enabled
from gradcli.errors import AutogradError
from gradcli.script.machine import running
from gradcli.script.torch.optim.formulas import worked
from gradcli.script.torch.optim.optimizer import Declared, Group, Value, number, write

Evaluate = Callable[[Any], tuple[float, Value]]
ENOUGH, FLAT, SMALLEST = 1e-4, 0.9, 1e-9  # how much to descend, how much flatter to become, when to give up
MOVE = "w = w + t*d"


class LBFGS(Declared):
    """The limited-memory BFGS method, which remembers the last `history_size` steps."""

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
            if group["line_search_fn"] is not None:
                left = group["max_eval"] - evaluations
                loss, g, t, calls = self._searched(closure, t, d, (loss, g, slope), left)
                self._move(d, t)
            else:
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

    def _searched(
        self, closure: Callable[[], Any], t: Any, d: Value, start: tuple[float, Value, Value], most: int
    ) -> tuple[float, Value, Any, int]:
        """Return value and gradient after the step that was found, the step, and the number of evaluations."""
        if self.param_groups[0]["line_search_fn"] != "strong_wolfe":
            raise AutogradError("only 'strong_wolfe' is supported")
        here = [parameter.value.copy() for parameter in self._params]

        def evaluate(t: Any) -> tuple[float, Value]:
            self._move(d, t)
            at_step = self._evaluated(closure)[1], self._gradient()
            for parameter, value in zip(self._params, here, strict=True):
                write(parameter, value)
            return at_step

        loss, g, slope = start
        search = Search(evaluate, d, Point(0, loss, g.copy(), slope), most)
        ends = search.bracket(t)
        point = ends[0] if len(ends) == 1 else search.narrowed(ends)
        return point.f, point.g, point.t, search.calls

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


class Point(NamedTuple):
    """A step `t`, with value `f` and gradient `g` of the function there, and the slope along the direction."""

    t: Any
    f: float
    g: Value
    slope: Any


def minimum(a: Point, b: Point, low: Any, high: Any) -> Any:
    """Return the minimum of the cubic through two points with their slopes, between bounds."""
    d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    left, right = (a, b) if a.t <= b.t else (b, a)
    d2 = np.sqrt(square)
    place = right.t - (right.t - left.t) * ((right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2))
    return min(max(place, low), high)


class Search:
    """The search from a point along a direction `d`, in at most `most` rounds."""

    def __init__(self, evaluate: Evaluate, d: Value, start: Point, most: int) -> None:
        self.evaluate, self.d, self.start, self.most = evaluate, d, start, most
        self.calls, self.rounds = 0, 0

    def at(self, t: Any) -> Point:
        f, g = self.evaluate(t)
        self.calls += 1
        return Point(t, f, g, np.dot(g, self.d))

    def is_too_high(self, point: Point) -> bool:
        return bool(point.f > self.start.f + ENOUGH * point.t * self.start.slope)

    def is_flat(self, point: Point) -> bool:
        return bool(abs(point.slope) <= -FLAT * self.start.slope)

    def bracket(self, t: Any) -> list[Point]:
        """Return one point that satisfies the conditions, or two with such a point between them."""
        before, here = self.start, self.at(t)
        while self.rounds < self.most:
            if self.is_too_high(here) or (self.rounds > 1 and here.f >= before.f):
                return [before, here]
            if self.is_flat(here):
                return [here]
            if here.slope >= 0:
                return [before, here]
            further = minimum(before, here, here.t + 0.01 * (here.t - before.t), here.t * 10)
            before, here = here, self.at(further)
            self.rounds += 1
        return [self.start, here]

    def narrowed(self, ends: list[Point]) -> Point:
        """Close in between two points, and return the lowest point that was tried."""
        span, stalled = np.abs(self.d).max(), False
        low, high = (0, 1) if ends[0].f <= ends[1].f else (1, 0)
        while self.rounds < self.most:
            first, last = sorted((ends[0].t, ends[1].t))
            if abs(last - first) * span < SMALLEST:
                break
            t = minimum(ends[0], ends[1], first, last)
            margin = 0.1 * (last - first)
            if min(last - t, t - first) < margin:
                stalled, was_stalled = True, stalled
                if was_stalled or t >= last or t <= first:
                    t, stalled = last - margin if abs(t - last) < abs(t - first) else first + margin, False
            else:
                stalled = False
            here = self.at(t)
            self.rounds += 1
            if self.is_too_high(here) or here.f >= ends[low].f:
                ends[high] = here
                low, high = (0, 1) if ends[0].f <= ends[1].f else (1, 0)
                continue
            done = self.is_flat(here)
            if not done and here.slope * (ends[high].t - ends[low].t) >= 0:
                ends[high] = ends[low]
            ends[low] = here
            if done:
                break
        return ends[low]
