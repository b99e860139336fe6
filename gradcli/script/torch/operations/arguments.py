"""Read one argument as torch does: by kind, strictly; a TypeError says what is of another kind, missing or too much."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from inspect import Parameter
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor, is_floating
from gradcli.ops.support import arguments as reading
from gradcli.ops.support.surface import Operation
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.random.generator import Generator
from gradcli.script.torch.tensor.dtypes import numpy_dtype
from gradcli.source import did_you_mean, shipped

Reader = Callable[[Any], Any]
TORCH_NAMES = {np.ndarray: "numpy.ndarray", Generator: "torch._C.Generator"}


def kind_name(value: Any) -> str:
    """The type of a value in torch's messages."""
    return TORCH_NAMES.get(type(value)) or ("Tensor" if isinstance(value, Tensor) else type(value).__name__)


def check_kind(function: str, argument: str, position: int, value: Any, kind: Any, shown: str) -> None:
    """Raise torch's TypeError for an argument of another kind; one that is given by its name has the position 0."""
    if not isinstance(value, kind):
        place = f" (position {position})" if position else ""
        raise TypeError(f"{function}(): argument '{argument}'{place} must be {shown}, not {kind_name(value)}")


def tensor(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value
    raise TypeError


def real(value: Any) -> Any:
    """Return a tensor of floating point numbers; integers and booleans are converted, as torch promotes them."""
    if not isinstance(value, Tensor):
        raise TypeError
    return value if value.value.dtype.kind == "f" else reading.real(value)


def indices(value: Any) -> Any:
    """A tensor of integers or booleans."""
    if is_floating(tensor(value).value):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return value


def operand(value: Any) -> Any:
    if isinstance(value, Tensor | float | int):
        return value
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


def plain(value: Any, kinds: str = "fiub") -> Any:
    """The number in a tensor without dimensions, of some kinds, that no gradient flows through; others stay."""
    if not isinstance(value, Tensor):
        return value
    if value.ndim or value.requires_grad or value.dtype.kind not in kinds:
        raise TypeError
    return value.item()


def integer(value: Any) -> int:
    if type(value) is int:
        return value
    value = plain(value, "iu")
    if isinstance(value, float):
        raise TypeError
    return value if type(value) is int else reading.integer(value)


def boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise TypeError


def number(value: Any) -> Any:
    value = plain(value)
    return value if type(value) in (int, bool) else reading.floating(value)


def floating(value: Any) -> float:
    if type(value) is float:
        return value
    value = plain(value)
    return float(value) if isinstance(value, bool) else reading.floating(value)


def string(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise TypeError


def sizes(value: Any) -> Any:
    """Return one size, or a tuple of them."""
    if type(value) is int:
        return value
    return tuple(map(integer, value)) if isinstance(value, tuple | list) else integer(value)


def size_tuple(value: Any) -> Any:
    """Sizes that must stand in a tuple or a list."""
    if not isinstance(value, tuple | list):
        raise TypeError
    return sizes(value)


def tensors(value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise TypeError
    for position, item in enumerate(value):
        if not isinstance(item, Tensor):
            raise IndexError(f"expected Tensor as element {position} in argument 0, but got {kind_name(item)}")
    return list(value)


READERS: dict[str, tuple[Reader, str]] = {
    "Tensor": (tensor, "Tensor"),
    "Real": (real, "Tensor"),
    "Indices": (indices, "Tensor"),
    "Operand": (operand, "Tensor"),
    "Dims": (sizes, "tuple of ints"),
    "Dims | bool": (lambda value: value if isinstance(value, bool) else sizes(value), "tuple of ints"),
    "int | Tensor": (lambda value: value if isinstance(value, Tensor) else integer(value), "int"),
    "Shape": (sizes, "tuple of ints"),
    "Pair": (sizes, "tuple of ints"),
    "Padding": (lambda value: value if isinstance(value, str) else sizes(value), "tuple of ints"),
    "Sequence[Tensor]": (tensors, "tuple of Tensors"),
    "Tensors": (lambda value: value if isinstance(value, Tensor) else tensors(value), "Tensor"),
    "Dtype": (lambda value: np.dtype(numpy_dtype(value)), "torch.dtype"),
    "int": (integer, "int"),
    "float": (floating, "float"),
    "bool": (boolean, "bool"),
    "str": (string, "str"),
    "Any": (lambda value: value, "Any"),
}


def no_output(name: str) -> UnsupportedError:
    return UnsupportedError(f"{name}(out=...) is not supported here", help=f"write x = torch.{name}(...), or x.copy_()")


def missing(name: str, absent: list[str]) -> str:
    """Return torch's words for arguments that are not given, with the plural where one is missing."""
    listed = ", ".join(f'"{argument}"' for argument in absent)
    return f"{name}() missing {len(absent)} required positional argument{'s' * (len(absent) == 1)}: {listed}"


def too_many(name: str, least: int, most: int, given: int) -> str:
    """Return torch's words for more arguments than a way of calling takes."""
    if least != most:
        return f"{name}() takes from {least} to {most} positional arguments but {given} were given"
    was, s = ("was" if given == 1 else "were"), "" if most == 1 else "s"
    return f"{name}() takes {most} positional argument{s} but {given} {was} given"


FILE = "absent.txt"


@cache
def absent() -> dict[str, frozenset[str]]:
    """Return the arguments by the operation that has them in torch."""
    lines = shipped(Path(__file__).with_name(FILE)).splitlines()
    return {name: frozenset(names.split()) for name, _, names in (line.partition(": ") for line in lines)}


SYNONYMS = {
    "axis": "dim",
    "axis0": "dim0",
    "axis1": "dim1",
    "keepdims": "keepdim",
    "x": "input",
}  # numpy's names, which torch takes too


class Signature:
    """The parameters of one operation, as a function or as a method, which has the tensor before them."""

    def __init__(self, operation: Operation, shown: str, more: Iterable[str] = (), *, method: bool) -> None:
        """`shown` is the name in messages; `more` are keywords that go through unread."""
        self.name = shown
        self.more = frozenset(("dtype", *more))
        self.method = method
        self.operation = operation
        self.parameters = parameters = operation.parameters
        self.readers = {parameter: self._reader(p) for parameter, p in parameters.items()}
        fixed = [p for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
        rest = [p.name for p in parameters.values() if p.kind is p.VAR_POSITIONAL]
        self.fixed = [p.name for p in fixed]
        self.rest = rest[0] if rest else None
        self.least = sum(p.default is p.empty for p in fixed) + (1 if rest and fixed else 0)
        self.most = len(fixed) if not rest else 2**63
        if rest and not method and self.kind(parameters[rest[0]]) == "Shape":  # x.reshape(2, 3) is a method alone
            self.most = len(fixed) + 1
            self.readers[rest[0]] = size_tuple
        self.optional = {name for name, p in parameters.items() if p.default is None}
        self.positional = [(self.readers[name], name in self.optional) for name in self.fixed]
        self.by_name = {name: (read, name in self.optional) for name, read in self.readers.items() if name != self.rest}

    def _reader(self, parameter: Parameter) -> Reader:
        kind = self.kind(parameter)
        read = READERS[kind][0]
        operation, first = self.operation, parameter.name in ("input", "self")
        if operation.integers_stay and kind in ("Real", "Indices"):
            read = tensor
        if parameter.name in ("alpha", "beta", "dx"):
            read = number  # a whole number leaves sums of integers whole; no truth value is a width
        is_tensor = operation.numbers == "never" or (first and operation.numbers == "after")
        if kind == "Operand" and parameter.default is parameter.empty and is_tensor:
            read = tensor
        return read

    @staticmethod
    def kind(parameter: Parameter) -> str:
        return str(parameter.annotation).removesuffix(" | None")

    def following(self) -> Any:
        """The readers of positional arguments, one after the other, each with whether it may be None."""
        return (
            self.positional if self.rest is None else chain(self.positional, repeat((self.readers[self.rest], False)))
        )

    def bind(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments as the operation takes them; TypeError, in torch's words, where they do not fit."""
        keywords = {self._known(name): value for name, value in keywords.items()}
        arguments, keywords = cast_first(arguments, keywords, self.parameters)
        if self.rest in keywords and "Tensor" in self.kind(self.parameters[self.rest]):
            raise TypeError(f"{self.name}() got an unexpected keyword argument '{self.rest}'")
        if self.rest in keywords:
            arguments = (*arguments, keywords.pop(self.rest))
        if len(arguments) > self.most:
            raise TypeError(self._too_many(len(arguments)))
        values = [self._read(n, x, position) for position, (n, x) in enumerate(self._named(arguments))]
        named: dict[str, Any] = {}
        for name, value in keywords.items():
            if name in self.fixed[: len(arguments)]:
                raise TypeError(f"{self.name}() got multiple values for argument '{name}'")
            named[name] = value if name not in self.readers else self._read(name, value, None)
        needed = [name for name in self.fixed[len(values) :] if self.parameters[name].default is Parameter.empty]
        absent = [name for name in needed if name not in named]
        if self.rest is not None and len(values) == len(self.fixed) and self.fixed:
            absent.append(self.rest)
        if absent:
            raise TypeError(missing(self.name, absent))
        # In their places, for a function in front of the operation has other names for them.
        values.extend(named.pop(name) for name in needed)
        return values, named

    def _named(self, arguments: tuple[Any, ...]) -> Any:
        return zip(chain(self.fixed, repeat(self.rest)), arguments, strict=False)

    def _known(self, keyword: str) -> str:
        name = keyword if keyword in self.parameters else SYNONYMS.get(keyword, keyword)
        if name not in self.parameters and name not in self.more:
            if name == "out" and not self.method:
                raise no_output(self.name)
            called = self.operation.name
            if keyword in absent().get(called, ()):  # torch has it; one that it has not is a mistake of the snippet
                raise UnsupportedError(f"{called}({keyword}=...) is not supported here", help="leave the argument out")
            close = did_you_mean(name, self.parameters)
            hint = f" (did you mean '{close}'?)" if close else ""
            raise TypeError(f"{self.name}() got an unexpected keyword argument '{keyword}'{hint}")
        return name

    def _too_many(self, given: int) -> str:
        if self.method and self.most == 1:
            return f"TensorBase.{self.name}() takes no arguments ({given - 1} given)"
        tensors = int(self.method)  # the tensor itself is not counted
        return too_many(self.name, self.least - tensors, self.most - tensors, given - tensors)

    def _read(self, name: str, value: Any, position: int | None) -> Any:
        if value is None and name in self.optional:
            return None
        try:
            return self.readers[name](value)
        except IndexError as error:  # a tensor whose kind of number is refused, or a list with something else in it
            raise (TypeError if "element" in str(error) else IndexError)(str(error)) from None
        except (TypeError, ValueError, OverflowError):
            kind = READERS[self.kind(self.parameters[name])][1]
            if kind == "float" and name in SCALARS:
                kind = "Number"
            place = "" if position is None else f" (position {position + 1 - self.method})"
            raise TypeError(f"{self.name}(): argument '{name}'{place} must be {kind}, not {kind_name(value)}") from None


# What torch reads as numbers of any kind.
SCALARS = ("alpha", "beta", "dx", "lambd", "negative_slope", "ord", "threshold", "value")


def cast_first(
    arguments: tuple[Any, ...], keywords: dict[str, Any], parameters: Mapping[str, Parameter]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """`x.prod(dtype=...)`: an operation that has no `dtype` of its own works on the tensor cast before."""
    if "dtype" not in keywords or "dtype" in parameters:
        return arguments, keywords
    dtype = keywords.pop("dtype")
    if dtype is not None and arguments:
        from gradcli.script.torch.tensor.dtypes import cast

        arguments = (cast(tensor(arguments[0]), dtype), *arguments[1:])
    return arguments, keywords
