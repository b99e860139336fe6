"""Distributions of vectors whose entries are independent."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from gradcli.script.torch.distributions.constraints import Constraint, Vector
from gradcli.script.torch.distributions.distribution import Distribution, do


class Independent(Distribution):
    """A distribution whose last batch dimensions belong to one event: their log-probabilities are added."""

    __module__ = "torch.distributions.independent"
    arg_constraints = property(lambda self: {})
    mean, mode, variance = (property(attrgetter(f"base_dist.{name}")) for name in ("mean", "mode", "variance"))

    def __init__(self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: Any = None) -> None:
        batch, count = base_distribution._batch, reinterpreted_batch_ndims
        if count > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {count} vs {len(batch)}"
            )
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, count
        self.has_rsample = base_distribution.has_rsample
        kept = len(batch) - count
        super().__init__(batch[:kept], (*batch[kept:], *base_distribution._event), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        count = self.reinterpreted_batch_ndims
        base = self.base_dist.expand((*batch_shape, *self._event[:count]))
        return type(self)(base, count, self._checked)

    @property
    def support(self) -> Constraint:
        inner: Constraint = self.base_dist.support
        return Vector(inner, self.reinterpreted_batch_ndims) if self.reinterpreted_batch_ndims else inner

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        return self._added(self.base_dist.log_prob(value))

    def entropy(self) -> Any:
        return self._added(self.base_dist.entropy())

    def _added(self, value: Any) -> Any:
        """Sum along the last dimensions."""
        count = self.reinterpreted_batch_ndims
        if not count:
            return value
        shape = value.shape[: value.ndim - count]
        return do("sum", do("reshape", value, (*shape, -1)), -1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist!r}, {self.reinterpreted_batch_ndims})"
