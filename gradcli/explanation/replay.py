"""The same operations at another point: what a later pass of a loop computed, of which values alone were kept."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import numpy as np

from gradcli.errors import GradcliError
from gradcli.explanation.build import explain
from gradcli.explanation.model import Explanation, Value
from gradcli.explanation.refusals import FAILURES
from gradcli.language.tree import Expression, List, Name, Number, Program, Statement, Unary


def replayed(explanation: Explanation, values: Mapping[str, Value]) -> Explanation | None:
    """Return an explanation with other values of its variables; None where it cannot be computed again."""
    variables = explanation.variables
    statements = [
        Statement(node.id, node.expression if node.kind == "op" else literal(node.value))
        for node in explanation.nodes
        if node not in variables and node.expression != Name(node.id)
    ]
    point = {node.id: values.get(node.id, node.value) for node in variables}
    wrt = [node.id for node in variables if node.requires_grad]
    dtype = np.dtype(explanation.value.dtype)
    with suppress(GradcliError, *FAILURES):
        replay = explain(Program(tuple(statements)), point, wrt=wrt, of=explanation.output, dtype=dtype)
        if {node.id for node in explanation.nodes if node.kind == "op"} <= {node.id for node in replay.nodes}:
            return replay
    return None


def literal(value: Value) -> Expression:
    """Return a value as an expression."""
    if np.ndim(value):
        return List(tuple(literal(entry) for entry in value))
    number = float(value)
    return Unary("-", Number(-number)) if number < 0 else Number(number)
