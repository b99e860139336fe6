"""The one guard before what is optional: where a formula, a reason or a picture fails, the numbers come without it.

    formula = guarded("formula", lambda: leaf_formula(leaf), None)

What is missing becomes a note of the explanation or the document that is being made, or else a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import MappingProxyType
from typing import Any, NamedTuple, ParamSpec, TypeVar

from gradcli.errors import GradcliError

P = ParamSpec("P")
T = TypeVar("T")

# What may be missing, in the words of the line that says so.
PARTS = MappingProxyType(
    {
        "rule": "a local derivative is missing",
        "formula": "gradients are not written as formulas",
        "simplification": "a formula is not simplified",
        "operation": "operations for which torch takes several nodes are not put together",
        "reason": "why a rule holds is not told",
        "note": "remarks on this point are missing",
        "meaning": "what an operation does is not told",
        "explanation": "a backward pass is not explained",
        "path": "the gradient along a path is missing",
        "picture": "a picture is missing",
        "question": "the page asks no questions",
        "what-if": "the page does not follow other values",
        "diagnosis": "the mistake behind an answer was not looked for",
    }
)


class Missing(NamedTuple):
    """A part of an explanation that could not be computed: a sentence, and the node that it is about."""

    message: str
    node: str


class Guard:
    """The state of the guard: if it `is_strict`, as in tests and under --debug, it lets exceptions through."""

    def __init__(self) -> None:
        self.is_strict = False
        self.missing: list[Missing] | None = None  # of the explanation or the document that is being made
        self.warned: set[str] = set()


guard = Guard()


def guarded(subject: str, compute: Callable[[], T], otherwise: Any, node: str = "") -> T:
    """Return what is computed or, where that raises, `otherwise`; `subject` is one of `PARTS`."""
    try:
        return compute()
    except Exception as error:
        if guard.is_strict:
            raise
        tell(f"{PARTS[subject]}: {why(error)}", node)
        return otherwise  # type: ignore[no-any-return]


def optional(subject: str, otherwise: Any) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Guard all calls of a function. Raises KeyError for a part that is none of `PARTS`."""
    PARTS[subject]  # now, and not when the function fails

    def guarding(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*arguments: P.args, **keywords: P.kwargs) -> T:
            return guarded(subject, lambda: function(*arguments, **keywords), otherwise)

        return call

    return guarding


def tell(message: str, node: str) -> None:
    """Note that something is missing, once for all edges of a program that fail alike."""
    if guard.missing is None:
        if message not in guard.warned:
            import warnings

            guard.warned.add(message)
            warnings.warn(message, stacklevel=3)
    elif all(fact.message != message for fact in guard.missing):
        guard.missing.append(Missing(message, node))


def why(error: Exception) -> str:
    """Return in a few words why a part is missing."""
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    if isinstance(error, GradcliError):
        return error.message
    import traceback

    function = traceback.extract_tb(error.__traceback__)[-1].name
    return f"a bug in gradcli, {type(error).__name__} in {function} (--debug shows more)"


@contextmanager
def noting() -> Iterator[list[Missing]]:
    """Give the list of what is missing of what the block makes."""
    outer, guard.missing = guard.missing, []
    try:
        yield guard.missing
    finally:
        guard.missing = outer
