"""The operations: primitives by family, and the names that users have for them (`surface`).

A family is imported when one of its operations is asked for by name (see `catalogue`); `load` imports them all.
"""

from __future__ import annotations

from gradcli.language.catalogue import FAMILY_OF
from gradcli.ops import operators

operators.register()


def load() -> None:
    """Import every family, so that `REGISTRY` holds every primitive."""
    from importlib import import_module

    for family in dict.fromkeys(FAMILY_OF.values()):
        import_module(f"gradcli.ops.{family}")
