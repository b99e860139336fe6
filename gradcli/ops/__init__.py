"""The operations: primitives by family, and the names that users have for them (`surface`)."""

from gradcli.ops import (
    activations,
    arithmetic,
    comparisons,
    contractions,
    elementwise,
    extremes,
    matmul,
    operators,
    permutations,
    reductions,
    scans,
    selection,
    shaping,
    softmax,
)

__all__ = [
    "activations",
    "arithmetic",
    "comparisons",
    "contractions",
    "elementwise",
    "extremes",
    "matmul",
    "permutations",
    "reductions",
    "scans",
    "selection",
    "shaping",
    "softmax",
]

operators.install()
