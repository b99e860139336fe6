"""Answers of a process as data in a closed format: nothing in it is executed, and what does not fit is refused.

JSON holds plain values; all else is a list that begins with its tag, and large bytes stand beside the text. The owner
names the classes of facts that answers are made of; their fields must have the declared types.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from math import prod
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from gradcli import errors
from gradcli.errors import GradcliError
from gradcli.source import Source, Span

NUMBERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")  # in arrays
# A value of each type that JSON holds as it is; where it fits a field, all of its type do.
SAMPLES: dict[type, Any] = {NoneType: None, bool: True, int: 10**400, float: float("inf"), str: ""}
SHARED = 2**12  # objects that writer and reader remember, for values that share them
LARGEST = 1e300  # the largest size of a number in facts: neither infinity nor nan
SMALL = 2**16  # bytes beside a text that may be kept, too
LONG = 2**12  # characters from which a text is sent as large bytes
MOST, MOST_PARTS = 2**24, 2**19  # bytes of the text of a value; lists, members of lists and fields in it
PLAIN = frozenset(SAMPLES)  # types of values that JSON holds as they are
QUICK = PLAIN - {str}  # types whose values are never long
ERRORS = {
    kind.__name__: kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, GradcliError)
}

Buffer = bytes | bytearray | memoryview


class UnfitError(Exception):
    """A value to be sent, or bytes that arrived, do not fit the format."""


@cache
def classes_in(hint: Any) -> tuple[type, ...]:
    """Return the classes of facts that values of a type are made of, in the same order in every process.

    A class may have others of its name beside it for a while, from which its methods were taken (`facts`).
    """
    classes: list[type] = []
    rest = [hint]
    while rest:
        kind = rest.pop()
        rest += get_args(kind)
        if not isinstance(kind, type) or kind in classes:
            continue
        if is_record(kind) or issubclass(kind, Enum):
            classes.append(kind)
            rest += get_type_hints(kind, include_extras=True).values() if is_record(kind) else ()
        elif kind.__module__.startswith(f"{__package__.partition('.')[0]}.") and not issubclass(kind, GradcliError):
            below = [x for x in kind.__subclasses__() if vars(sys.modules[x.__module__]).get(x.__name__) is x]
            rest += sorted(below, key=lambda subclass: subclass.__name__)
    for kind in classes:
        if is_record(kind):
            checks(kind)  # worked out now, and not once more in each process
    return tuple(classes)


def is_record(kind: type) -> bool:
    """Return whether a class has fields with types: a dataclass, or a tuple with names."""
    return is_dataclass(kind) or hasattr(kind, "_fields")


class Writer:
    """Writes values, one after the other, as a text and large bytes, for one reader.

    An object that several values share is written once; after many objects, writer and reader forget them all.
    """

    def __init__(self, kind: Any) -> None:
        self.known = {member: place for place, member in enumerate(classes_in(kind))}
        self.scalars: dict[type, str] = {}  # the types of numpy's numbers, each as the format has it
        self.begin()

    def begin(self) -> None:
        self.shared: list[Any] = []  # the objects that the reader has
        self.places: dict[int, int] = {}  # of them, by their id

    def written(self, value: Any) -> tuple[bytes, list[Buffer]]:
        """Return a value as a text and large bytes. Raises UnfitError for one that has no place in the format."""
        if len(self.shared) > SHARED:
            self.begin()
        self.buffers: list[Buffer] = []
        self.objects: list[Any] = []
        start = len(self.shared)
        try:
            root = self.node(value)
        except BaseException:  # the reader never gets the objects written so far
            self.begin()
            raise
        if sum(memoryview(buffer).nbytes for buffer in self.buffers) > SMALL:
            self.shared += [None] * SHARED  # forget the objects: their buffers are large
        text = json.dumps([start, *self.objects, root]).encode()
        if not is_bounded(text):
            self.begin()
            raise UnfitError("the answer has too many parts")
        return text, self.buffers

    def node(self, value: Any) -> Any:
        kind: Any = type(value)
        if kind is str and len(value) > LONG:
            return ["u", self.large(value.encode("utf-8", "surrogatepass"))]
        if kind in PLAIN:
            return value
        if kind is tuple or kind is list:
            return ["t" if kind is tuple else "l", *self.nodes(value)]
        if kind in self.known:
            if id(value) in self.places:
                return ["r", self.places[id(value)]]
            return ["n", self.known[kind], value.name] if isinstance(value, Enum) else ["r", self.place(kind, value)]
        if kind in self.scalars:
            return ["s", self.scalars[kind], value.item()]
        if kind is slice:
            return ["z", *self.nodes((value.start, value.stop, value.step))]
        if value is ...:
            return ["x"]
        if kind is dict:
            return ["d", *self.nodes(item for pair in value.items() for item in pair)]
        if kind in (bytes, bytearray, memoryview):
            return ["b", self.large(value)]
        if kind.__module__ == "numpy" and getattr(value, "dtype", None) is not None and value.dtype.str[1:] in NUMBERS:
            if kind.__name__ != "ndarray":
                self.scalars[kind] = value.dtype.str
                return self.node(value)
            return ["a", value.dtype.str, list(value.shape), self.large(value.tobytes())]
        if isinstance(value, str):  # markup arrives as a text, which its owner writes out and never trusts
            return self.node(str.__str__(value))
        if isinstance(value, GradcliError):
            name = next(item.__name__ for item in kind.__mro__ if item in ERRORS.values())
            place = [value.source.name, value.source.text] if value.source else []
            return ["e", name, value.code, value.message, value.label, value.help, list(value.span or ()), *place]
        raise UnfitError(f"a {kind.__name__} is no data")

    def nodes(self, values: Iterable[Any]) -> list[Any]:
        return [value if type(value) in QUICK else self.node(value) for value in values]

    def place(self, kind: type, value: Any) -> int:
        facts = [getattr(value, name) for name, *_ in checks(kind)]
        self.objects.append([self.known[kind], *self.nodes(facts)])
        self.shared.append(value)
        self.places[id(value)] = place = len(self.shared) - 1
        return place

    def large(self, value: Buffer) -> int:
        self.buffers.append(value)
        return len(self.buffers) - 1


class Reader:
    """Reads what a writer has written, value after value."""

    def __init__(self, kind: Any) -> None:
        self.classes, self.is_fit = classes_in(kind), check(kind)
        self.objects: list[Any] = []

    def read(self, text: Buffer, buffers: Sequence[Buffer]) -> Any:
        """Return the value that a text and large bytes stand for. Raises UnfitError where it is not of the kind."""
        self.buffers = buffers
        if not is_bounded(bytes(text)):
            raise UnfitError("an answer without an end")
        try:
            start, *objects, root = json.loads(bytes(text))
            if start == 0:
                self.objects = []
            if start != len(self.objects) or len(self.objects) > SHARED:
                raise UnfitError("objects that nobody has")
            for place, *values in objects:
                self.objects.append(self.made(self.classes[place], values))
            value = self.value(root)
        except (ValueError, TypeError, LookupError, OverflowError, RecursionError, MemoryError) as error:
            raise UnfitError(str(error)) from None
        if not self.is_fit(value):
            raise UnfitError("another answer than was asked for")
        return value

    def value(self, node: Any) -> Any:
        if type(node) in PLAIN:
            return node
        if type(node) is not list:
            raise UnfitError("a table without its tag")
        tag = node[0]
        if tag == "r":
            return self.objects[node[1]]
        if tag == "b":
            return self.buffers[node[1]]
        if tag == "u":
            return str(self.buffers[node[1]], "utf-8", "surrogatepass")
        if tag in TAGS:
            return TAGS[tag](*node[1:])
        if tag == "n":
            return _constant(self.classes[node[1]], node[2])
        if tag == "a":
            return _array(node[1], node[2], self.buffers[node[3]])
        parts = [part if type(part) in PLAIN else self.value(part) for part in node[1:]]
        if tag == "z":
            return slice(*parts)
        if tag == "d":
            return dict(zip(parts[::2], parts[1::2], strict=True))
        if tag not in ("l", "t"):
            raise UnfitError("a tag that nobody wrote")
        return parts if tag == "l" else tuple(parts)

    def made(self, kind: type, nodes: list[Any]) -> Any:
        facts = {}
        for (name, types, is_fit), node in zip(checks(kind), nodes, strict=True):
            value = node if type(node) in PLAIN else self.value(node)
            if type(value) not in types and not is_fit(value):
                raise UnfitError(f"{kind.__name__}.{name} is no such thing")
            facts[name] = value
        if not is_dataclass(kind):
            return kind(**facts)
        made: Any = object.__new__(kind)
        if not hasattr(made, "__dict__"):
            for name, value in facts.items():
                object.__setattr__(made, name, value)
        else:
            made.__dict__.update(facts)
        return made


def is_bounded(text: bytes) -> bool:
    """Return whether reading a text takes a bounded memory, much more than the text itself as it may be."""
    return len(text) <= MOST and text.count(b"[") + text.count(b",") <= MOST_PARTS


def _constant(kind: type, name: str) -> Any:
    if not issubclass(kind, Enum):
        raise UnfitError("no constant")
    return kind[name]


def _array(dtype: str, shape: list[int], content: Buffer) -> Any:
    import numpy as np

    if dtype[1:] not in NUMBERS:
        raise UnfitError("no array of numbers")
    if not len(content) and prod(max(size, 1) for size in shape) > MOST:  # beside a 0 other sizes take no bytes
        raise UnfitError("an array of too many rows")
    return np.frombuffer(content, np.dtype(dtype)).reshape(shape).copy()


def _scalar(dtype: str, value: Any) -> Any:
    import numpy as np

    if dtype[1:] not in NUMBERS or type(value) not in (bool, int, float):
        raise UnfitError("no number")
    return np.dtype(dtype).type(value)


def _error(name: str, code: str, message: str, label: str, help: str, span: list[int], *place: str) -> GradcliError:
    if not all(isinstance(text, str) for text in (code, message, label, help, *place)):
        raise UnfitError("an error is texts")
    source = Source(place[1], place[0]) if place else None
    start, end = span or (0, 0)
    if not 0 <= start <= end <= (len(source.text) if source else 2**31):
        raise UnfitError("an error outside of its text")
    facts = {"code": code, "message": message, "label": label, "help": help, "source": source}
    return errors.restored(ERRORS[name], (message,), {**facts, "span": Span(start, end) if span else None})


TAGS: dict[str, Callable[..., Any]] = {"s": _scalar, "e": _error, "x": lambda: ...}


@cache
def checks(kind: type) -> tuple[tuple[str, tuple[type, ...], Callable[[Any], bool]], ...]:
    """Return the fields of a class of facts, each with the types that always fit, and a test for other values."""
    if not is_record(kind):
        raise UnfitError("no class of facts")
    hints: dict[str, Any] = get_type_hints(kind, include_extras=True)
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else kind._fields  # type: ignore[attr-defined]
    return tuple((name, *_fitting(hints[name])) for name in names)


def _fitting(hint: Any) -> tuple[tuple[type, ...], Callable[[Any], bool]]:
    is_fit = check(hint)
    return tuple(kind for kind, sample in SAMPLES.items() if is_fit(sample)), is_fit


@cache
def check(hint: Any) -> Callable[[Any], bool]:
    """Return a function that tells whether a value is of a type."""
    kind, inner = NoneType if hint is None else get_origin(hint) or hint, get_args(hint)
    if kind is Any:
        return lambda value: True
    if kind is Annotated:
        choice = inner[-1]  # the allowed texts, or a test
        if type(choice) is frozenset:
            return lambda value: type(value) is str and value in choice
        return choice if callable(choice) and not isinstance(choice, type) else check(inner[0])
    if kind is Literal:
        return lambda value: type(value) is str and value in inner
    if kind in (Union, UnionType):
        each = [check(hint_part) for hint_part in inner]
        return lambda value: any(is_fit(value) for is_fit in each)
    if kind is tuple and inner[-1] is not ...:
        each = [check(hint_part) for hint_part in inner]
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
        return lambda value: isinstance(value, float | int) and -LARGEST < value < LARGEST
    return lambda value: isinstance(value, kind)
