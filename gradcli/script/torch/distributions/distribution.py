"""The base class of distributions: shapes, checked parameters, samples and log-probabilities."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.modes import mode, set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import formatted
from gradcli.script.python.values.attributes import Facade
from gradcli.script.torch.operations import facade
from gradcli.script.torch.tensor.dtypes import Size
from gradcli.script.torch.tensor.printing import size_text


def do(name: str, *arguments: Any, **keywords: Any) -> Any:
    """Apply an operation, by its name in torch."""
    function = facade.function(name, OPERATIONS[name].only)
    assert function is not None
    return function(*arguments, **keywords)


def derived(get: Callable[[Any], Any]) -> Any:
    """Make a parameter that is computed from another when it is first asked for, always in a recorded graph."""

    def compute(self: Any) -> Any:
        with set_grad_enabled(True):
            return get(self)

    return cached_property(compute)


def broadcast(*values: Any) -> list[Tensor]:
    """Broadcast numbers and tensors to tensors of one shape."""
    if not all(isinstance(x, Tensor | int | float) for x in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor")
    dtype = next((x.dtype for x in values if isinstance(x, Tensor)), mode.default_dtype)
    converted = [x if isinstance(x, Tensor) else Tensor(np.array(x, dtype)[()]) for x in values]
    return list(do("broadcast_tensors", *converted))


class Constraint(NamedTuple):
    """A condition on each entry, or on each vector, of an array, with the text that torch has for it."""

    text: str
    holds: Callable[[Any], Any]


REAL = Constraint("Real()", lambda x: x == x)  # false for nan alone


def interval(low: Any, high: Any) -> Constraint:
    text = f"Interval(lower_bound={formatted(low)}, upper_bound={formatted(high)})"
    least, most = (x.value if isinstance(x, Tensor) else x for x in (low, high))
    return Constraint(text, lambda x: (least <= x) & (x <= most))


class Distribution(Facade):
    """A distribution: `_constraints` are checked of the parameters that are given, `_support` of values."""

    __parent__ = True
    __facade__ = True
    __beyond__ = frozenset(
        {"arg_constraints", "cdf", "enumerate_support", "expand", "icdf", "mode", "perplexity", "support"}
    )
    __module__ = "torch.distributions.distribution"
    _constraints: Any = ()
    _support: Any
    variance: Any
    rsample: Any  # as a function of the parameters, through which gradients flow
    has_rsample = False

    def __init__(
        self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None, **parameters: Any
    ) -> None:
        vars(self).update(parameters)
        self._batch, self._event = tuple(batch_shape), tuple(event_shape)
        self._validates = validate_args is not False
        for name in self._constraints:
            if name in parameters:
                words = f"Expected parameter {name} of distribution {self!r} to satisfy the constraint"
                self._check_numbers(
                    f"{words} {self._constraints[name].text}", self._constraints[name], vars(self)[name]
                )

    def _check_numbers(self, words: str, constraint: Constraint, value: Tensor) -> None:
        if self._validates and not np.all(constraint.holds(value.value)):
            raise ValueError(f"{words}, but found invalid values:\n{formatted(value)}")

    def _broadcast(self, validate_args: bool | None, **parameters: Any) -> None:
        """Begin with parameters of one shape, that of the batch."""
        tensors = broadcast(*parameters.values())
        Distribution.__init__(self, tensors[0].shape, (), validate_args, **dict(zip(parameters, tensors, strict=True)))

    @property
    def batch_shape(self) -> Size:
        return Size(self._batch)

    @property
    def event_shape(self) -> Size:
        return Size(self._event)

    @property
    def stddev(self) -> Any:
        return do("sqrt", self.variance)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Draw numbers that no gradient flows through."""
        with set_grad_enabled(False):
            return self.rsample(sample_shape)

    def _shape(self, sample_shape: Any) -> tuple[int, ...]:
        """Return the shape of samples, checked against the budget before they are drawn."""
        shape = (*sample_shape, *self._batch, *self._event)
        running.machine.budget.fits(int(np.prod(shape, dtype=object)), "the samples")
        return shape

    def _check(self, value: Any) -> None:
        """Raise ValueError where a value has a shape or an entry that no sample has."""
        if not self._validates:
            return
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        pairs = zip(reversed(value.shape), reversed(self._batch), strict=False)
        if not all(1 in sizes or sizes[0] == sizes[1] for sizes in pairs):
            raise ValueError(
                f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {self._batch}."
            )
        words = f"Expected value argument to be within the support ({self._support.text}) of the distribution {self!r}"
        self._check_numbers(words, self._support, value)

    def __repr__(self) -> str:
        texts = (f"{name}: {_short(vars(self)[name])}" for name in self._constraints if name in vars(self))
        return f"{type(self).__name__}({', '.join(texts)})"


def _short(value: Tensor) -> str:
    return formatted(value) if value.value.size == 1 else size_text(value.shape)
