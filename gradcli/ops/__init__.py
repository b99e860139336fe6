"""The operations: primitives by family, and the names that users have for them (`surface`)."""

from gradcli.ops import arithmetic, elementwise, operators, selection

__all__ = ["arithmetic", "elementwise", "selection"]

operators.install()
