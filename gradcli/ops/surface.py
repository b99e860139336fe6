"""The names that users write, and how their arguments are read.

An operation is a plain function with torch's name and torch's parameters; it lowers to primitives as torch lowers it.
Its annotations say how arguments are taken: see `READERS`. Its examples are programs that the tests run, that
`gradcli ops` shows, and that between them use every primitive.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor, is_floating, tensor
from gradcli.errors import EvaluationError
from gradcli.ops.catalogue import FAMILY_OF
from gradcli.source import did_you_mean

# What a parameter can be annotated with, besides int, float, bool and str.
Real = Tensor  # a tensor of floating point numbers; integers are converted
Operand = Any  # a tensor, or a plain number that stays one
Dims = int | tuple[int, ...] | None  # one dimension, several, or all
Shape = tuple[int, ...]
Pair = int | tuple[int, int]  # one number for both directions, or one for each
Padding = int | tuple[int, ...] | str  # as Pair, or 'same' or 'valid'
Indices = Tensor  # a tensor of integers, or of whole numbers
LIMIT = 2**27  # entries of one result; more is a slip, and not worth a machine out of memory

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Operation:
    """A name that users write; `method` says whether `x.name()` is one too."""

    name: str
    function: Callable[..., Any]
    examples: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    method: bool = True

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        return dict(inspect.signature(self.function).parameters)

    @property
    def signature(self) -> str:
        """As users read it: `sum(input, dim=None, keepdim=False)`."""
        parts = [
            ("*" if p.kind is p.VAR_POSITIONAL else "") + p.name + ("" if p.default is p.empty else f"={p.default!r}")
            for p in self.parameters.values()
        ]
        return f"{self.name}({', '.join(parts)})"

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    @property
    def family(self) -> str:
        """The module that declares it: `reductions`, `losses`."""
        return self.function.__module__.rpartition(".")[2]

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call with arguments from outside: bound, read by annotation, refused with the signature."""
        bound = self._bind(arguments, keywords)
        values: list[Any] = []
        named: dict[str, Any] = {}
        for name, value in bound.items():
            parameter = self.parameters[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                values.extend(self._read(parameter, item) for item in value)
            elif parameter.kind is parameter.KEYWORD_ONLY:
                named[name] = self._read(parameter, value)
            else:
                values.append(self._read(parameter, value))
        return self.function(*values, **named)

    def _bind(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
        for keyword in keywords:
            if keyword not in self.parameters:
                close = did_you_mean(keyword, self.parameters)
                hint = f"did you mean {close}=? " if close else ""
                raise EvaluationError(
                    "E203", f"{self.name}() has no argument {keyword!r}", help=f"{hint}{self.signature}"
                )
            if self.parameters[keyword].kind is inspect.Parameter.VAR_POSITIONAL:  # reshape(x, shape=(3, 2))
                rest = {k: v for k, v in keywords.items() if k != keyword}
                return self._bind((*arguments, keywords[keyword]), rest)
        try:
            bound = inspect.signature(self.function).bind(*arguments, **keywords)
        except TypeError as error:
            raise EvaluationError("E203", f"{self.name}(): {error}", help=self.signature) from None
        bound.apply_defaults()
        return bound.arguments

    def _read(self, parameter: inspect.Parameter, value: Any) -> Any:
        if value is None and parameter.default is None:
            return None
        kind = str(parameter.annotation).removesuffix(" | None")
        try:
            return READERS[kind](value)
        except (TypeError, ValueError):
            raise EvaluationError(
                "E204",
                f"{self.name}() takes {KINDS[kind]} for {parameter.name!r}, not {described(value)}",
                help=self.signature,
            ) from None


class Operations(Mapping[str, Operation]):
    """All operations by name, aliases included; a family is imported when one of its names is asked for."""

    def __init__(self) -> None:
        self._declared: dict[str, Operation] = {}

    def __getitem__(self, name: str) -> Operation:
        if name not in self._declared:
            import_module(f"gradcli.ops.{FAMILY_OF[name]}")
        return self._declared[name]

    def __iter__(self) -> Iterator[str]:
        return iter(FAMILY_OF)

    def __len__(self) -> int:
        return len(FAMILY_OF)

    def __contains__(self, name: object) -> bool:
        return name in FAMILY_OF

    def declare(self, name: str, operation: Operation) -> None:
        assert name not in self._declared, name
        self._declared[name] = operation


OPERATIONS = Operations()


def operation(*examples: str, aliases: Sequence[str] = (), method: bool = True) -> Callable[[Function], Function]:
    """Declare an operation under the function's own name (a trailing underscore is for Python's sake)."""

    def declare(function: Function) -> Function:
        register(function.__name__.rstrip("_"), function, examples, aliases, method)
        return function

    return declare


def register(
    name: str, function: Callable[..., Any], examples: Sequence[str], aliases: Sequence[str] = (), method: bool = True
) -> None:
    """Add a name for users."""
    declared = Operation(name, function, tuple(examples), tuple(aliases), method)
    for known in (name, *aliases):
        OPERATIONS.declare(known, declared)


def as_tensor(value: Any) -> Tensor:
    """A tensor as it is; a number or nested lists as a constant; lists that hold tensors are stacked."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, bool | int | float | np.ndarray | np.generic):
        return tensor(value)
    if isinstance(value, list):
        return stacked(value)
    raise TypeError(value)


def stacked(items: list[Any]) -> Tensor:
    """Nested lists as a tensor: a constant, or a stack where an item was computed."""
    if not _holds_tensor(items):
        try:
            return tensor(items)
        except (TypeError, ValueError, OverflowError):
            raise ValueError("rows of different lengths") from None
    stack = OPERATIONS["stack"].function
    return stack([as_tensor(item) for item in items])  # type: ignore[no-any-return]


def _holds_tensor(items: list[Any]) -> bool:
    waiting = list(items)
    while waiting:
        item = waiting.pop()
        if isinstance(item, Tensor):
            return True
        if isinstance(item, list):
            waiting.extend(item)
    return False


def real(value: Any) -> Tensor:
    """A tensor of floating point numbers."""
    x = as_tensor(value)
    return x if is_floating(x.value) else Tensor(x.value.astype(mode.default_dtype))


def indices(value: Any) -> Tensor:
    """A constant tensor of integers (or of booleans); whole floating point numbers are taken for integers."""
    x = as_tensor(value)
    if not is_floating(x.value):
        return x
    whole = x.value.astype(np.int64)
    if not np.all(whole == x.value):
        raise ValueError("not whole")
    return Tensor(whole)


def check_size(shape: Shape) -> None:
    """Refuse a result of absurd size before memory is taken."""
    if (size := math.prod(shape)) > LIMIT:
        raise EvaluationError("E210", f"a result of shape {shape} has {size:,} entries, and {LIMIT:,} are the limit")


def integer(value: Any) -> int:
    if isinstance(value, Tensor) and value.value.size == 1:
        value = value.value.item()
    if isinstance(value, bool) or int(value) != value:
        raise TypeError(value)
    return int(value)


def floating(value: Any) -> float:
    if isinstance(value, str | bool):
        raise TypeError(value)
    return float(value.item() if isinstance(value, Tensor) else value)


def _operand(value: Any) -> Any:
    return value if isinstance(value, int | float) else as_tensor(value)


def _exactly(kind: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if not isinstance(value, kind):
            raise TypeError(value)
        return value

    return read


def _shape(value: Any) -> Shape:
    return tuple(integer(size) for size in (value if isinstance(value, tuple | list) else (value,)))


def _padding(value: Any) -> int | Shape | str:
    return value if isinstance(value, str) else _dims(value)


def _dims(value: Any) -> int | Shape:
    return _shape(value) if isinstance(value, tuple | list) else integer(value)


def _tensors(value: Any) -> list[Tensor]:
    if not isinstance(value, list | tuple):
        raise TypeError(value)
    return [as_tensor(item) for item in value]


READERS: dict[str, Callable[[Any], Any]] = {
    "Tensor": as_tensor,
    "Real": real,
    "Indices": indices,
    "Operand": _operand,
    "Dims": _dims,
    "Dims | bool": lambda value: value if isinstance(value, bool) else _dims(value),
    "int | Tensor": lambda value: as_tensor(value) if isinstance(value, Tensor | list) else integer(value),
    "Shape": _shape,
    "Pair": _dims,
    "Padding": _padding,
    "Sequence[Tensor]": _tensors,
    "int": integer,
    "float": floating,
    "bool": _exactly(bool),
    "str": _exactly(str),
    "Any": lambda value: value,
}
KINDS = {
    "Tensor": "a tensor",
    "Real": "a tensor",
    "Indices": "whole numbers",
    "Operand": "a tensor or a number",
    "Dims": "a dimension or a tuple of them",
    "Dims | bool": "a dimension or a tuple of them",
    "int | Tensor": "a dimension or a tensor",
    "Shape": "whole numbers",
    "Pair": "a whole number or a pair of them",
    "Padding": "a whole number, a pair of them, 'same' or 'valid'",
    "Sequence[Tensor]": "a tuple or list of tensors",
    "int": "a whole number",
    "float": "a number",
    "bool": "True or False",
    "str": "a word in quotes",
    "Any": "a value",
}


def described(value: Any) -> str:
    """A value in an error message."""
    if isinstance(value, Tensor):
        return f"a tensor of shape {value.shape}" if value.shape else repr(value.value.item())
    return "a list" if isinstance(value, list) else repr(value)[:60]
