"""Operations as expressions: each in the notation of its primitive, over the names of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.graph import Node
from gradcli.engine.primitive import Primitive
from gradcli.engine.recorder import Application
from gradcli.engine.symbolic.formula import Formula, literal
from gradcli.engine.tensor import Tensor
from gradcli.explanation.lines import Line
from gradcli.facts import dataclass
from gradcli.language.tree import NOWHERE, Expression, Name
from gradcli.language.unparser import unparse
from gradcli.ops.support.surface import Called
from gradcli.script.timeline.calls import Piece, argument, pieces, with_operands
from gradcli.script.timeline.model import Made, Wrote
from gradcli.script.timeline.names import Target, TensorNames


@dataclass(frozen=True, slots=True, eq=False)
class Done:
    """An application as it ran: the node that it made, and the value."""

    application: Application
    call: Called | None
    node: Target | None
    value: Any


def made_values(names: TensorNames, done: Sequence[Done], place: tuple[Any, ...]) -> tuple[Made, ...]:
    """Return the facts of some applications; nameless data are named after the place."""
    applications, calls = [operation.application for operation in done], [operation.call for operation in done]
    values = [_made(names, operation, place) for operation in done]
    for piece in pieces(applications, calls):
        *parts, last = piece.places
        if parts:
            call = as_called(names, [applications[number] for number in piece.places], piece)
            values[last] = replace(values[last], whole=call)
            for part in parts:
                values[part] = replace(values[part], inserted=True, part_of=values[last].name)
    return tuple(values)


def as_called(names: TensorNames, applications: Sequence[Application], piece: Piece) -> Wrote | None:
    """Return the operation that several applications are; None where it is clearer in steps."""
    from gradcli.explanation.wholes.rules import Group

    lines: dict[int, Line] = {}

    def line(x: Any) -> Line:
        if not isinstance(x, Tensor):
            return Line("", Tensor(np.asarray(x)[()]), literal(x), NOWHERE)
        if id(x) not in lines:
            given = argument(x, piece.tensors)
            tree = names.expression(given)
            lines[id(x)] = Line(unparse(tree), given, tree, NOWHERE, is_variable=isinstance(tree, Name))
        return lines[id(x)]

    for number, application in enumerate(applications):
        inputs = tuple(map(line, application.inputs))
        tree = notation(application.primitive, application.inputs, application.options, [x.spelling for x in inputs])
        result_name = f" {number}"  # the snippet may call the result as it calls an input
        lines[id(application.out)] = Line(result_name, application.out, tree, NOWHERE, application, inputs)
    *parts, last = (lines[id(application.out)] for application in applications)
    called = piece.call and with_operands(piece.call, [line(x).spelling for x in piece.tensors])
    joint_line = Group([*parts, replace(last, whole=called)], "g", None).whole()
    return None if joint_line is None else Wrote(joint_line.expression, joint_line.op, joint_line.grad_fn)


def _made(names: TensorNames, done: Done, place: tuple[Any, ...]) -> Made:
    application, node = done.application, done.node
    out = application.out
    operands = [
        names.expression(x, *place, names.get(out), position) if isinstance(x, Tensor) else literal(x)
        for position, x in enumerate(application.inputs)
    ]
    return Made(
        names.get(out) or "",
        notation(application.primitive, application.inputs, application.options, operands),
        application.primitive.name,
        node.short_name if isinstance(node, Node) else None,
        out.shape,
        str(out.dtype),
        done.value,
    )


def notation(
    primitive: Primitive, inputs: Sequence[Any], options: dict[str, Any], operands: Sequence[Expression]
) -> Expression:
    """Return the expression of an application over the expressions of its inputs."""
    formulas = [
        Formula(tree, x.value if isinstance(x, Tensor) else x) for tree, x in zip(operands, inputs, strict=True)
    ]
    return primitive.notation(formulas, options)
