"""The operations: primitives by family, and the names that users have for them (`surface`)."""

from gradcli.ops import arithmetic, elementwise, operators, selection, shaping

__all__ = ["arithmetic", "elementwise", "selection", "shaping"]

operators.install()
