"""The operations: primitives by family, and the names that users have for them (`surface`)."""

from gradcli.ops import arithmetic, contractions, elementwise, matmul, operators, permutations, selection, shaping

__all__ = ["arithmetic", "contractions", "elementwise", "matmul", "permutations", "selection", "shaping"]

operators.install()
