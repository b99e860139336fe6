"""The same entries in another shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.formula import Formula
from gradcli.engine.notation import positional
from gradcli.engine.primitive import Primitive, primitive


def _fold_reshape(x: Formula, *, value: Any, shape: tuple[int, ...]) -> Formula | None:
    return x if x.shape == shape else None


reshape: Primitive = primitive(
    "reshape",
    lambda x, *, shape: np.reshape(x, shape),
    lambda g, out, x, *, shape: reshape(g, shape=x.shape),
    node="ViewBackward0",
    structured=True,
    view=True,
    notation=positional("reshape"),
    fold=_fold_reshape,
)
