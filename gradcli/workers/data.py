"""Answers of a process as data in a closed format: nothing in it is executed, and what does not fit is refused.

JSON holds plain values; all else is a list that begins with its tag, and large bytes stand beside the text. An owner
says of which classes of facts answers are made; their fields must be what the class says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from gradcli import errors
from gradcli.errors import GradcliError
from gradcli.source import Source, Span

PLAIN = frozenset((NoneType, bool, int, float, str))
KINDS = "biuf"  # of arrays: booleans, whole numbers, floats
ERRORS = {
    kind.__name__: kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, GradcliError)
}

Buffer = bytes | bytearray | memoryview


class UnfitError(Exception):
    """What is to be sent, or has come, is no data of this format."""


@cache
def classes_in(hint: Any) -> tuple[type, ...]:
    """Return the classes of facts that values of a type are made of."""
    found: list[type] = []
    rest = [hint]
    while rest:
        one = rest.pop()
        rest += get_args(one)
        if isinstance(one, type) and one not in found and (is_dataclass(one) or issubclass(one, Enum)):
            found.append(one)
            rest += get_type_hints(one, include_extras=True).values() if is_dataclass(one) else ()
    return tuple(found)


def written(value: Any, classes: Sequence[type]) -> tuple[bytes, list[Buffer]]:
    """Return a value as a text and large bytes. Raises UnfitError for one that has no place in the format."""
    buffers: list[Buffer] = []
    known = {one: place for place, one in enumerate(classes)}
    return json.dumps(_written(value, known, buffers)).encode(), buffers


def _written(value: Any, known: dict[type, int], buffers: list[Buffer]) -> Any:
    kind: Any = type(value)
    if kind in PLAIN:
        return value
    if kind is list:
        return ["l", *[_written(one, known, buffers) for one in value]]
    if kind is tuple:
        return ["t", *[_written(one, known, buffers) for one in value]]
    if kind in known and isinstance(value, Enum):
        return ["n", known[kind], value.name]
    if kind in known:
        return ["o", known[kind], *[_written(getattr(value, name), known, buffers) for name, _ in checks(kind)]]
    if kind is dict:
        return ["d", *[_written(one, known, buffers) for pair in value.items() for one in pair]]
    if kind in (bytes, bytearray, memoryview):
        buffers.append(value)
        return ["b", len(buffers) - 1]
    if kind.__module__ == "numpy" and getattr(value, "dtype", None) is not None and value.dtype.kind in KINDS:
        buffers.append(value.tobytes())
        tag = "a" if kind.__name__ == "ndarray" else "s"
        return [tag, value.dtype.str, list(value.shape), len(buffers) - 1]
    if isinstance(value, GradcliError):
        name = next(one.__name__ for one in kind.__mro__ if one in ERRORS.values())
        place = [value.source.name, value.source.text] if value.source else []
        return ["e", name, value.code, value.message, value.label, value.help, list(value.span or ()), *place]
    raise UnfitError(f"a {kind.__name__} is no data")


def read(text: Buffer, buffers: Sequence[Buffer], kind: Any) -> Any:
    """Return the value that a text and large bytes say. Raises UnfitError for what is none of this kind."""
    try:
        value = _read(json.loads(bytes(text)), buffers, classes_in(kind))
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError, MemoryError) as error:
        raise UnfitError(str(error)) from None
    if not check(kind)(value):
        raise UnfitError("another answer than was asked for")
    return value


def _read(node: Any, buffers: Sequence[Buffer], classes: Sequence[type]) -> Any:
    if type(node) is not list:
        if type(node) in PLAIN:
            return node
        raise UnfitError("a table without its tag")
    tag = node[0]
    if tag == "b":
        (place,) = node[1:]
        return buffers[place]
    if tag in ("a", "s"):
        return _array(tag, *node[1:], buffers=buffers)
    if tag == "e":
        return _error(*node[1:])
    if tag == "n":
        return _constant(classes[node[1]], node[2])
    if tag == "o":
        return _object(classes[node[1]], [_read(one, buffers, classes) for one in node[2:]])
    parts = [_read(one, buffers, classes) for one in node[1:]]
    if tag == "d":
        return dict(zip(parts[::2], parts[1::2], strict=True))
    if tag not in ("l", "t"):
        raise UnfitError("a tag that nobody wrote")
    return parts if tag == "l" else tuple(parts)


def _object(kind: type, values: list[Any]) -> Any:
    made: Any = object.__new__(kind)
    for (name, is_fit), value in zip(checks(kind), values, strict=True):
        if not is_fit(value):
            raise UnfitError(f"{kind.__name__}.{name} is no such thing")
        object.__setattr__(made, name, value)
    return made


def _constant(kind: type, name: str) -> Any:
    if not issubclass(kind, Enum):
        raise UnfitError("no constant")
    return kind[name]


def _array(tag: str, dtype: str, shape: list[int], place: int, *, buffers: Sequence[Buffer]) -> Any:
    import numpy as np

    kind = np.dtype(dtype)
    if kind.kind not in KINDS:
        raise UnfitError("no array of numbers")
    found = np.frombuffer(buffers[place], kind).reshape(shape).copy()
    return found if tag == "a" else found[()]


def _error(name: str, code: str, message: str, label: str, help: str, span: list[int], *place: str) -> GradcliError:
    if not all(isinstance(one, str) for one in (code, message, label, help, *place)):
        raise UnfitError("an error is texts")
    source = Source(place[1], place[0]) if place else None
    start, end = span or (0, 0)
    if not 0 <= start <= end <= (len(source.text) if source else 2**31):
        raise UnfitError("an error outside of its text")
    facts = {"code": code, "message": message, "label": label, "help": help, "source": source}
    return errors.restored(ERRORS[name], (message,), {**facts, "span": Span(start, end) if span else None})


@cache
def checks(kind: type) -> tuple[tuple[str, Callable[[Any], bool]], ...]:
    """Return the fields of a class of facts, each with what tells whether a value fits."""
    if not is_dataclass(kind):
        raise UnfitError("no class of facts")
    hints = get_type_hints(kind, include_extras=True)
    return tuple((field.name, check(hints[field.name])) for field in fields(kind))


@cache
def check(hint: Any) -> Callable[[Any], bool]:
    """Return what tells whether a value is of a type."""
    kind, inner = NoneType if hint is None else get_origin(hint) or hint, get_args(hint)
    if kind is Any:
        return lambda value: True
    if kind is Annotated:
        return check(inner[0])
    if kind is Literal:
        return lambda value: type(value) is str and value in inner
    if kind in (Union, UnionType):
        each = [check(one) for one in inner]
        return lambda value: any(is_fit(value) for is_fit in each)
    if kind is tuple and inner[-1] is not ...:
        each = [check(one) for one in inner]
        return lambda value: (
            type(value) is tuple and len(value) == len(each) and all(map(lambda f, x: f(x), each, value))
        )
    if kind in (list, tuple):
        is_fit = check(inner[0])
        return lambda value: type(value) is kind and all(map(is_fit, value))
    if kind is dict:
        is_key, is_value = map(check, inner)
        return lambda value: type(value) is dict and all(map(is_key, value)) and all(map(is_value, value.values()))
    if kind is float:
        return lambda value: isinstance(value, float | int)
    return lambda value: isinstance(value, kind)
