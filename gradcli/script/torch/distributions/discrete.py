"""Distributions of whole numbers."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

import numpy as np

from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.script.torch.distributions import constraints
from gradcli.script.torch.distributions.distribution import (
    Distribution,
    as_type,
    derived,
    do,
    expanded,
    together,
)
from gradcli.script.torch.random.draws import poisson
from gradcli.script.torch.random.sampling import bernoulli, multinomial
from gradcli.script.torch.tensor.dtypes import Size


def clamped(probs: Tensor) -> Any:
    """Clamp probabilities to numbers that have a logarithm."""
    eps = float(np.finfo(probs.dtype).eps)
    return do("clamp", probs, min=eps, max=1 - eps)


class Discrete(Distribution):
    """A distribution that is given by probabilities, or by their logarithms or log-odds."""

    has_enumerate_support = True

    @staticmethod
    def _one_of(probs: Any, logits: Any) -> tuple[str, Any]:
        """Return the name and the value of the one parameter that is given."""
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        return ("logits", logits) if probs is None else ("probs", probs)

    @property
    def _given(self) -> Tensor:
        return vars(self).get("probs", vars(self).get("logits"))  # type: ignore[return-value]

    @property
    def param_shape(self) -> Any:
        return Size(self._given.shape)

    def _support(self, values: np.ndarray[Any, Any], expand: bool) -> Any:
        column = Tensor(values.reshape(-1, *(1 for _ in self._batch)))
        return expanded(column, (-1, *self._batch)) if expand else column


class Categorical(Discrete):
    """The number of one of several classes."""

    __module__ = "torch.distributions.categorical"
    arg_constraints = property(lambda self: {"probs": constraints.SIMPLEX, "logits": constraints.REAL_VECTOR})
    support = property(lambda self: constraints.whole(0, self._given.shape[-1] - 1))
    logits = derived(lambda self: do("log", clamped(self.probs)))
    probs = derived(lambda self: do("softmax", self.logits, dim=-1))
    mean = variance = property(lambda self: Tensor(np.full(self._batch, math.nan, self.probs.dtype)[()]))
    mode = property(lambda self: do("argmax", self.probs, dim=-1))

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name, given = self._one_of(probs, logits)
        if given.ndim < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            normalized = given - do("logsumexp", given, dim=-1, keepdim=True)
        else:
            normalized = given / do("sum", given, -1, keepdim=True)
        super().__init__(given.shape[:-1], (), validate_args, **{name: normalized})

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._shape(sample_shape)
        rows = do("reshape", self.probs.detach(), (-1, self._given.shape[-1]))
        drawn = multinomial(rows, math.prod(sample_shape), True)
        return Tensor(np.array(drawn.value.T.reshape(shape))[()])

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        places = Tensor(value.value.astype(np.int64)[..., None])
        places, logs = do("broadcast_tensors", places, self.logits)
        return do("squeeze", do("gather", logs, -1, places[..., :1]), -1)

    def entropy(self) -> Any:
        least = float(np.finfo(self.logits.dtype).min)
        return do("neg", do("sum", do("clamp", self.logits, min=least) * self.probs, -1))

    def enumerate_support(self, expand: bool = True) -> Any:
        return self._support(np.arange(self._given.shape[-1]), expand)


class Poisson(Distribution):
    """A count of events."""

    __module__ = "torch.distributions.poisson"
    rate: Any
    arg_constraints = property(lambda self: {"rate": constraints.NOT_NEGATIVE})
    support = constraints.COUNT
    mean = variance = property(attrgetter("rate"))
    mode = property(lambda self: do("floor", self.rate))

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, rate=rate)

    def sample(self, sample_shape: Any = ()) -> Any:
        with set_grad_enabled(False):
            return poisson(expanded(self.rate, self._shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        rate, value = together(self.rate, value)
        return do("xlogy", value, rate) - rate - do("lgamma", value + 1)


class Bernoulli(Discrete):
    """0 or 1."""

    __module__ = "torch.distributions.bernoulli"
    arg_constraints = property(lambda self: {"probs": constraints.UNIT, "logits": constraints.REAL})
    support = constraints.BOOLEAN
    probs = derived(lambda self: do("sigmoid", self.logits))
    mean = property(attrgetter("probs"))
    variance = property(lambda self: self.probs * (1 - self.probs))

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name, given = self._one_of(probs, logits)
        self._broadcast(validate_args, **{name: given})

    @derived
    def logits(self) -> Any:
        probs = clamped(self.probs)
        return do("log", probs) - do("log1p", -probs)

    @property
    def mode(self) -> Any:
        likelier = as_type(do("ge", self.probs, 0.5), self.probs)
        return do("masked_fill", likelier, do("eq", self.probs, 0.5), math.nan)

    def sample(self, sample_shape: Any = ()) -> Any:
        with set_grad_enabled(False):
            return bernoulli(expanded(self.probs, self._shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        logits, value = together(self.logits, value)
        return -do("binary_cross_entropy_with_logits", logits, value, reduction="none")

    def entropy(self) -> Any:
        return do("binary_cross_entropy_with_logits", self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Any:
        return self._support(np.arange(2, dtype=self._given.dtype), expand)
