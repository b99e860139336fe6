"""Index formulas of operations that reduce dimensions or run along one, and of distances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import Given, entry, letters, summed
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


def _shared(of: Reduced, forward: str, out: Any, x: Any) -> str | tuple[str, Given]:
    """Return the formula that gives the gradient to the entries equal to the result, in equal parts."""
    forward = f"{forward}; " if forward else ""
    value = np.reshape(out, [1 if letter in of.bound else n for letter, n in zip(of.places, np.shape(x), strict=True)])
    axes = tuple(of.places.index(letter) for letter in of.bound)
    ties = np.sum(np.equal(x, value), axis=axes, keepdims="0" in of.kept or not of.kept)
    if np.isnan(value).any():  # nan counts as the extreme, and equals nothing
        return ""
    where = f"where {of.x} = {of.out}"
    if (ties <= 1).all():
        return f"{forward}{of.gradient} = {of.g} {where}"
    count = np.reshape(ties, np.shape(out))
    return f"{forward}{of.gradient} = {of.g}/{entry('n', of.kept)} {where}", {
        "n": ("the number of entries that tie", count)
    }


def norm(out: Any, x: Any, *, p: float = 2, dim: Axes = None, keepdim: bool = False) -> str:
    """Return the formula of the norms that courses have, by absolute values and by squares; of no other."""
    of = Reduced.of(x, dim, keepdim)
    if p == 1:
        return f"{of.out} = {of.sum(f'abs({of.x})')}"
    where = f" where {of.out} ≠ 0" if np.any(np.equal(out, 0)) else ""
    return f"{of.out} = sqrt({of.sum(f'{of.x}**2')}); {of.gradient} = {of.g}·{of.x}/{of.out}{where}" if p == 2 else ""
