"""Constructors declared by their signature: one text, as torch's documentation writes it, says names and defaults."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.functions.parameters import Parameters, bind


@cache
def _parsed(function: str, signature: str) -> tuple[Parameters, dict[str, Any]]:
    """The parameters of a method, and their defaults."""
    method = ast.parse(f"lambda self, {signature}: 0", mode="eval").body
    assert isinstance(method, ast.Lambda)
    own, parameters = method.args, Parameters(method.args, function)
    optional = parameters.positional[len(parameters.positional) - len(own.defaults) :] + parameters.only_named
    values = [ast.literal_eval(node) for node in (*own.defaults, *own.kw_defaults) if node is not None]
    return parameters, dict(zip(optional, values, strict=True))


@cache
def names(signature: str) -> tuple[str, ...]:
    """The names in a signature, in its order."""
    parameters, _ = _parsed("", signature)
    return (*parameters.positional[1:], *parameters.only_named)


def given_options(kind: type, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name, in the order of the `_signature` that a class declares or inherits.

    Raises TypeError in Python's words where they do not fit, and UnsupportedError for one of the `_absent` arguments.
    """
    owner: Any = next(base for base in kind.__mro__ if "_signature" in vars(base))
    parameters, defaults = _parsed(f"{owner.__name__}.__init__", owner._signature)
    values = bind(parameters, defaults, (None, *arguments), keywords)
    refuse_given(kind.__name__, owner._absent.split() if hasattr(owner, "_absent") else (), values, defaults)
    return {name: values[name] for name in names(owner._signature)}


def without(absent: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function that has not all the arguments of torch's: those are taken by name, and refused if given."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            given = {name: keywords.pop(name) for name in absent.split() if name in keywords}
            refuse_given(function.__name__, given, given, {})
            return function(*arguments, **keywords)

        return call

    return decorate


def refuse_given(name: str, absent: Iterable[str], values: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Refuse arguments by name that are given and are neither off nor what they are anyway."""
    for word in absent:
        if values[word] is not None and values[word] is not False and values[word] != defaults.get(word):
            raise UnsupportedError(f"{name}({word}=...) is not supported here", help="leave the argument out")
