"""Index formulas of softmax and losses; their gradients are written in terms of the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import Given, entry, letters, put, spread, summed
from gradcli.ops.formulas.reducing import Axes, Reduced


def _parts(x: Any, dim: Axes) -> tuple[Reduced, Callable[[str], str], Callable[[str], str]]:
    """Return a reduction, and how an entry is written: at its own place, and at the place that a sum runs over."""
    of = Reduced.of(x, dim)
    return of, lambda name: entry(name, of.places), of.other


def _exponentials(of: Reduced, of_entry: str) -> str:
    return summed(of.rest, f"exp({of_entry})")


def softmax(out: Any, x: Any, *, dim: Axes) -> str:
    of, own, other = _parts(x, dim)
    forward = f"{own('out')} = exp({own('x')})/({_exponentials(of, other('x'))})"
    return f"{forward}; {own('∂x')} = {_through(of, own, other, 'g', 'out')}"


def _through(of: Reduced, own: Any, other: Any, g: str, y: str) -> str:
    total = summed(of.rest, f"{other(g)}·{other(y)}")
    return f"{own(y)}·({own(g)} - ({total}))"


def log_softmax(out: Any, x: Any, *, dim: Axes) -> str:
    of, own, other = _parts(x, dim)
    gradient = f"{own('g')} - exp({own('out')})·({summed(of.rest, other('g'))})"
    return f"{own('out')} = {own('x')} - log({_exponentials(of, other('x'))}); {own('∂x')} = {gradient}"


def logsumexp(out: Any, x: Any, *, dim: Axes, keepdim: bool = False) -> str:
    of = Reduced.of(x, dim, keepdim)
    return f"{of.out} = log({of.sum(f'exp({of.x})')}); {of.gradient} = {of.g}·exp({of.x} - {of.out})"


def loss(term: str, *slopes: tuple[str, str]) -> Any:
    """Return the formula of a loss with its reduction: `x`, `y`, `w` in its term stand for entries.

    `slopes` are derivatives of the term by an input, where they are not derived.
    """

    def formula(out: Any, x: Any, y: Any, w: Any = 1, *, reduction: str) -> str:
        shape = np.broadcast_shapes(np.shape(x), np.shape(y))
        places, values = letters(len(shape)), {"x": x, "y": y, "w": w}

        def filled(text: str) -> str:
            for name, value in values.items():
                own = spread(name, np.shape(value), places, shape) if not isinstance(value, int) else str(value)
                text = text.replace("{" + name + "}", own)
            return text.replace("1·", "")

        is_none = reduction == "none"
        share = f"/{max(math.prod(shape), 1)}" if reduction == "mean" else ""
        whole = summed(places, f"({filled(term)})")
        total = filled(term) if is_none else f"({whole}){share}"
        g = entry("g", places) if is_none else "g"
        written = [f"; {entry(f'∂{name}', places)} = {g}·({filled(slope)}){share}" for name, slope in slopes]
        return f"{entry('out', places) if is_none else 'out'} = {total}{''.join(written)}"

    return formula


def likelihood(out: Any, x: Any, target: Any, weight: Any = 1, *, reduction: str, ignore_index: int) -> Any:
    """Return the formula of `nll_loss`: the entry at the label counts, times its class's weight."""
    places = letters(np.ndim(x))
    axis = 0 if len(places) == 1 else 1
    batch = put(places, axis)
    shape = np.shape(x)[:axis] + np.shape(x)[axis + 1 :]
    labels = np.reshape(np.asarray(target).astype(int), shape)
    given: Given = {} if np.shape(target) == shape else {"label": ("the label", labels)}
    label = entry("label" if given else "target", batch)
    chosen = entry("x", put(places, axis, label))
    weighted = chosen if isinstance(weight, int) else f"weight[{label}]·{chosen}"
    counted = f" where {label} ≠ {ignore_index}" if (labels == ignore_index).any() else ""
    if reduction == "none":
        return f"{entry('out', batch)} = -{weighted}{counted}", given
    total = f"-({summed(batch, weighted)}{counted})"
    if reduction == "sum":
        return f"out = {total}", given
    kept = labels[labels != ignore_index]
    count = float(kept.size if isinstance(weight, int) else np.sum(np.asarray(weight)[kept]))
    return f"out = {total}/({count!r})" if count else f"out = {total}", given
