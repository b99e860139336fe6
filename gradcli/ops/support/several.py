"""Operations of several results, whose nodes are one in torch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradcli.engine.graph import bind


def bound(parts: Iterable[Any]) -> tuple[Any, ...]:
    """Return the results, whose nodes know of each other where snippets may hook them."""
    found = tuple(parts)
    bind([getattr(part, "node", None) for part in found])
    return found
