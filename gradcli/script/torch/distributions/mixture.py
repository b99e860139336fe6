"""Mixtures of distributions of one family."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import numpy as np

from gradcli.engine.modes import set_grad_enabled
from gradcli.script.torch.distributions.constraints import Constraint
from gradcli.script.torch.distributions.discrete import Categorical
from gradcli.script.torch.distributions.distribution import Distribution, do, expanded


class Mixed(Constraint):
    """A constraint on values that holds for each of the components, which lie along a new dimension."""

    def __init__(self, inner: Any, at: int) -> None:
        self._inner = inner

        def holds(x: Any) -> Any:
            found = inner._holds(np.expand_dims(x, at))
            return found.reshape(*x.shape[: x.ndim + at + 1], -1).all(-1)

        super().__init__("MixtureSameFamilyConstraint", holds)

    def __repr__(self) -> str:
        return f"{self._name}({self._inner!r})"


class MixtureSameFamily(Distribution):
    """A distribution chosen at random among those along the last dimension of a batch."""

    __module__ = "torch.distributions.mixture_same_family"
    mixture_distribution: Any
    component_distribution: Any
    arg_constraints = property(lambda self: {})
    support = property(lambda self: Mixed(self.component_distribution.support, self._at))

    def __init__(self, mixture_distribution: Any, component_distribution: Any, validate_args: Any = None) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution need to be an instance of torch.distributions.Distribution")
        mixed, parts = mixture_distribution._batch, component_distribution._batch
        for ours, theirs in zip(reversed(mixed), reversed(parts[:-1]), strict=False):
            if 1 not in (ours, theirs) and ours != theirs:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixed}) is not compatible with "
                    f"`component_distribution.batch_shape`({parts})"
                )
        count, chosen = mixture_distribution.logits.shape[-1], parts[-1]
        if count != chosen:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` "
                f"({chosen})"
            )
        self.mixture_distribution, self.component_distribution = mixture_distribution, component_distribution
        super().__init__(parts[:-1], component_distribution._event, validate_args)

    @property
    def _at(self) -> int:
        """The dimension of the components, from the end."""
        return -1 - len(self._event)

    @property
    def _probs(self) -> Any:
        probs = self.mixture_distribution.probs
        return do("reshape", probs, (*probs.shape, *(1 for _ in self._event)))

    @property
    def mean(self) -> Any:
        return do("sum", self._probs * self.component_distribution.mean, self._at)

    @property
    def variance(self) -> Any:
        parts = self.component_distribution
        within = do("sum", self._probs * parts.variance, self._at)
        distance = parts.mean - do("unsqueeze", self.mean, self._at)
        return within + do("sum", self._probs * do("pow", distance, 2.0), self._at)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        count = self.mixture_distribution.logits.shape[-1]
        parts = self.component_distribution.expand((*batch_shape, count))
        return type(self)(self.mixture_distribution.expand(batch_shape), parts, self._checked)

    def cdf(self, value: Any) -> Any:
        below = self.component_distribution.cdf(do("unsqueeze", value, self._at))
        return do("sum", below * self.mixture_distribution.probs, -1)

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        logs = self.component_distribution.log_prob(do("unsqueeze", value, self._at))
        return do("logsumexp", logs + do("log_softmax", self.mixture_distribution.logits, -1), -1)

    def sample(self, sample_shape: Any = ()) -> Any:
        with set_grad_enabled(False):
            chosen = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            shape = (*chosen.shape, 1, *(1 for _ in self._event))
            places = expanded(do("reshape", chosen, shape), (*chosen.shape, 1, *self._event))
            return do("squeeze", do("gather", drawn, drawn.ndim + self._at, places), drawn.ndim + self._at)

    def __repr__(self) -> str:
        parts = f"{self.mixture_distribution!r},\n{self.component_distribution!r}"
        return f"MixtureSameFamily(\n{indent(parts, '  ')})"
