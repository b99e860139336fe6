"""The syntax tree of an expression program: frozen dataclasses, each with the span of text it came from.

Programs may be deep (a sum of 20,000 terms is a tree 20,000 levels high), so nothing here recurses: `postorder` and
`fold` are the two ways to walk a tree, and `==` uses them. Two trees are equal when they read the same; spans do not
count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from operator import attrgetter
from types import EllipsisType
from typing import Any, NamedTuple, TypeVar

from gradcli.facts import dataclass
from gradcli.source import Source, Span

T = TypeVar("T")
Children = Callable[[Any], tuple["Expression", ...]]

NOWHERE = Span(0, 0)  # of a tree that was built and not read
HASHED = 40  # types and contents of nodes that go into a hash


class Expression:
    """A node of the tree."""

    __slots__ = ()
    span: Span

    def payload(self) -> tuple[object, ...]:
        """Return the content of the node besides its children, as one comparable value."""
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and same(self, other)

    def __hash__(self) -> int:
        met: list[object] = []
        waiting = [self]
        while waiting and len(met) < HASHED:  # of long trees these tell most apart
            node = waiting.pop()
            met.extend((type(node), node.payload()))
            waiting.extend(children(node))
        return hash(tuple(met))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.payload()!r} at {self.span.start}:{self.span.end}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Number(Expression):
    """A number as written; never negative (a minus sign is a `Unary`)."""

    value: int | float
    span: Span = NOWHERE

    def payload(self) -> tuple[object, ...]:
        return (type(self.value), repr(self.value))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Literal(Expression):
    """`True`, `False`, `None`, `...` or a string."""

    value: bool | str | EllipsisType | None
    span: Span = NOWHERE

    def payload(self) -> tuple[object, ...]:
        return (type(self.value), self.value)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Name(Expression):
    """A name, of a variable or of something computed."""

    id: str
    span: Span = NOWHERE

    def payload(self) -> tuple[object, ...]:
        return (self.id,)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Unary(Expression):
    """`operator` is `-` or `+`."""

    operator: str
    operand: Expression
    span: Span = NOWHERE

    def payload(self) -> tuple[object, ...]:
        return (self.operator,)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Binary(Expression):
    """`operator` is one of `+ - * / // % @ **`; on a page `⊙` is the `*` of tensors."""

    operator: str
    left: Expression
    right: Expression
    span: Span = NOWHERE

    def payload(self) -> tuple[object, ...]:
        return (self.operator,)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Compare(Expression):
    """`operator` is one of `< <= > >= == !=`."""

    operator: str
    left: Expression
    right: Expression
    span: Span = NOWHERE

    def payload(self) -> tuple[object, ...]:
        return (self.operator,)


class Argument(NamedTuple):
    """One argument of a call; `keyword` is None for a positional one."""

    value: Expression
    keyword: str | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Call(Expression):
    """`function(arguments)`; `name_span` is the function's name alone."""

    function: str
    arguments: tuple[Argument, ...]
    span: Span = NOWHERE
    name_span: Span = NOWHERE

    def payload(self) -> tuple[object, ...]:
        return (self.function, tuple(argument.keyword for argument in self.arguments))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Method(Expression):
    """`receiver.name(arguments)`."""

    receiver: Expression
    name: str
    arguments: tuple[Argument, ...]
    span: Span = NOWHERE
    name_span: Span = NOWHERE

    def payload(self) -> tuple[object, ...]:
        return (self.name, tuple(argument.keyword for argument in self.arguments))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Attribute(Expression):
    """`value.name`, such as `A.T`."""

    value: Expression
    name: str
    span: Span = NOWHERE
    name_span: Span = NOWHERE

    def payload(self) -> tuple[object, ...]:
        return (self.name,)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Slice(Expression):
    """`start:stop:step` inside an index; a part that is not written is None."""

    start: Expression | None
    stop: Expression | None
    step: Expression | None = None
    span: Span = NOWHERE

    def payload(self) -> tuple[object, ...]:
        return (self.start is None, self.stop is None, self.step is None)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Index(Expression):
    """`value[items]`; an item is an expression, a `Slice`, or the literals `None` and `...`."""

    value: Expression
    items: tuple[Expression, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class List(Expression):
    """`[items]`"""

    items: tuple[Expression, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tuple(Expression):
    """`(items)`"""

    items: tuple[Expression, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Statement:
    """`target = value`, or a bare expression when `target` is None."""

    target: str | None
    value: Expression
    span: Span = field(default=NOWHERE, compare=False)
    target_span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Program:
    """Statements in the order in which they run, and the text that they were read from."""

    statements: tuple[Statement, ...]
    source: Source = field(default=Source(""), compare=False)


_NONE: Children = lambda node: ()  # noqa: E731
_CHILDREN: dict[type, Children] = {
    Number: _NONE,
    Literal: _NONE,
    Name: _NONE,
    Binary: attrgetter("left", "right"),
    Compare: attrgetter("left", "right"),
    Unary: lambda node: (node.operand,),
    Call: lambda node: tuple(argument.value for argument in node.arguments),
    Method: lambda node: (node.receiver, *(argument.value for argument in node.arguments)),
    Attribute: lambda node: (node.value,),
    Index: lambda node: (node.value, *node.items),
    Slice: lambda node: tuple(part for part in (node.start, node.stop, node.step) if part is not None),
    List: attrgetter("items"),
    Tuple: attrgetter("items"),
}


def children(node: Expression) -> tuple[Expression, ...]:
    """The sub-expressions of a node, in the order in which they are evaluated."""
    return _CHILDREN[type(node)](node)


def postorder(root: Expression) -> Iterator[Expression]:
    """Every node below and including `root`, children before their parent, left to right."""
    stack, visited = [root], []
    while stack:  # parents first and right to left, which backwards is postorder
        node = stack.pop()
        visited.append(node)
        stack.extend(_CHILDREN[type(node)](node))
    return reversed(visited)


def fold(root: Expression, combine: Callable[[Expression, Sequence[T]], T]) -> T:
    """Compute a value bottom-up: `combine` gets each node with the values of its children."""
    values: list[T] = []
    for node in postorder(root):
        first = len(values) - len(_CHILDREN[type(node)](node))
        values[first:] = [combine(node, values[first:])]
    return values[0]


def same(first: Expression, second: Expression) -> bool:
    """Return whether two trees read the same."""
    stack = [(first, second)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        if type(a) is not type(b) or a.payload() != b.payload():
            return False
        below_a, below_b = children(a), children(b)
        if len(below_a) != len(below_b):
            return False
        stack.extend(zip(below_a, below_b, strict=True))
    return True


def names(root: Expression) -> frozenset[str]:
    """The names that an expression reads."""
    return frozenset(node.id for node in postorder(root) if isinstance(node, Name))
