"""The module `torch.distributions`."""

from __future__ import annotations

from typing import Any

from gradcli.script.python.values.attributes import Namespace
from gradcli.script.torch.distributions.continuous import Exponential, Laplace, Normal, Uniform
from gradcli.script.torch.distributions.discrete import Bernoulli, Categorical, Poisson
from gradcli.script.torch.distributions.distribution import Distribution
from gradcli.script.torch.distributions.divergence import kl_divergence
from gradcli.script.torch.distributions.independent import Independent
from gradcli.script.torch.distributions.mixture import MixtureSameFamily
from gradcli.script.torch.distributions.multivariate import MultivariateNormal
from gradcli.script.torch.distributions.positive import Beta, Dirichlet, Gamma
from gradcli.script.torch.distributions.squares import Chi2, StudentT

KINDS: tuple[type, ...] = (
    Bernoulli, Beta, Categorical, Chi2, Dirichlet, Distribution, Exponential, Gamma, Independent, Laplace,
    MixtureSameFamily, MultivariateNormal, Normal, Poisson, StudentT, Uniform,
)  # fmt: skip
MEMBERS: dict[str, Any] = {kind.__name__: kind for kind in KINDS}


def namespace(name: str) -> Namespace:
    """Make `torch.distributions`, with a module for each distribution, as in torch."""
    parts = {kind.__module__: {kind_name: kind} for kind_name, kind in MEMBERS.items()}
    parts[f"{name}.kl"] = {"kl_divergence": kl_divergence}
    modules = {part.rpartition(".")[2]: Namespace(part, members) for part, members in parts.items()}
    return Namespace(name, {**modules, **MEMBERS, "kl_divergence": kl_divergence})
