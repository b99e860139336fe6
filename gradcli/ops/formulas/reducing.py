"""Index formulas of operations that reduce dimensions or run along one, and of distances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import Given, entry, letters, put, summed
from gradcli.facts import dataclass

Axes = int | Sequence[int] | None


@dataclass(frozen=True)
class Reduced:
    """The places of a reduction: of an entry of the input, of the result, and the letters that are reduced.

    `others` are the places of an entry with other letters in the reduced dimensions, and `rest` these letters.
    """

    places: tuple[str, ...]
    kept: tuple[str, ...]
    bound: tuple[str, ...]
    others: tuple[str, ...]
    rest: tuple[str, ...]
    count: int

    @classmethod
    def of(cls, x: Any, dim: Axes = None, keepdim: bool = False) -> Reduced:
        ndim = np.ndim(x)
        every = dim is None or (not isinstance(dim, int) and not tuple(dim)) or not ndim
        axes = tuple(range(ndim)) if every else (dim,) if isinstance(dim, int) else tuple(dim or ())
        axes = tuple(axis % ndim for axis in axes)
        names = letters(2 * ndim)
        places, fresh = names[:ndim], iter(names[ndim:])
        others = [next(fresh) if axis in axes else letter for axis, letter in enumerate(places)]
        kept = [letter for axis, letter in enumerate(places) if axis not in axes]
        if keepdim:
            kept = ["0" if axis in axes else letter for axis, letter in enumerate(places)]
        return cls(
            tuple(places),
            tuple(kept),
            tuple(places[axis] for axis in axes),
            tuple(others),
            tuple(others[axis] for axis in axes),
            math.prod(np.shape(x)[axis] for axis in axes),
        )

    @property
    def out(self) -> str:
        return entry("out", self.kept)

    @property
    def g(self) -> str:
        return entry("g", self.kept)

    @property
    def x(self) -> str:
        return entry("x", self.places)

    @property
    def gradient(self) -> str:
        return entry("∂x", self.places)

    def sum(self, body: str, operator: str = "Σ") -> str:
        return summed(self.bound, body, operator)

    def other(self, name: str) -> str:
        return entry(name, self.others)


def total(out: Any, x: Any, *, dim: Axes = None, keepdim: bool = False, **_: Any) -> str:
    of = Reduced.of(x, dim, keepdim)
    return f"{of.out} = {of.sum(of.x)}"


def average(out: Any, x: Any, *, dim: Axes = None, keepdim: bool = False, **_: Any) -> str:
    of = Reduced.of(x, dim, keepdim)
    return f"{of.out} = ({of.sum(of.x)})/{of.count}" if of.count else f"{of.out} = {of.sum(of.x)}"


def product(out: Any, x: Any, *, dim: Axes = None, keepdim: bool = False) -> str:
    of = Reduced.of(x, dim, keepdim)
    if not of.places:
        return "out = x"
    if len(of.bound) > 1:
        return "out = Πi x.flat[i]; ∂x.flat[i] = g·(Πj x.flat[j] where j ≠ i)"
    others = f"({summed(of.rest, of.other('x'), 'Π')} where {of.rest[0]} ≠ {of.bound[0]})"
    return f"{of.out} = {of.sum(of.x, 'Π')}; {of.gradient} = {of.g}·{others}"


def extreme(operator: str) -> Any:
    """Return the formula of `max`, `amax` and their like, which share the gradient among entries that tie."""

    def formula(out: Any, x: Any, *, dim: Axes = None, keepdim: bool = False) -> str | tuple[str, Given]:
        of = Reduced.of(x, dim, keepdim)
        forward = f"{of.out} = {of.sum(of.x, f'{operator}_')}"
        return _shared(of, forward, out, x)

    return formula


def middle(out: Any, x: Any) -> str | tuple[str, Given]:
    return _shared(Reduced.of(x), "", out, x)


def _shared(of: Reduced, forward: str, out: Any, x: Any) -> str | tuple[str, Given]:
    """Return the formula that gives the gradient to the entries equal to the result, in equal parts."""
    forward = f"{forward}; " if forward else ""
    value = np.reshape(out, [1 if letter in of.bound else n for letter, n in zip(of.places, np.shape(x), strict=True)])
    same = np.equal(x, value) | np.isnan(x) & np.isnan(value)
    axes = tuple(of.places.index(letter) for letter in of.bound)
    ties = np.sum(same, axis=axes, keepdims="0" in of.kept or not of.kept)
    if np.isnan(value).any():
        gradient = f"{of.gradient} = {of.g}·{entry('chosen', of.places)}"
        return forward + gradient, {
            "chosen": (
                "the share of an entry: nan counts as the extreme",
                same / np.sum(same, axis=axes, keepdims=True),
            )
        }
    where = f"where {of.x} = {of.out}"
    if (ties <= 1).all():
        return f"{forward}{of.gradient} = {of.g} {where}"
    count = np.reshape(ties, np.shape(out))
    return f"{forward}{of.gradient} = {of.g}/{entry('n', of.kept)} {where}", {
        "n": ("the number of entries that tie", count)
    }


def norm(out: Any, x: Any, *, p: float = 2, dim: Axes = None, keepdim: bool = False) -> str | tuple[str, Given]:
    return _norm(Reduced.of(x, dim, keepdim), out, np.asarray(x), p, "x")


def _norm(of: Reduced, out: Any, x: Any, p: float, inner: str) -> str | tuple[str, Given]:
    """Return the formula of a norm of `inner`, which stands for an entry `x[i]`."""
    term = of.x if inner == "x" else inner
    if p == 0:
        return f"{of.gradient} = 0"
    if p == 1:
        return f"{of.out} = {of.sum(f'abs({term})')}"
    if math.isinf(p):
        size = np.abs(x)
        found = _shared(of, "", out, size)
        text, given = found if isinstance(found, tuple) else (found, {})
        operator = "max_" if p > 0 else "min_"
        text = text.replace(f"where {of.x} =", f"where abs({of.x}) =").replace(of.g, f"{of.g}·sign({of.x})", 1)
        return f"{of.out} = {of.sum(f'abs({of.x})', operator)}; {text}", given
    where = f" where {of.x if p < 1 else of.out} ≠ 0" if np.any(np.equal(x if p < 1 else out, 0)) else ""
    if p == 2:
        return f"{of.out} = sqrt({of.sum(f'{term}**2')}); {of.gradient} = {of.g}·{term}/{of.out}{where}"
    powers = f"sign({term})·abs({term})**{p - 1!r}/{of.out}**{p - 1!r}"
    return f"{of.out} = ({of.sum(f'abs({term})**{p!r}')})**{1 / p!r}; {of.gradient} = {of.g}·{powers}{where}"


def variance(out: Any, x: Any, *, dim: Axes = None, correction: float = 1, keepdim: bool = False) -> tuple[str, Given]:
    return _spread_out(out, x, dim, correction, keepdim, is_root=False)


def deviation(out: Any, x: Any, *, dim: Axes = None, correction: float = 1, keepdim: bool = False) -> tuple[str, Given]:
    return _spread_out(out, x, dim, correction, keepdim, is_root=True)


def _spread_out(out: Any, x: Any, dim: Axes, correction: float, keepdim: bool, *, is_root: bool) -> tuple[str, Given]:
    of = Reduced.of(x, dim, keepdim)
    axes = tuple(of.places.index(letter) for letter in of.bound)
    free = max(of.count - correction, 0)
    mean = np.mean(x, axis=axes, keepdims=True)
    means = np.reshape(mean, np.shape(out))
    given = {"mean": ("the mean of the entries", means)}
    m = entry("mean", of.kept)
    inner = f"({of.sum(f'({of.x} - {m})**2')})/{free:g}"
    if not is_root:
        return f"{of.out} = {inner}; {of.gradient} = 2·{of.g}·({of.x} - {m})/{free:g}", given
    where = f" where {of.out} ≠ 0" if np.any(np.equal(out, 0)) else ""
    slope = f"{of.g}·({of.x} - {m})/({free:g}·{of.out}){where}"
    return f"{of.out} = sqrt({inner}); {of.gradient} = {slope}", given


@dataclass(frozen=True)
class Along:
    """Entries along one dimension: `along("x")` is `x[i]`, `along("x", "k")` is `x[k]`; `k` and `m` are letters."""

    places: tuple[str, ...]
    dim: int
    i: str
    k: str
    m: str
    n: str

    @classmethod
    def of(cls, x: Any, dim: int) -> Along:
        ndim = np.ndim(x)
        *places, k, m, n = letters(ndim + 3)
        return cls(tuple(places), dim, places[dim] if places else "", k, m, n)

    def __call__(self, name: str, letter: str | None = None) -> str:
        return entry(name, self.places if letter is None or not self.places else put(self.places, self.dim, letter))


def running(direction: str = "≤") -> Any:
    """Return the formula of a running sum, from the first entry on or from the last one back."""

    def formula(out: Any, x: Any, *, dim: int, **_: Any) -> str:
        along = Along.of(x, dim)
        return (
            f"{along('out')} = Σ{along.k} {along('x', along.k)} where {along.k} {direction} {along.i}"
            if along.i
            else "out = x"
        )

    return formula
