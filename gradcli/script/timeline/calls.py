"""The operations that a snippet calls, for which torch takes several applications at times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from inspect import Parameter
from itertools import groupby
from typing import Any
from weakref import ref

import numpy as np

from gradcli.engine.graph import Node
from gradcli.engine.recorder import Application
from gradcli.engine.symbolic.formula import literal
from gradcli.engine.tensor import Tensor
from gradcli.facts import dataclass
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Argument, Binary, Call, Expression, Index, List, Name, Tuple
from gradcli.ops.support.surface import Called
from gradcli.script.timeline.names import node_of

Held = Callable[[], Any]  # a reference that may be weak


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Applications that are shown as one, by their places.

    `call` is the operation that took all of them, if one did, with numbers for `tensors`.
    """

    places: tuple[int, ...]
    call: Expression | None = None
    tensors: tuple[Tensor, ...] = ()


def argument(x: Tensor, arguments: Sequence[Tensor]) -> Tensor:
    """Return the argument of a call that an input is; torch may have converted it, labels to integers."""
    if any(x is tensor for tensor in arguments):
        return x
    return next((tensor for tensor in arguments if np.array_equal(tensor.value, x.value)), x)


def pieces(applications: Sequence[Application], calls: Sequence[Called | None]) -> Iterator[Piece]:
    """Yield the operations of some applications, in the order of the last application of each."""
    start = 0
    for call, run in groupby(calls):
        count = len(list(run))
        if call is None or count == 1:
            yield from (Piece((place,)) for place in range(start, start + count))
        else:
            yield from _parted(applications[start : start + count], call, start)
        start += count


def _parted(applications: Sequence[Application], call: Called, start: int) -> Iterator[Piece]:
    from gradcli.explanation.wholes.rules import together

    expression, tensors = call_expression(call)
    values = {str(place): tensor.value for place, tensor in enumerate(tensors)}
    last = together(applications, expression, values)
    is_whole = len(set(last)) == 1
    for end in sorted(set(last)):
        places = tuple(start + place for place, other in enumerate(last) if other == end)
        yield Piece(places, expression, tuple(tensors)) if is_whole else Piece(places)


def call_expression(call: Called) -> tuple[Expression | None, list[Tensor]]:
    """Return a call as an expression over numbers that stand for tensors; None for arguments that have no text."""
    tensors: list[Tensor] = []

    def tree(value: Any) -> Expression:
        if isinstance(value, Tensor):
            place = next((place for place, tensor in enumerate(tensors) if tensor is value), len(tensors))
            if place == len(tensors):
                tensors.append(value)
            return Name(str(place))
        if isinstance(value, list | tuple) and any(isinstance(x, Tensor) for x in value):
            return (List if isinstance(value, list) else Tuple)(tuple(map(tree, value)))
        return literal(value)

    try:
        if call.operation.name == "matmul":
            left, right = call.arguments.values()
            return Binary("@", tree(left), tree(right)), tensors
        if call.operation.name == "index":
            value, items = call.arguments.values()
            return Index(tree(value), tuple(map(tree, items if isinstance(items, tuple) else (items,)))), tensors
        return Call(call.operation.name, tuple(arguments(call, tree))), tensors
    except (TypeError, ValueError, AttributeError):
        return None, []


def arguments(call: Called, tree: Callable[[Any], Expression]) -> list[Argument]:
    """Return the arguments of a call that differ from the defaults; options, and those after a gap, by keyword."""
    written_arguments: list[Argument] = []
    is_by_place = True
    given = call.arguments
    for name, parameter in call.operation.parameters.items():
        value = given[name]
        if parameter.kind is Parameter.VAR_POSITIONAL:
            written_arguments.extend(Argument(tree(item)) for item in value)
        elif not isinstance(value, Tensor) and value is parameter.default:
            is_by_place = False
        else:
            is_needed = parameter.default is Parameter.empty or isinstance(value, Tensor)
            is_by_place = is_by_place and is_needed and parameter.kind is not Parameter.KEYWORD_ONLY
            if isinstance(value, Tensor) or value != parameter.default:
                written_arguments.append(Argument(tree(value), None if is_by_place else name))
    return written_arguments


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A piece as the graph keeps it, which holds no nodes alive: `members` are its applications but the last."""

    members: tuple[Held, ...]
    call: Expression | None
    operands: tuple[Held, ...]


def with_operands(call: Expression, operands: Sequence[Expression]) -> Expression:
    return substitute(call, {str(place): operand for place, operand in enumerate(operands)})


def group_of(piece: Piece, applications: Sequence[Application]) -> tuple[Node, Group] | None:
    """Return the last node of a piece and its group; None where the piece cannot be followed in the graph."""
    *members, last = (applications[place] for place in piece.places)
    free = [member for member in members if not isinstance(node_of(member.out), Node)]
    node = node_of(last.out)
    if not members or not isinstance(node, Node) or not all(map(is_outside, free)):
        return None
    return node, Group(tuple(map(_member, members)), piece.call, tuple(map(_operand, piece.tensors)))


def is_outside(application: Application) -> bool:
    """Return whether no input of an application has a place in the graph."""
    return all(node_of(x) is None for x in application.inputs if isinstance(x, Tensor))


def _member(application: Application) -> Held:
    node = node_of(application.out)
    return (lambda: application) if node is None else ref(node)


def _operand(tensor: Tensor) -> Held:
    node = node_of(tensor)
    return (lambda: tensor) if node is None else ref(node)
