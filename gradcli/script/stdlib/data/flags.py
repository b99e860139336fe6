"""`enum.Flag`: enumerations whose members are bits, and are combined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.stdlib.data.enumerations import PLAIN, Enum, members

COMBINED = " combined"  # where a class keeps what its members are combined to


class Flag(Enum):
    """The parent of enumerations of bits."""

    @classmethod
    def _missing_(cls, value: Any) -> Any:
        """Return what members are combined to."""
        return combined(cls, value)

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[Any]) -> Any:
        """Return the bit after the highest so far."""
        return 1 << max(last_values, default=0).bit_length()

    @staticmethod
    def _is_listed(member: Any) -> bool:
        """Whether it has one bit."""
        return bool(member.value.bit_count() == 1)

    def __iter__(self) -> Iterator[Any]:
        return (member for member in single(type(self)) if member.value & self.value)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, other: Any) -> bool:
        if not isinstance(other, type(self)):
            words = "unsupported operand type(s) for 'in': {!r} and {!r}"
            raise TypeError(words.format(type(other).__qualname__, type(self).__qualname__))
        return bool(other.value & self.value == other.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __or__(self, other: Any) -> Any:
        return combined(type(self), self.value | other.value) if isinstance(other, type(self)) else NotImplemented

    def __and__(self, other: Any) -> Any:
        return combined(type(self), self.value & other.value) if isinstance(other, type(self)) else NotImplemented

    def __xor__(self, other: Any) -> Any:
        return combined(type(self), self.value ^ other.value) if isinstance(other, type(self)) else NotImplemented

    def __invert__(self) -> Any:
        return combined(type(self), every(type(self)) & ~self.value)

    def __hash__(self) -> int:
        return hash(self.value)

    def __str__(self) -> str:
        kind = type(self).__name__
        return f"{kind}({self.value})" if self.name is None else f"{kind}.{self.name}"

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"<{kind}: {self.value}>" if self.name is None else f"<{kind}.{self.name}: {self.value}>"


def namespace(name: str) -> Namespace:
    """`enum`."""
    return Namespace(name, {**PLAIN, "Flag": Flag})


def single(kind: type) -> list[Any]:
    """Return the members of one bit."""
    return [member for member in dict.fromkeys(members(kind).values()) if member.value.bit_count() == 1]


def every(kind: type) -> int:
    return sum(member.value for member in single(kind))


def combined(kind: Any, value: Any) -> Any:
    """Return the member with these bits, which is made once."""
    if not isinstance(value, int):
        raise ValueError(f"{value!r} is not a valid {kind.__qualname__}")
    if value & ~every(kind):
        raise UnsupportedError("a flag of bits that have no name is not supported here", python=ValueError)
    known = vars(kind).get(COMBINED)
    if known is None:
        known = {}
        type.__setattr__(kind, COMBINED, known)
    if value not in known:
        named = next((member for member in members(kind).values() if member.value == value), None)
        known[value] = named or _made(kind, value)
    return known[value]


def _made(kind: Any, value: int) -> Any:
    made = object.__new__(kind)
    names = [member.name for member in single(kind) if member.value & value]
    vars(made).update(_name_="|".join(names) or None, _value_=value)
    return made
