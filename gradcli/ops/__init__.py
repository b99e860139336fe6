"""The operations: primitives by family, and the names that users have for them (`surface`)."""

from gradcli.ops import (
    activations,
    arithmetic,
    comparisons,
    contractions,
    creation,
    diagonals,
    elementwise,
    extremes,
    gathering,
    indexing,
    joining,
    matmul,
    operators,
    permutations,
    reductions,
    scans,
    selection,
    shaping,
    softmax,
    subscript,
)

__all__ = [
    "activations",
    "arithmetic",
    "comparisons",
    "contractions",
    "creation",
    "diagonals",
    "elementwise",
    "extremes",
    "gathering",
    "indexing",
    "joining",
    "matmul",
    "permutations",
    "reductions",
    "scans",
    "selection",
    "shaping",
    "softmax",
    "subscript",
]

operators.install()
