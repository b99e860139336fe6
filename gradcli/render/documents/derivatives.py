"""The JSON document of Jacobians, Hessians and derivatives of higher order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradcli.explanation.derivatives.total import Derivative
from gradcli.language.unparser import unparse
from gradcli.render.documents.explanation import Document
from gradcli.stream.values import plain


def derivatives_document(found: Sequence[Derivative]) -> Document:
    """The derivatives, schema `gradcli.derivatives/1`."""
    return {"schema": "gradcli.derivatives/1", "ok": True, "derivatives": [_derivative(one) for one in found]}


def _derivative(found: Derivative) -> Document:
    return {
        "by": list(found.by),
        "shape": None if found.value is None else list(np.shape(found.value)),
        "value": None if found.value is None else plain(found.value),
        "formula": None if found.formula is None else unparse(found.formula),
        "given": list(found.upstreams),
    }
