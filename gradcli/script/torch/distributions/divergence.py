"""The Kullback-Leibler divergence of two distributions of one class."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.distributions.continuous import Exponential, Laplace, Normal, Uniform
from gradcli.script.torch.distributions.discrete import Bernoulli, Categorical
from gradcli.script.torch.distributions.distribution import do, expanded
from gradcli.script.torch.distributions.independent import Independent
from gradcli.script.torch.distributions.multivariate import MultivariateNormal, of_multivariate_normals
from gradcli.script.torch.distributions.positive import Beta, Dirichlet, Gamma


def of_normals(p: Any, q: Any) -> Any:
    ratio = do("pow", p.scale / q.scale, 2)
    distance = do("pow", (p.loc - q.loc) / q.scale, 2)
    return 0.5 * (ratio + distance - 1 - do("log", ratio))


def of_laplaces(p: Any, q: Any) -> Any:
    ratio, distance = p.scale / q.scale, do("abs", p.loc - q.loc)
    return -do("log", ratio) + distance / q.scale + ratio * do("exp", -distance / p.scale) - 1


def of_exponentials(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return -do("log", ratio) + ratio - 1


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
    def part(sign: int, weight: Any, certain: int) -> Any:
        term = weight * (do("softplus", -sign * q.logits) - do("softplus", -sign * p.logits))
        term[do("eq", q.probs, certain)] = math.inf
        term[do("eq", p.probs, certain)] = 0
        return term

    return part(1, p.probs, 0) + part(-1, 1 - p.probs, 1)


def of_gammas(p: Any, q: Any) -> Any:
    scaled = q.concentration * do("log", p.rate / q.rate)
    shapes = do("lgamma", q.concentration) - do("lgamma", p.concentration)
    turned = (p.concentration - q.concentration) * do("digamma", p.concentration)
    return scaled + shapes + turned + (q.rate - p.rate) * (p.concentration / p.rate)


def of_betas(p: Any, q: Any) -> Any:
    own, other = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    first = do("lgamma", q.concentration1) + do("lgamma", q.concentration0) + do("lgamma", own)
    second = do("lgamma", p.concentration1) + do("lgamma", p.concentration0) + do("lgamma", other)
    one = (p.concentration1 - q.concentration1) * do("digamma", p.concentration1)
    zero = (p.concentration0 - q.concentration0) * do("digamma", p.concentration0)
    return first - second + one + zero + (other - own) * do("digamma", own)


def of_dirichlets(p: Any, q: Any) -> Any:
    own, other = do("sum", p.concentration, -1), do("sum", q.concentration, -1)
    each = do("sum", do("lgamma", p.concentration) - do("lgamma", q.concentration), -1)
    slopes = do("digamma", p.concentration) - do("unsqueeze", do("digamma", own), -1)
    moved = do("sum", (p.concentration - q.concentration) * slopes, -1)
    return do("lgamma", own) - do("lgamma", other) - each + moved


def of_independents(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return p._added(kl_divergence(p.base_dist, q.base_dist))


RULES: dict[type, Callable[[Any, Any], Any]] = {
    Normal: of_normals,
    Laplace: of_laplaces,
    Exponential: of_exponentials,
    Uniform: of_uniforms,
    Categorical: of_categoricals,
    Bernoulli: of_bernoullis,
    Gamma: of_gammas,
    Beta: of_betas,
    Dirichlet: of_dirichlets,
    Independent: of_independents,
    MultivariateNormal: of_multivariate_normals,
}


def kl_divergence(p: Any, q: Any) -> Any:
    """Return the Kullback-Leibler divergence of `q` from `p`, in nats, for each entry of the batch."""
    if type(p) is not type(q) or type(p) not in RULES:
        raise UnsupportedError(
            f"kl_divergence of {type(p).__name__} and {type(q).__name__} is not supported here",
            help=f"both may be {', '.join(kind.__name__ for kind in RULES)}",
        )
    return RULES[type(p)](p, q)
