"""The module `torch.special`."""

from __future__ import annotations

from typing import Any

from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.torch.operations import facade

SHOWN = frozenset(("polygamma",))


def find(name: str) -> Any:
    """Return the function, which calls itself `special_polygamma` in its messages, as torch's does."""
    if name in OPERATIONS and name in SHOWN:
        return facade.plain(name, method=False, shown=f"special_{name}")
    return facade.function(name, "special")


def namespace(name: str) -> Namespace:
    return Namespace(name, find=find, known=OPERATIONS)
