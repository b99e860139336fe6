"""The base class of distributions: shapes, checked parameters, samples and log-probabilities."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.engine.modes import mode, set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
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
    tensors = [x for x in values if isinstance(x, Tensor)]
    if not all(isinstance(x, Tensor | int | float) for x in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor")
    dtype = tensors[0].dtype if tensors else mode.default_dtype
    converted = [x if isinstance(x, Tensor) else Tensor(np.array(x, dtype)[()]) for x in values]
    return list(do("broadcast_tensors", *converted))


class Constraint(Facade):
    """A condition on each entry, or on each vector, of a tensor; `holds` tests it on an array."""

    def __init__(self, text: str, holds: Callable[[Any], Any]) -> None:
        self._text, self._holds = text, holds

    def of_vectors(self, count: int) -> Constraint:
        """Return the condition that this one holds for all entries along the last `count` dimensions."""
        axes = tuple(range(-count, 0))
        return Constraint(f"IndependentConstraint({self._text}, {count})", lambda x: self._holds(x).all(axis=axes))

    def __repr__(self) -> str:
        return self._text


def above(low: Any) -> Constraint:
    return Constraint(f"GreaterThan(lower_bound={formatted(low)})", lambda x: x > _array(low))


def below(high: Any) -> Constraint:
    return Constraint(f"LessThan(upper_bound={formatted(high)})", lambda x: x < _array(high))


def interval(low: Any, high: Any) -> Constraint:
    text = f"Interval(lower_bound={formatted(low)}, upper_bound={formatted(high)})"
    return Constraint(text, lambda x: (_array(low) <= x) & (x <= _array(high)))


def _array(limit: Any) -> Any:
    return limit.value if isinstance(limit, Tensor) else limit


class Distribution(Facade):
    """A distribution: `arg_constraints` are checked of the given parameters, `support` of values."""

    __parent__ = True

    __facade__ = True
    __beyond__ = frozenset({"cdf", "enumerate_support", "expand", "icdf", "mode", "perplexity"})
    __module__ = "torch.distributions.distribution"
    arg_constraints: Any  # by parameter; `derived` ones are not checked
    support: Any
    variance: Any
    rsample: Any  # as a function of the parameters, through which gradients flow
    has_rsample = False

    def __init__(
        self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None, **parameters: Any
    ) -> None:
        vars(self).update(parameters)
        self._batch, self._event = tuple(batch_shape), tuple(event_shape)
        self._validates = validate_args is not False
        for name, constraint in self.arg_constraints.items() if self._validates else ():
            value = vars(self).get(name)
            if value is not None and not constraint._holds(value.value).all():
                words = f"Expected parameter {name} of distribution {self!r} to satisfy the constraint {constraint!r}"
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
        shape, event = value.shape, (*self._batch, *self._event)
        fits = all(1 in (i, j) or i == j for i, j in zip(reversed(shape), reversed(event), strict=False))
        if not fits or shape[len(shape) - len(self._event) :] != self._event:
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {event}.")
        if not np.all(self.support._holds(value.value)):
            words = f"Expected value argument to be within the support ({self.support!r}) of the distribution {self!r}"
            raise ValueError(f"{words}, but found invalid values:\n{formatted(value)}")

    def __repr__(self) -> str:
        parameters = {name: vars(self)[name] for name in self.arg_constraints if name in vars(self)}
        texts = (f"{name}: {_short(value)}" for name, value in parameters.items())
        return f"{type(self).__name__}({', '.join(texts)})"


def _short(value: Tensor) -> str:
    return formatted(value) if value.value.size == 1 else size_text(Size(value.shape))


def expanded(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    return ops.expand(x, shape)  # type: ignore[no-any-return]
