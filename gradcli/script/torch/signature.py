"""Constructors declared by their signature: one text, as torch's documentation writes it, says names and defaults."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

from gradcli.script.python.functions.parameters import Parameters, bind
from gradcli.script.python.members.absence import refuse_given


@cache
def _parsed(function: str, signature: str) -> tuple[Parameters, dict[str, Any]]:
    """The parameters of a method, and their defaults."""
    method = ast.parse(f"lambda self, {signature}: 0", mode="eval").body
    assert isinstance(method, ast.Lambda)
    syntax, parameters = method.args, Parameters(method.args, function)
    optional = parameters.positional[len(parameters.positional) - len(syntax.defaults) :] + parameters.only_named
    values = [ast.literal_eval(node) for node in (*syntax.defaults, *syntax.kw_defaults) if node is not None]
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
    absent = [name for name in getattr(owner, "_absent", "").split() if name in values]
    refuse_given(kind.__name__, absent, values, defaults)
    return {name: values[name] for name in names(owner._signature)}
