"""Dataclasses that cost the import of their module next to nothing: they are put together when they are first used.

    from gradcli.facts import dataclass

The standard library writes and compiles up to six methods for a dataclass. Most commands import twice as many classes
as they use, and need few of the methods; they would spend a quarter of their own time on that. Here a class has
placeholders for what is to be made; whoever reads one of them, the first instance above all, has the standard library
make it.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable
from itertools import chain
from threading import RLock
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(kind: type | None = None, /, **options: Any) -> Any:
        """Make a dataclass, as `dataclasses.dataclass` does with the same options."""
        return with_placeholders(kind, options) if kind else lambda kind: with_placeholders(kind, options)


FACTS = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
INIT, REPR, EQ = ("__init__", *FACTS), ("__repr__",), ("__eq__", "__hash__")  # what is made together
LEFT_OUT = {INIT: ("repr", "eq"), REPR: ("init", "eq"), EQ: ("init", "repr")}
COMPLETING = RLock()  # two threads may meet a class at once


class Completion:
    """How a class gets what its placeholders stand for: from the same class as the standard library makes it."""

    def __init__(self, kind: type, template: type, options: dict[str, Any]) -> None:
        self.kind, self.template, self.options = kind, namespace(template), options
        groups = [group for group in LEFT_OUT if options.get(group[0].strip("_"), True)]  # without an eq=False
        self.left = {group: [name for name in group if vars(kind).get(name) is None] for group in groups}

    def complete(self, wanted: str) -> None:
        """Make what a placeholder stands for, if it is still one, and what is made beside it."""
        with COMPLETING:
            for group, names in self.left.items():
                if wanted in names:
                    self.make(names, self.options | dict.fromkeys(LEFT_OUT[group], False))
                    self.left[group] = []

    def make(self, names: list[str], options: dict[str, Any]) -> None:
        bare = type(self.kind)(self.kind.__name__, self.kind.__bases__, self.template.copy())
        complete = vars(dataclasses.dataclass(**options)(bare))
        defaults = [name for name, value in vars(self.kind).items() if isinstance(value, dataclasses.Field)]
        for name in names + defaults:
            if name in complete:
                setattr(self.kind, name, complete[name])
            else:
                delattr(self.kind, name)


class Placeholder:
    """An attribute that is to be made when it is read."""

    def __init__(self, completion: Completion, name: str) -> None:
        self.completion, self.name = completion, name

    def __get__(self, instance: object, owner: type) -> Any:
        self.completion.complete(self.name)
        attribute = getattr(self.completion.kind, self.name)
        is_plain = instance is None or attribute is None or self.name in FACTS  # None: what can change has no hash
        return attribute if is_plain else attribute.__get__(instance, owner)


def with_placeholders(kind: type, options: dict[str, Any]) -> type:
    """Return a class, made anew where it is to have slots, with a placeholder for each thing that it lacks."""
    template = kind
    if options.get("slots"):
        kind, options = slotted(kind), options | {"slots": False}
    completion = Completion(kind, template, options)
    for name in chain.from_iterable(completion.left.values()):
        setattr(kind, name, Placeholder(completion, name))
    if options.get("frozen"):
        kind.__setattr__ = kind.__delattr__ = refuse_change  # type: ignore[assignment]
    return kind


def slotted(kind: type) -> type:
    """Return a class with a slot for each of its own fields, and a state that pickle can set though it is frozen."""
    attributes = namespace(kind)
    inherited = {name for base in kind.__mro__[1:] for name in vars(base).get("__slots__", ())}
    annotations = attributes.get("__annotations__", {})
    fields = [name for name, annotation in annotations.items() if not annotation.startswith("ClassVar")]
    for name in fields:
        attributes.pop(name, None)  # a default, which the template keeps
    state = {"__getstate__": state_of, "__setstate__": set_state}
    slots = tuple(name for name in fields if name not in inherited)
    new_class = type(kind)(kind.__name__, kind.__bases__, state | attributes | {"__slots__": slots})
    new_class.__qualname__ = kind.__qualname__
    return new_class


def state_of(fact: Any) -> list[Any]:
    """Return the values of a dataclass with slots, for pickle and copy."""
    return [getattr(fact, field.name) for field in dataclasses.fields(fact)]


def set_state(fact: Any, values: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(fact), values, strict=True):
        object.__setattr__(fact, field.name, value)


def namespace(kind: type) -> dict[str, Any]:
    """Return what the statement of a class made, without what Python and this module added."""
    added = ("__dict__", "__weakref__")
    return {
        name: value
        for name, value in vars(kind).items()
        if not (name in added or isinstance(value, Placeholder) or value is refuse_change)
    }


def refuse_change(fact: object, name: str, *_: object) -> NoReturn:
    """Refuse to set or delete an attribute of a frozen dataclass."""
    raise dataclasses.FrozenInstanceError(f"{type(fact).__name__}.{name} cannot be changed: facts are frozen")


class Table(defaultdict[str, list[Any]]):
    """Functions by name, each of which is put in where it is defined: `@FORMS.of("log")`."""

    def __init__(self) -> None:
        super().__init__(list)

    def of(self, *names: str) -> Callable[[Any], Any]:
        """Put a function in under each of the names."""

        def put(function: Any) -> Any:
            for name in names:
                self[name].append(function)
            return function

        return put
