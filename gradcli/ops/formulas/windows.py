"""Index formulas of convolution, pooling and resizing: sums over windows, or the entry that a window gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import Given, entry, summed

Sizes = Sequence[int]
CELLS, KERNEL, SPOTS = "ijl", "abd", "pqr"  # letters of a place in the result, in the window, in the input
NAMES = ("plane", "row", "column")


def plus(letter: str, start: int, step: int = 1) -> str:
    """Return `2·i + 1`."""
    times = letter if step == 1 else f"{step}·{letter}"
    return f"{times} + {start}" if start > 0 else f"{times} - {-start}" if start else times


class Windows:
    """The letters of windows over several dimensions: `cells` of the result, `kernel` within, `spots` of the input.

    `offsets` are the letters of `kernel`, which has 0 where a window has one entry; `bound` has them with their sizes.
    """

    def __init__(self, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> None:
        count = len(stride)
        self.cells, self.spots = list(CELLS[:count]), list(SPOTS[:count])
        self.kernel = [a if n > 1 else "0" for a, n in zip(KERNEL, kernel, strict=False)]
        self.offsets = [a for a in self.kernel if a != "0"]
        self.bound = [f"{a}<{n}" for a, n in zip(self.kernel, kernel, strict=True) if n > 1]
        sides = zip(self.cells, self.kernel, stride, padding, dilation, strict=True)
        self.places = [f"{plus(i, 0, s)} + {plus(a, -p, d)}" if a != "0" else plus(i, -p, s) for i, a, s, p, d in sides]

    @property
    def meet(self) -> str:
        """The conditions under which a window reaches a spot."""
        return ", ".join(f"{place} = {spot}" for place, spot in zip(self.places, self.spots, strict=True))


def _channel(w: Any, groups: int) -> str:
    """Return the input channel that belongs to `c` of a kernel: the groups take turns."""
    out, own = np.shape(w)[:2]
    if groups == 1:
        return "c"
    first = "o" if out == groups else f"(o//{out // groups})"
    return first if own == 1 and out == groups else f"{own}·{first} + c"


def _bias(bias: Any, channel: str) -> str:
    return f" + bias[{channel}]" if np.ndim(bias) else ""


def convolved(
    out: Any, x: Any, w: Any, bias: Any, *, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> str:
    at = Windows(np.shape(w)[2:], stride, padding, dilation)
    source = entry("x", ["n", _channel(w, groups), *at.places])
    kernel = entry("w", ["o", "c", *at.kernel])
    total = summed(["c", *at.offsets], f"{source}·{kernel}")
    return f"{entry('out', ['n', 'o', *at.cells])} = {total}{_bias(bias, 'o')}"


def largest(positions: Any) -> Any:
    """Return the formula of max-pooling; `positions` finds the entries that it takes, in each image."""

    def formula(
        out: Any, x: Any, *, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, **o: Any
    ) -> tuple[str, Given]:
        at = Windows(kernel_size, stride, padding, dilation)
        lead = _lead(x, kernel_size)
        cells = [*lead, *at.cells]
        names = _names(kernel_size)
        met = ", ".join(f"{entry(name, cells)} = {spot}" for name, spot in zip(names, at.spots, strict=True))
        forward = f"{entry('out', cells)} = {summed(at.bound, entry('x', [*lead, *at.places]), 'max_')}"
        gradient = f"{entry('∂x', [*lead, *at.spots])} = {summed(at.cells, entry('g', cells))} where {met}"
        options = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation, **o}
        return f"{forward}; {gradient}", _given(names, positions(x, **options), x, kernel_size)

    return formula


def _lead(x: Any, kernel: Sizes) -> list[str]:
    return list("nc" if np.ndim(x) - len(kernel) == 2 else "c")[: np.ndim(x) - len(kernel)]


def _names(kernel: Sizes) -> tuple[str, ...]:
    return NAMES[3 - len(kernel) :]


def _given(names: Sequence[str], flat: Any, x: Any, kernel: Sizes) -> Given:
    places = np.unravel_index(flat, np.shape(x)[-len(kernel) :])
    words = "the place of the largest entry of a window, the first of several"
    return {name: (words, place) for name, place in zip(names, places, strict=True)}


def averaged(divisor: Any) -> Any:
    """Return the formula of average pooling; `divisor` counts the entries of each window."""

    def formula(
        out: Any, x: Any, *, kernel_size: Sizes, stride: Sizes, padding: Sizes, **o: Any
    ) -> str | tuple[str, Given]:
        at = Windows(kernel_size, stride, padding, (1,) * len(stride))
        lead = _lead(x, kernel_size)
        count = divisor(x, kernel_size=kernel_size, stride=stride, padding=padding, **o)
        total = summed(at.bound, entry("x", [*lead, *at.places]))
        left = entry("out", [*lead, *at.cells])
        if not np.ndim(count):
            return f"{left} = ({total})/{count}"
        return f"{left} = ({total})/{entry('count', at.cells)}", {"count": ("the number of entries of a window", count)}

    return formula
