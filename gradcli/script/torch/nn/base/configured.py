"""Layers as declarations: a signature, a function of `torch.nn.functional`, and the template of their text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import FunctionType
from typing import Any

from gradcli.script.python.text.templates import format_text
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.functional.module import Function, checked, find
from gradcli.script.torch.signature import given_options, names

UNKEPT = ("bias", "device", "dtype")  # arguments that are no attributes: `_settle` gets them

Rows = Mapping[str, tuple[type["Configured"], Mapping[str, Any]]]  # layers: a base, and attributes of the class


def renamed(method: Any, owner: type) -> Any:
    """Return a copy of an inherited method with the name that it has as one of a class's own."""
    copied = FunctionType(method.__code__, method.__globals__, method.__name__, closure=method.__closure__)
    copied.__defaults__, copied.__kwdefaults__ = method.__defaults__, method.__kwdefaults__
    copied.__qualname__ = f"{owner.__name__}.{method.__name__}"
    return copied


class Configured(Module):
    """A module that calls a function with its input and the attributes that its signature lists."""

    _signature = ""
    _passed: tuple[str, ...] = ()  # the attributes behind the input, if they are not those of the signature
    _function = ""  # of torch.nn.functional, or of torch
    _text = ""  # the template of `extra_repr`

    def __init_subclass__(cls) -> None:
        """Copy an inherited `forward` under the name of the layer, for Python's errors, unless torch's is inherited."""
        owner = next(base for base in cls.__mro__ if "forward" in vars(base))
        if is_torchs(cls) and not cls.__name__.startswith("_") and not is_torchs(owner):
            cls.forward = renamed(vars(owner)["forward"], cls)  # type: ignore[method-assign]

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__()
        options = given_options(type(self), arguments, keywords)
        rest = {name: options.pop(name) for name in UNKEPT if name in options}
        for name, value in options.items():
            setattr(self, name, value)
        self._settle(**rest)

    def _settle(self, *_: Any, **__: Any) -> None:
        """Check the attributes, bring them into their final form, and make parameters."""

    @property
    def _called(self) -> Function:
        return find(self._function) or checked(self._function)

    def _behind(self) -> list[Any]:
        """Return the arguments behind the input."""
        return [getattr(self, name) for name in self._passed or names(self._signature)]

    def forward(self, input: Any) -> Any:
        return self._called(input, *self._behind())

    def extra_repr(self) -> str:
        return format_text(self._text, **vars(self))


def numbered(kind: str, base: type[Configured], most: int = 3, function: str = "", **attributes: Any) -> Rows:
    """Return the rows of a kind of layer for 1 to `most` dimensions: `MaxPool1d` calls `max_pool1d`."""
    functions = {n: {"_function": f"{function}{n}d"} if function else {} for n in range(1, most + 1)}
    return {f"{kind}{n}d": (base, {"_dimensions": n, **of_n, **attributes}) for n, of_n in functions.items()}


def is_torchs(kind: type) -> bool:
    return kind.__module__.startswith("torch.")


def declared(rows: Rows, module: str = "") -> Callable[[str], Any]:
    """Return the `__getattr__` of a file of layers, which makes the class of a row when it is first asked for."""

    @cache
    def make(name: str) -> Any:
        if name not in rows:
            raise AttributeError(name)
        base, attributes = rows[name]
        # the bases that torch has too keep their constructors
        signature = {} if base.__name__.startswith("_") else {"_signature": base._signature}
        return type(name, (base,), {"__module__": module or base.__module__, **signature, **attributes})

    return make
