"""The operations that are taught as one, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradcli.explanation.index.contractions import call_of
from gradcli.explanation.index.declarations.cross_entropy import cross_entropy
from gradcli.explanation.index.declarations.declaration import Declared
from gradcli.explanation.index.declarations.directions import cosine_similarity, normalize
from gradcli.language.tree import Expression, Name

DECLARATIONS: dict[str, Callable[..., Declared | None]] = {
    "cross_entropy": cross_entropy,
    "cosine_similarity": cosine_similarity,
    "normalize": normalize,
}


def declared(tree: Expression, values: Mapping[str, Any]) -> Declared | None:
    """Return the declaration of an operation over names with values; None where there is none for its arguments."""
    function, operands, keywords = call_of(tree)
    if function not in DECLARATIONS or not operands or not isinstance(operands[0], Name):
        return None
    return DECLARATIONS[function](operands, keywords, values)
