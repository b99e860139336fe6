"""The constraints on parameters and values of distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.python.text.formatting import formatted
from gradcli.script.python.values.attributes import Facade

Array = Any  # np.ndarray


class Constraint(Facade):
    """A condition on each entry, or on each vector, of a tensor; `holds` tests it on an array."""

    is_discrete = False
    event_dim = 0  # how many of the last dimensions it looks at together

    def __init__(self, name: str, holds: Callable[[Array], Any], **bounds: Any) -> None:
        self._name, self._holds, self._bounds = name, holds, bounds

    def check(self, value: Tensor) -> Tensor:
        """Return where the constraint holds."""
        return Tensor(self._holds(value.value))

    def __repr__(self) -> str:
        return f"{self._name}({', '.join(f'{name}={formatted(bound)}' for name, bound in self._bounds.items())})"


class Discrete(Constraint):
    is_discrete = True


class Shares(Constraint):
    event_dim = 1


class Vector(Constraint):
    """A constraint on entries that must hold along the last dimensions, `count` of them, together."""

    def __init__(self, inner: Constraint, count: int = 1) -> None:
        self._inner, self._count = inner, count
        self.is_discrete, self.event_dim = inner.is_discrete, inner.event_dim + count
        super().__init__("IndependentConstraint", lambda x: inner._holds(x).all(axis=tuple(range(-count, 0))))

    def __repr__(self) -> str:
        return f"{self._name}({self._inner!r}, {self._count})"


def bound(x: Any) -> Any:
    return x.value if isinstance(x, Tensor) else x


def interval(low: Any, high: Any) -> Constraint:
    bounds = {"lower_bound": low, "upper_bound": high}
    return Constraint("Interval", lambda x: (bound(low) <= x) & (x <= bound(high)), **bounds)


def whole(low: int, high: int) -> Constraint:
    bounds = {"lower_bound": low, "upper_bound": high}
    return Discrete("IntegerInterval", lambda x: (x % 1 == 0) & (low <= x) & (x <= high), **bounds)


def above(low: Any) -> Constraint:
    return Constraint("GreaterThan", lambda x: x > bound(low), lower_bound=low)


def below(high: Any) -> Constraint:
    return Constraint("LessThan", lambda x: x < bound(high), upper_bound=high)


def _is_definite(x: Array) -> Array:
    """Tell whether symmetric matrices have a Cholesky decomposition."""
    found = np.array(np.isclose(x, x.swapaxes(-2, -1), atol=1e-6).all((-2, -1)))
    for at in np.ndindex(found.shape):
        try:
            np.linalg.cholesky(x[at])
        except np.linalg.LinAlgError:
            found[at] = False
    return found


def _is_triangle(x: Array) -> Array:
    """Tell whether lower triangles have positive diagonals."""
    return (np.tril(x) == x).all((-2, -1)) & (np.diagonal(x, axis1=-2, axis2=-1) > 0).all(-1)


POSITIVE_DEFINITE = Constraint("PositiveDefinite", _is_definite)
LOWER_CHOLESKY = Constraint("LowerCholesky", _is_triangle)
REAL = Constraint("Real", lambda x: x == x)  # false for nan alone
REAL_VECTOR = Vector(REAL)
BOOLEAN = Discrete("Boolean", lambda x: (x == 0) | (x == 1))
SIMPLEX = Shares("Simplex", lambda x: (x >= 0).all(axis=-1) & (np.abs(x.sum(axis=-1) - 1) < 1e-6))
UNIT = interval(0.0, 1.0)
POSITIVE = above(0.0)
COUNT = Constraint("IntegerGreaterThan", lambda x: (x % 1 == 0) & (x >= 0), lower_bound=0)
NOT_NEGATIVE = Constraint("GreaterThanEq", lambda x: x >= 0, lower_bound=0.0)
