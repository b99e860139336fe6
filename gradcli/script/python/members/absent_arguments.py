"""Arguments that functions and classes have in Python or torch, and not here: each is refused by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

from gradcli.script.errors import UnsupportedError


def without(absent: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function that has not all the arguments of torch's: those are taken by name, and refused if given."""
    names = frozenset(absent.split())

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            if not names.isdisjoint(keywords):
                given = {name: keywords.pop(name) for name in names & keywords.keys()}
                refuse_given(function.__name__, given, given, {})
            return function(*arguments, **keywords)

        return call

    return decorate


def refuse_given(name: str, absent: Iterable[str], values: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Refuse arguments by name that are given and are neither off nor what they are anyway.

    The truth of a tensor in such a place is ambiguous, as in torch: `nn.MSELoss(prediction, target)`.
    """
    for word in absent:
        if values[word] and values[word] != defaults.get(word):
            raise UnsupportedError(f"{name}({word}=...) is not supported here", help="leave the argument out")
