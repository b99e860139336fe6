"""Whether two results of one computation differ by rounding alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from gradcli.live.passes import Node


def is_close(computed: Any, expected: Any, eps: float) -> bool:
    """Compare two results of one computation whose numbers are rounded by `eps`, relative to the largest of them."""
    if np.shape(computed) != np.shape(expected):
        return False
    scale = float(np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))) or 1.0
    tolerance = 1e-9 if eps < 1e-15 else 1e-4 if eps < 1e-6 else 16 * eps
    least = tolerance * (scale + 1e-3)
    if np.result_type(computed, expected).kind == "f":
        with np.errstate(all="ignore"):
            if np.max(np.abs(np.subtract(computed, expected)), initial=0.0) <= least:  # False where there is a nan
                return True
    return bool(np.allclose(computed, expected, rtol=tolerance, atol=least, equal_nan=True))


def rounding(node: Node) -> float:
    """Return the relative rounding error of the least precise dtype among the inputs and results of a node."""
    results = [*node._input_metadata, *(x._input_metadata[place] for x, place in node.next_functions if x is not None)]
    return max((torch.finfo(x.dtype).eps for x in results if x.dtype.is_floating_point), default=1.0)
