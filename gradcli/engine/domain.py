"""Domains: where an operation is finite and smooth, a fact of its declaration."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.facts import dataclass


def _always(*inputs: Any, **options: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Domain:
    """The points at which an operation is finite and smooth.

    `text` writes the condition over its inputs, `{0}` and `{1}`, and is empty if there is none; `holds` tells of values
    of the inputs which entries fulfil it. `low` and `high` bound the first input, where the condition is an interval.
    """

    text: str = ""
    holds: Callable[..., Any] = _always
    low: float = -math.inf
    high: float = math.inf


EVERYWHERE = Domain()


def between(low: float, high: float) -> Domain:
    """Return the open interval of the first input."""
    return Domain(f"{low:g} < {{0}} < {high:g}", lambda x, *_, **options: (x > low) & (x < high), low, high)


def above(low: float, input: int = 0) -> Domain:
    """Return the half-line of one input."""
    text, bound = f"{low:g} < {{{input}}}", low if input == 0 else -math.inf
    return Domain(text, lambda *inputs, **options: np.greater(inputs[input], low), bound)


def other_than_0(input: int = 0) -> Domain:
    """Return all numbers but 0, of one input."""
    return Domain(f"{{{input}}} != 0", lambda *inputs, **options: np.not_equal(inputs[input], 0))


POSITIVE = above(0)
