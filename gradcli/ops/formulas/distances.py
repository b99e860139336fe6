"""Index formulas of distances: norms of differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import entry, letters, spread


def _slope_of_norm(d: str, p: float, g: str, out: str, has_zeros: Any) -> str:
    if p == 0:
        return f"0·{g}"
    if p == 1:
        return f"{g}·sign{d}"
    if math.isinf(p):
        return f"({g}·sign{d} where abs{d} = {out})"
    power = d if p == 2 else f"sign{d}·abs{d}**{p - 1!r}"
    below = out if p == 2 else f"{out}**{p - 1!r}"
    return f"({g}·{power}/{below} where {out} ≠ 0)" if has_zeros else f"{g}·{power}/{below}"


def distances(out: Any, x: Any, y: Any, *, p: float = 2) -> str:
    """Return the formulas of `cdist`: row i of one with row j of the other."""
    *batch, i, j, k = letters(np.ndim(out) + 1)
    size = np.shape(out)[:-2]
    a = spread("x", np.shape(x), [*batch, i, k], (*size, *np.shape(x)[-2:]))
    b = spread("y", np.shape(y), [*batch, j, k], (*size, *np.shape(y)[-2:]))
    d, o, g = f"({a} - {b})", entry("out", [*batch, i, j]), entry("g", [*batch, i, j])
    slope = _slope_of_norm(d, p, g, o, np.any(np.equal(out, 0)))
    forward = (
        f"{o} = (Σ{k} abs{d}**{p!r})**{1 / p!r}" if p and not math.isinf(p) else f"{o} = max_{k} abs{d}" if p else ""
    )
    lost = [[letter for letter in batch if letter not in own[1:]] for own in (a, b)]
    if p == 0:  # which has no variable to sum over
        return f"∂{a} = 0; ∂{b} = 0"
    gradients = f"∂{a} = Σ{','.join([*lost[0], j])} {slope}; ∂{b} = -(Σ{','.join([*lost[1], i])} {slope})"
    return f"{forward}; {gradients}" if forward else gradients
