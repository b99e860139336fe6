"""The one guard before what is optional: where a formula, a reason or a picture fails, the numbers come without it.

    formula = guarded("formula", lambda: derive(leaf), None)

What is missing is a note of the explanation or of the document that is being made, or else a warning.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import TypeVar

from gradcli.errors import GradcliError
from gradcli.explanation.model import Note

T = TypeVar("T")

# What may be missing, each with the words by which a reader knows it.
PARTS = MappingProxyType(
    {
        "rule": "a local derivative cannot be told",
        "formula": "a gradient cannot be written as a formula",
        "simplification": "formulas are not simplified",
        "operation": "operations that take several nodes cannot be told as one",
        "reason": "why a rule holds cannot be told",
        "note": "remarks on this point are missing",
        "meaning": "what an operation means cannot be told",
        "diagnosis": "the mistake behind an answer was not looked for",
        "finding": "causes were not looked for",
        "path": "the gradient along a path is missing",
        "picture": "a picture is missing",
    }
)


class Guard:
    """The state of the guard: if it `is_strict`, as in tests and under --debug, it lets exceptions through."""

    def __init__(self) -> None:
        self.is_strict = False
        self.missing: list[Note] | None = None  # of the explanation or document that is being made


guard = Guard()


def guarded(part: str, compute: Callable[[], T], otherwise: T, node: str = "") -> T:
    """Return what is computed or, where that raises, `otherwise`; `part` is one of `PARTS`, of a node or of all."""
    try:
        return compute()
    except Exception as error:
        if guard.is_strict:
            raise
        message = f"{PARTS[part]}: {told(error)}"
        if guard.missing is None:
            warnings.warn(message, stacklevel=2)
        elif all(note.message != message for note in guard.missing):  # one line for all edges that fail alike
            guard.missing.append(Note("internal", node, message))
        return otherwise


def told(error: Exception) -> str:
    """Return in a few words why a part is missing."""
    if isinstance(error, GradcliError):
        return error.message
    if isinstance(error, MemoryError):
        return "this needs more memory than there is"
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"a bug in gradcli, {type(error).__name__} in {frame.name}; --debug has more"


@contextmanager
def noting() -> Iterator[list[Note]]:
    """Give the list of what is found missing in the block, for the notes of what is made there."""
    outer, guard.missing = guard.missing, []
    try:
        yield guard.missing
    finally:
        guard.missing = outer
