"""Round numbers along an axis: multiples of 1, 2 or 5 times a power of ten."""

from __future__ import annotations

import math

MOST = 8


def ticks(low: float, high: float, limit: int = MOST) -> list[float]:
    """Return the round numbers of a range, at most so many; one where the range is a point."""
    if not (math.isfinite(low) and math.isfinite(high)) or high - low <= 0 or math.isinf(high - low):
        return [low]
    step = spacing(high - low, limit)
    if step == 0:  # a range of the smallest numbers there are
        return [low]
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = dict.fromkeys(number * step for number in range(first, last + 1))  # of a narrow range some are the same
    return list(values)[: limit + 1] or [low]


def spacing(width: float, limit: int = MOST) -> float:
    """Return the distance of ticks: the smallest round one that gives no more than so many."""
    power = 10.0 ** math.floor(math.log10(width / limit))
    return next((factor * power for factor in (1, 2, 5) if width <= factor * power * limit), 10 * power)


def rounded(low: float, high: float, limit: int) -> tuple[float, float]:
    """Return the range widened to ticks at both ends, of which there are at most so many and one; else as it is."""
    for _ in range(MOST):
        if not 0 < high - low < math.inf or not (step := spacing(high - low, limit)):
            break
        ends = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        if ends == (low, high):
            break
        low, high = ends
    return low, high


def labels(values: list[float]) -> list[str]:
    """Return the ticks as text, all with as many digits as tell them apart."""
    if len(values) < 2:
        return [f"{value:.4g}" for value in values]
    step, largest = values[1] - values[0], max(map(abs, values))
    if largest >= 1e6 or step < 1e-5:
        digits = max(0, math.floor(math.log10(largest)) - math.floor(math.log10(step) + 1e-9))
        return ["0" if value == 0 else _exponent(f"{value:.{digits}e}") for value in values]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return [f"{value + 0.0:.{decimals}f}" if abs(value) > step / 2 else "0" for value in values]


def _exponent(text: str) -> str:
    digits, _, power = text.partition("e")
    return f"{digits}e{int(power)}"
