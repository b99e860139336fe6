"""`torch.distributions`: normal, uniform, 0 or 1, one of several classes, and vectors of independent entries."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.modes import mode, set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import format_field
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.torch.operations import facade
from gradcli.script.torch.random.sampling import bernoulli, multinomial, normal
from gradcli.script.torch.tensor.dtypes import Size, cast
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
    text = f"Interval(lower_bound={format_field(low)}, upper_bound={format_field(high)})"
    least, most = (x.value if isinstance(x, Tensor) else x for x in (low, high))
    return Constraint(text, lambda x: (least <= x) & (x <= most))


# What torch has of a distribution, and is not here.
ABSENT = ("arg_constraints", "cdf", "enumerate_support", "expand", "icdf", "mode", "perplexity", "support")


class Distribution(Facade):
    """A distribution: `_constraints` are checked of the parameters that are given, `_support` of values."""

    __parent__ = True
    __facade__ = True
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

    def __getattr__(self, name: str) -> Any:
        if name in ABSENT:
            raise UnsupportedError(f"{type(self).__name__}.{name} is not supported here")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _check_numbers(self, words: str, constraint: Constraint, value: Tensor) -> None:
        if self._validates and not np.all(constraint.holds(value.value)):
            raise ValueError(f"{words}, but found invalid values:\n{format_field(value)}")

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
    return format_field(value) if value.value.size == 1 else size_text(value.shape)


REAL_VECTOR = Constraint("IndependentConstraint(Real(), 1)", REAL.holds)
POSITIVE = Constraint("GreaterThan(lower_bound=0.0)", lambda x: x > 0)
BOOLEAN = Constraint("Boolean()", lambda x: (x == 0) | (x == 1))
SIMPLEX = Constraint("Simplex()", lambda x: (x >= 0).all(axis=-1) & (np.abs(x.sum(axis=-1) - 1) < 1e-6))


class Normal(Distribution):
    """A bell curve around `loc`, as wide as `scale`."""

    __module__ = "torch.distributions.normal"
    loc: Any
    scale: Any
    _constraints, _support = {"loc": REAL, "scale": POSITIVE}, REAL
    mean = property(attrgetter("loc"))
    stddev = property(attrgetter("scale"))
    variance = property(lambda self: do("pow", self.scale, 2))
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, loc=loc, scale=scale)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._shape(sample_shape)
        with set_grad_enabled(False):
            return normal(ops.expand(self.loc, shape), ops.expand(self.scale, shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._shape(sample_shape)
        noise = normal(Tensor(np.zeros(shape, self.loc.dtype)), Tensor(np.ones(shape, self.loc.dtype)))
        return self.loc + noise * self.scale

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        variance, log_scale = self.scale**2, do("log", self.scale)
        return -((value - self.loc) ** 2) / (2 * variance) - log_scale - math.log(math.sqrt(2 * math.pi))

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + do("log", self.scale)


class Uniform(Distribution):
    """All numbers from `low` up to `high` alike."""

    __module__ = "torch.distributions.uniform"
    low: Any
    high: Any
    _constraints = property(lambda self: {"low": self._order, "high": self._order})
    _order = property(lambda self: Constraint("low < high", lambda _: self.low.value < self.high.value))
    _support = property(lambda self: interval(self.low, self.high))
    mean = property(lambda self: (self.high + self.low) / 2)
    stddev = property(lambda self: (self.high - self.low) / 12**0.5)
    variance = property(lambda self: do("pow", self.high - self.low, 2) / 12)
    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self._broadcast(validate_args, low=low, high=high)

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = running.machine.generator.uniform(self._shape(sample_shape), self.low.dtype)
        return self.low + Tensor(drawn[()]) * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        inside = (cast(do(name, x, value), x.dtype) for name, x in (("le", self.low), ("gt", self.high)))
        return do("log", do("mul", *inside)) - do("log", self.high - self.low)

    def entropy(self) -> Any:
        return do("log", self.high - self.low)


class Discrete(Distribution):
    """A distribution that is given by probabilities, or by their logarithms or log-odds."""

    probs: Any

    @staticmethod
    def _parameter(probs: Any, logits: Any) -> tuple[str, Any]:
        """Return the name and the value of the one parameter that is given."""
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        return ("logits", logits) if probs is None else ("probs", probs)

    def _stored(self) -> Tensor:
        return vars(self).get("probs", vars(self).get("logits"))  # type: ignore[return-value]

    def _clamped_probs(self) -> Any:
        """Return the probabilities, clamped to numbers that have a logarithm."""
        eps = float(np.finfo(self.probs.dtype).eps)
        return do("clamp", self.probs, min=eps, max=1 - eps)


class Categorical(Discrete):
    """The number of one of several classes."""

    __module__ = "torch.distributions.categorical"
    _constraints, _support = {"probs": SIMPLEX, "logits": REAL_VECTOR}, property(lambda self: self._labels())
    logits = derived(lambda self: do("log", self._clamped_probs()))
    probs = derived(lambda self: do("softmax", self.logits, dim=-1))
    mean = variance = property(lambda self: Tensor(np.full(self._batch, math.nan, self.probs.dtype)[()]))

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name, parameter = self._parameter(probs, logits)
        if parameter.ndim < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            normalized = parameter - do("logsumexp", parameter, dim=-1, keepdim=True)
        else:
            normalized = parameter / do("sum", parameter, -1, keepdim=True)
        super().__init__(parameter.shape[:-1], (), validate_args, **{name: normalized})

    def _labels(self) -> Constraint:
        high = self._stored().shape[-1] - 1
        text = f"IntegerInterval(lower_bound=0, upper_bound={high})"
        return Constraint(text, lambda x: (x % 1 == 0) & (x >= 0) & (x <= high))

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._shape(sample_shape)
        rows = do("reshape", self.probs.detach(), (-1, self._stored().shape[-1]))
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


class Bernoulli(Discrete):
    """0 or 1."""

    __module__ = "torch.distributions.bernoulli"
    _constraints, _support = {"probs": interval(0.0, 1.0), "logits": REAL}, BOOLEAN
    probs = derived(lambda self: do("sigmoid", self.logits))
    mean = property(attrgetter("probs"))
    variance = property(lambda self: self.probs * (1 - self.probs))

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name, parameter = self._parameter(probs, logits)
        self._broadcast(validate_args, **{name: parameter})

    @derived
    def logits(self) -> Any:
        probs = self._clamped_probs()
        return do("log", probs) - do("log1p", -probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        with set_grad_enabled(False):
            return bernoulli(ops.expand(self.probs, self._shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        logits, value = broadcast(self.logits, value)
        return -do("binary_cross_entropy_with_logits", logits, value, reduction="none")

    def entropy(self) -> Any:
        return do("binary_cross_entropy_with_logits", self.logits, self.probs, reduction="none")


class Independent(Distribution):
    """A distribution whose last batch dimensions belong to one event: their log-probabilities are added."""

    __module__ = "torch.distributions.independent"
    mean, variance = (property(attrgetter(f"base_dist.{name}")) for name in ("mean", "variance"))

    def __init__(self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: Any = None) -> None:
        batch, count = base_distribution._batch, reinterpreted_batch_ndims
        if count > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {count} vs {len(batch)}"
            )
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, count
        self.has_rsample = base_distribution.has_rsample
        rest = len(batch) - count
        super().__init__(batch[:rest], (*batch[rest:], *base_distribution._event), validate_args)

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        return self.event_sum(self.base_dist.log_prob(value))

    def entropy(self) -> Any:
        return self.event_sum(self.base_dist.entropy())

    def event_sum(self, value: Any) -> Any:
        """Sum along the dimensions that belong to one event."""
        count = self.reinterpreted_batch_ndims
        return do("sum", do("reshape", value, (*value.shape[: value.ndim - count], -1)), -1) if count else value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist!r}, {self.reinterpreted_batch_ndims})"


def of_normals(p: Any, q: Any) -> Any:
    ratio = do("pow", p.scale / q.scale, 2)
    distance = do("pow", (p.loc - q.loc) / q.scale, 2)
    return 0.5 * (ratio + distance - 1 - do("log", ratio))


def of_uniforms(p: Any, q: Any) -> Any:
    result = do("log", (q.high - q.low) / (p.high - p.low))
    result[do("logical_or", do("gt", q.low, p.low), do("lt", q.high, p.high))] = math.inf
    return result


def of_categoricals(p: Any, q: Any) -> Any:
    terms = p.probs * (p.logits - q.logits)
    for probs, value in ((q.probs, math.inf), (p.probs, 0)):
        terms[ops.expand(do("eq", probs, 0), terms.shape)] = value
    return do("sum", terms, -1)


def of_bernoullis(p: Any, q: Any) -> Any:
    def term(sign: int, weight: Any, certain: int) -> Any:
        """Return what one of the two outcomes contributes."""
        share = weight * (do("softplus", -sign * q.logits) - do("softplus", -sign * p.logits))
        share[do("eq", q.probs, certain)] = math.inf
        share[do("eq", p.probs, certain)] = 0
        return share

    return term(1, p.probs, 0) + term(-1, 1 - p.probs, 1)


def of_independents(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return p.event_sum(kl_divergence(p.base_dist, q.base_dist))


DIVERGENCES: dict[type, Callable[[Any, Any], Any]] = {
    Normal: of_normals,
    Uniform: of_uniforms,
    Categorical: of_categoricals,
    Bernoulli: of_bernoullis,
    Independent: of_independents,
}


def kl_divergence(p: Any, q: Any) -> Any:
    """Return the Kullback-Leibler divergence of `q` from `p`, in nats, for each entry of the batch."""
    if type(p) is not type(q) or type(p) not in DIVERGENCES:
        raise UnsupportedError(
            f"kl_divergence of {type(p).__name__} and {type(q).__name__} is not supported here",
            help=f"both may be {', '.join(kind.__name__ for kind in DIVERGENCES)}",
        )
    return DIVERGENCES[type(p)](p, q)


MEMBERS: dict[str, Any] = {kind.__name__: kind for kind in (Distribution, *DIVERGENCES)}


def namespace(name: str) -> Namespace:
    """Make `torch.distributions`, with a module for each distribution, as in torch."""
    parts = {kind.__module__: {kind_name: kind} for kind_name, kind in MEMBERS.items()}
    parts[f"{name}.kl"] = {"kl_divergence": kl_divergence}
    modules = {part.rpartition(".")[2]: Namespace(part, members) for part, members in parts.items()}
    return Namespace(name, {**modules, **MEMBERS, "kl_divergence": kl_divergence})
