"""The module `torch.special`."""

from __future__ import annotations

from typing import Any

from gradcli.script.python.values.attributes import Namespace
from gradcli.script.torch.operations import facade

SAME = (
    "digamma entr erf erfc erfcx erfinv exp2 expit expm1 gammainc gammaincc i0 i0e i1 i1e log1p log_ndtr log_softmax "
    "logit logsumexp ndtr ndtri polygamma round sinc softmax xlog1py xlogy zeta"
)
# The names of torch.special, and what the engine calls them.
NAMES = {
    **{name: name for name in SAME.split()},
    "gammaln": "lgamma",
    "multigammaln": "mvlgamma",
    "psi": "digamma",
}


def find(name: str) -> Any:
    if name not in NAMES:
        return None
    return facade.function(NAMES[name])


def namespace(name: str) -> Namespace:
    return Namespace(name, {}, find, known=NAMES)
