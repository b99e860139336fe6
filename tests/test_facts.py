"""Dataclasses that are put together late are what the standard library's are."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from itertools import product
from typing import Any, ClassVar

import pytest

from gradcli.facts import Placeholder, dataclass, with_placeholders


@dataclass(frozen=True, slots=True)
class Point:
    """A point, with a slot for each coordinate."""

    unit: ClassVar[str] = "cm"
    x: float
    y: float = 2.0
    tags: list[str] = field(default_factory=list, compare=False)


@dataclass(frozen=True, slots=True)
class Space(Point):
    """A point in space, which has another default."""

    y: float = 3.0
    z: float = 4.0


@dataclass
class Box:
    """A box that can change."""

    width: float
    parts: list[str] = field(default_factory=list, repr=False)

    def area(self) -> float:
        return self.width**2


class Crate(Box):
    """No dataclass itself, with an `__init__` that is not called twice."""

    made = 0

    def __init__(self) -> None:
        type(self).made += 1
        super().__init__(5.0)


OPTIONS = ("frozen", "slots", "kw_only", "eq", "repr")


def behaviour(kind: Any) -> dict[str, Any]:
    """Return what can be seen of a class of two numbers and its instances."""
    pair, other = kind(x=1.0), kind(x=1.0, y=2.0)

    def attempt(action: Any) -> object:
        try:
            return action()
        except (TypeError, AttributeError) as error:
            return type(error)

    return {
        "fields": [(entry.name, entry.type, entry.default) for entry in dataclasses.fields(kind)],
        "match": kind.__match_args__,
        "text": repr(pair).partition(" object at ")[0].rpartition(".")[2],
        "equal": (pair == other, pair == kind(x=3.0), pair == 1),
        "hash": attempt(lambda: hash(pair) == hash(other)),
        "positional": attempt(lambda: kind(1.0).x),
        "few": attempt(kind),
        "set": attempt(lambda: setattr(pair, "x", 5.0)),
        "delete": attempt(lambda: delattr(other, "x")),
        "more": isinstance(attempt(lambda: setattr(other, "z", 5.0)), type),
        "replaced": dataclasses.replace(kind(x=1.0), y=7.0).y,
    }


@pytest.mark.parametrize("values", list(product((False, True), repeat=len(OPTIONS))))
def test_a_dataclass_is_what_the_standard_library_makes(values: tuple[bool, ...]) -> None:
    options = dict(zip(OPTIONS, values, strict=True))

    def pair() -> type:
        annotations = {"x": "float", "y": "float", "unit": "ClassVar[str]"}
        return type("Pair", (), {"__annotations__": annotations, "y": 2.0, "unit": "cm", "__doc__": "Two numbers."})

    assert behaviour(with_placeholders(pair(), options)) == behaviour(dataclasses.dataclass(**options)(pair()))


def test_nothing_is_made_before_it_is_needed() -> None:
    @dataclass(frozen=True, slots=True)
    class Late:
        x: int = 1

    def left() -> set[str]:
        return {name for name, value in vars(Late).items() if isinstance(value, Placeholder)}

    assert "__init__" in left()
    assert Late().x == 1
    assert left() == {"__repr__", "__eq__", "__hash__"}
    assert repr(Late()).endswith("Late(x=1)")
    assert left() == {"__eq__", "__hash__"}
    assert Late() == Late()
    assert not left()


def test_what_can_change_has_no_hash() -> None:
    @dataclass
    class Open:
        x: int = 1

    with pytest.raises(TypeError):
        hash(Open())


def test_what_is_inherited() -> None:
    space = Space(1.0)
    assert (space, space.unit) == (Space(1.0, 3.0, [], 4.0), "cm")
    assert [entry.name for entry in dataclasses.fields(Space)] == ["x", "y", "tags", "z"]
    assert not hasattr(space, "__dict__")
    assert isinstance(space, Hashable)


def test_copies_and_pickles() -> None:
    for fact in (Space(1.0, 2.0, ["a"]), Box(2.0, ["lid"])):
        assert pickle.loads(pickle.dumps(fact)) == copy.copy(fact) == copy.deepcopy(fact) == fact
        assert dataclasses.asdict(fact) == {entry.name: getattr(fact, entry.name) for entry in dataclasses.fields(fact)}


def test_a_class_that_calls_the_first_init() -> None:
    assert (Crate().area(), Crate.made) == (25.0, 1)


def test_a_frozen_fact_says_what_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"Point\.x cannot be changed"):
        Point(1.0).x = 2.0  # type: ignore[misc]


def test_threads_may_meet_a_class_at_once() -> None:
    for _ in range(50):
        kind = with_placeholders(type("Number", (), {"__annotations__": {"x": "int"}}), {"frozen": True})
        with ThreadPoolExecutor(8) as pool:
            assert [number.x for number in pool.map(kind, range(8))] == list(range(8))
