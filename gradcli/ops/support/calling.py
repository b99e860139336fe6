"""The operations as plain functions, whose families are imported when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from gradcli.language.catalogue import FAMILY_OF


class Functions:
    """The operations as attributes, for other layers and for families that may not import each other: `ops.mm(a, b)`.

    Arguments are taken as they are; `OPERATIONS["matmul"](a, b)` reads them as users write them.
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the function behind a name, aliases included; AttributeError for a name of no operation."""
        if name not in FAMILY_OF:
            raise AttributeError(f"there is no operation {name!r}")
        import_module(f"gradcli.ops.{FAMILY_OF[name]}")
        return vars(self)[name]  # type: ignore[no-any-return]


ops = Functions()
