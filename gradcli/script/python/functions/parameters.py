"""The parameters of a function of a snippet, and how the arguments of a call become their values."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any

from gradcli.script.python.syntax.scopes import Env

PARAMETERS = " parameters"  # the fact about a function that its signature is: no name of a snippet has a space
VARIABLES_AROUND = " variables around"  # the fact that the blocks around it are


class Parameters:
    """The names that a call fills, by how it may fill them."""

    def __init__(self, node: ast.arguments, name: str) -> None:
        self.function = name
        self.positional = tuple(p.arg for p in (*node.posonlyargs, *node.args))
        self.only_positional = tuple(p.arg for p in node.posonlyargs)
        self.only_named = tuple(p.arg for p in node.kwonlyargs)
        self.rest = node.vararg.arg if node.vararg else None
        self.others = node.kwarg.arg if node.kwarg else None
        self.is_simple = not (self.only_named or self.rest or self.others)
        self.named = frozenset((*self.positional, *self.only_named)) - frozenset(self.only_positional)
        self.optional = len(node.defaults)
        self.size = len(self.positional) + len(self.only_named) + (self.rest is not None)

    @property
    def names(self) -> frozenset[str]:
        extra = [name for name in (self.rest, self.others) if name]
        return frozenset((*self.positional, *self.only_named, *extra))

    @property
    def first(self) -> str | None:
        """The parameter that `super()` takes for the object."""
        return self.positional[0] if self.positional else self.rest


def signature(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a function, as the snippet defines it where it does; of a method without the first."""
    if not hasattr(function, "_facts"):
        return inspect.signature(function)
    parameters, defaults = function._facts(PARAMETERS)
    return inspect.Signature(list(_listed(parameters, defaults))[isinstance(function, MethodType) :])


def _listed(parameters: Parameters, defaults: dict[str, Any]) -> Iterator[inspect.Parameter]:
    kinds = inspect.Parameter
    groups = (
        (parameters.only_positional, kinds.POSITIONAL_ONLY),
        (parameters.positional[len(parameters.only_positional) :], kinds.POSITIONAL_OR_KEYWORD),
        ((parameters.rest,), kinds.VAR_POSITIONAL),
        (parameters.only_named, kinds.KEYWORD_ONLY),
        ((parameters.others,), kinds.VAR_KEYWORD),
    )
    for names, kind in groups:
        for name in filter(None, names):
            yield kinds(name, kind, default=defaults.get(name, kinds.empty))


def bind(parameters: Parameters, defaults: dict[str, Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Env:
    """Return the parameters with their values; raise TypeError in Python's words where they do not fit."""
    positional, function = parameters.positional, parameters.function
    env: Env = dict(zip(positional, arguments, strict=False))
    unknown: dict[str, Any] = {}
    for name, value in keywords.items():
        if name not in parameters.named:
            unknown[name] = value
        elif name in env:
            raise TypeError(f"{function}() got multiple values for argument {name!r}")
        else:
            env[name] = value
    if unknown and parameters.others is None:
        raise _unexpected(parameters, unknown)
    if parameters.rest is not None:
        env[parameters.rest] = arguments[len(positional) :]
    elif len(arguments) > len(positional):
        raise _too_many(parameters, len(arguments), env)
    if len(env) < parameters.size:
        env = {**defaults, **env}
        if len(env) < parameters.size:
            raise _incomplete(parameters, env)
    if parameters.others is not None:
        env[parameters.others] = unknown
    return env


def _unexpected(parameters: Parameters, unknown: dict[str, Any]) -> TypeError:
    function = parameters.function
    only = [name for name in parameters.only_positional if name in unknown]
    if only:
        words = "got some positional-only arguments passed as keyword arguments"
        return TypeError(f"{function}() {words}: {', '.join(only)!r}")
    return TypeError(f"{function}() got an unexpected keyword argument {next(iter(unknown))!r}")


def _too_many(parameters: Parameters, given: int, env: Env) -> TypeError:
    most = len(parameters.positional)
    least = most - parameters.optional
    takes = f"from {least} to {most}" if least < most else str(most)
    named = [name for name in parameters.only_named if name in env]
    words = f"{parameters.function}() takes {takes} positional argument{'s' * (takes != '1')} but {given}"
    if named:
        words += f" positional argument{'s' * (given != 1)} (and {len(named)} keyword-only argument"
        words += f"{'s' * (len(named) != 1)})"
    return TypeError(f"{words} {'was' if given == 1 and not named else 'were'} given")


def _incomplete(parameters: Parameters, env: Env) -> TypeError:
    """Return the error of a call that leaves parameters without a value."""
    groups = {"positional": parameters.positional, "keyword-only": parameters.only_named}
    absent = {kind: [f"{name!r}" for name in names if name not in env] for kind, names in groups.items()}
    kind, (*first, last) = next((kind, names) for kind, names in absent.items() if names)
    listed = f"{', '.join(first)}{',' * (len(first) > 1)} and {last}" if first else last
    words = f"missing {len(first) + 1} required {kind} argument{'s' * bool(first)}"
    return TypeError(f"{parameters.function}() {words}: {listed}")
