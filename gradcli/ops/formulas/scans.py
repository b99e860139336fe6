"""Index formulas of operations that run along one dimension: running sums and products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import entry, letters
from gradcli.ops.formulas.shaping import put


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


def running_product(out: Any, x: Any, *, dim: int) -> str:
    at = Along.of(x, dim)
    if not at.i:
        return "out = x"
    i, k, m = at.i, at.k, at.m
    others = f"(Π{m} {at('x', m)} where {m} ≤ {k}, {m} ≠ {i})"
    return f"{at('out')} = Π{k} {at('x', k)} where {k} ≤ {i}; {at('∂x')} = Σ{k} {at('g', k)}·{others} where {k} ≥ {i}"
