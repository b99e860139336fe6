"""The module `torch.distributions`, and the Kullback-Leibler divergence of two distributions of one class."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.torch.distributions.distribution import Distribution, do, expanded
from gradcli.script.torch.distributions.kinds import Bernoulli, Categorical, Independent, Normal, Uniform


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
        terms[expanded(do("eq", probs, 0), terms.shape)] = value
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
