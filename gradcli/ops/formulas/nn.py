"""Index formulas of softmax, normalization and losses; their gradients are written in terms of the result."""

from __future__ import annotations

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
    """Return the formula of a loss with its reduction: `x`, `y`, `w`, `p` in its term stand for entries.

    `slopes` are derivatives of the term by an input, where they are not derived.
    """

    def formula(out: Any, x: Any, y: Any, w: Any = 1, p: Any = 1, *, reduction: str, **options: Any) -> str:
        places, shape = letters(np.ndim(x)), np.shape(x)
        values = {"x": x, "y": y, "w": w, "p": p}

        def filled(text: str) -> str:
            for name, value in values.items():
                own = spread(name, np.shape(value), places, shape) if not isinstance(value, int) else str(value)
                text = text.replace("{" + name + "}", own)
            for name, value in options.items():
                text = text.replace("{" + name + "}", repr(float(value)))
            return text.replace("1·", "")

        is_none = reduction == "none"
        n = max(int(np.size(x)), 1)
        share = f"/{n}" if reduction == "mean" else ""
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


def layer_norm(out: Any, x: Any, weight: Any, bias: Any, *, normalized_shape: Any, eps: float = 1e-5) -> Any:
    inner = tuple(range(np.ndim(x) - len(normalized_shape), np.ndim(x)))
    return _normalized(x, weight, bias, inner, inner, eps)


def batch_norm(
    out: Any, x: Any, weight: Any, bias: Any, mean: Any, var: Any, *, training: bool, eps: float = 1e-5
) -> Any:
    if training:
        return _normalized(x, weight, bias, (0, *range(2, np.ndim(x))), (1,), eps)
    places = letters(np.ndim(x))
    c = places[1]
    scaled = f"({entry('x', places)} - mean[{c}])/sqrt(var[{c}] + {eps!r})"
    return f"{entry('out', places)} = {_affine(scaled, weight, bias, [c])}"


S = "the deviation, the root of the variance with eps added"


def _standard(x: Any, axes: tuple[int, ...], eps: float) -> tuple[Any, Any]:
    centred = x - np.mean(x, axis=axes, keepdims=True)
    s = np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + eps)
    return centred / s, s


def _normalized(x: Any, weight: Any, bias: Any, axes: tuple[int, ...], inner: tuple[int, ...], eps: float) -> Any:
    """Return the formulas of a normalization over axes, whose weight has the axes `inner`."""
    z, s = _standard(x, axes, eps)
    of = Reduced.of(x, axes)
    own, others = list(of.places), list(of.others)
    kept = [n for a, n in enumerate(np.shape(x)) if a not in axes]
    given = {
        "m": ("the mean", np.reshape(np.mean(x, axis=axes), kept)),
        "s": (S, np.reshape(s, kept)),
        "z": ("the entry less the mean, over the deviation", z),
    }
    gradient = _corrected(own, others, of.rest, weight, inner, of.count, entry("s", of.kept))
    standard = f"({entry('x', own)} - {entry('m', of.kept)})/{entry('s', of.kept)}"
    forward = _affine(standard, weight, bias, [own[axis] for axis in inner])
    return f"{entry('out', own)} = {forward}; {entry('∂x', own)} = {gradient}", given


def _affine(z: str, weight: Any, bias: Any, places: Any) -> str:
    scaled = z if isinstance(weight, int) else f"{z}·{entry('weight', places)}"
    return scaled if isinstance(bias, int) else f"{scaled} + {entry('bias', places)}"


def _corrected(own: Any, others: Any, rest: Any, weight: Any, inner: Any, count: int, s: str, same: str = "") -> str:
    """Return the gradient without its parts along the mean and the deviation (Ba et al. 2016)."""

    def h(places: Any) -> str:
        g = entry("g", places)
        return g if isinstance(weight, int) else f"{g}·{entry('weight', [places[axis] for axis in inner])}"

    mean = f"({summed(rest, h(others))}{same})/{count}"
    product = f"{h(others)}·{entry('z', others)}"
    along = f"({summed(rest, product)}{same})/{count}"
    return f"({h(own)} - {mean} - {entry('z', own)}·{along})/{s}"


def embedding(out: Any, rows: Any, weight: Any, *, padding_idx: int | None = None) -> str:
    *places, k, p = letters(np.ndim(rows) + 2)
    row = entry("rows", places)
    forward = f"{entry('out', [*places, k])} = weight[{row},{k}]"
    if padding_idx is None:
        return forward
    rest = summed(places, entry("g", [*places, k]))
    return f"{forward}; ∂weight[{p},{k}] = {rest} where {row} = {p}, {row} ≠ {padding_idx}"
