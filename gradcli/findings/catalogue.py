"""The catalogue of causes. To add one, declare it in the file of its family."""

from __future__ import annotations

from gradcli.findings import (  # noqa: F401  each declares causes
    engines,
    functions,
    graphs,
    losses,
    memory,
    modes,
    modules,
    nonfinite,
    order,
    programs,
    training,
)
from gradcli.findings.declaration import CAUSES, Cause

CATALOGUE: dict[str, Cause] = CAUSES
