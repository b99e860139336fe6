"""What a gradient means: how the output changes with a small step of a leaf, by the gradient and computed again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from math import floor, log10

import numpy as np

from gradcli.errors import GradcliError
from gradcli.explanation.build import explain
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.lines import FAILURES
from gradcli.explanation.model import Explanation, Value
from gradcli.explanation.values import Variables
from gradcli.facts import dataclass
from gradcli.language.tree import Expression, List, Name, Number, Program, Statement, Unary

# The same operations at another point: what a later pass of a loop computed, of which values alone were kept.


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


STEP = 0.01
MOST = 12  # leaves that take a step


@dataclass(frozen=True, slots=True)
class Meaning:
    """A step of a leaf, or of one of its entries: the change of the output by the gradient, and the computed change."""

    leaf: str
    entry: tuple[int, ...]
    step: float
    predicted: float
    actual: float


def meanings(explanation: Explanation) -> Iterator[Meaning]:
    """Yield the meaning of the gradient by each leaf; for a tensor, by its entry with the largest gradient."""
    program = explanation.parsed
    if not program.statements or np.ndim(explanation.value) or not explanation.is_seed_one or explanation.sizes:
        return
    variables = Variables.of(program)
    values = {node.name: node.value for node in explanation.nodes if node.name in variables.places}
    targets = {statement.target for statement in program.statements}
    of = explanation.output if explanation.output in targets else None
    for leaf in explanation.leaves[:MOST]:
        gradient = leaf.gradient
        if gradient is None or leaf.name not in values or not np.size(gradient) or not np.all(np.isfinite(gradient)):
            continue
        entry = tuple(map(int, np.unravel_index(np.argmax(np.abs(gradient)), np.shape(gradient))))
        step = small(float(np.asarray(values[leaf.name])[entry]))
        with suppress(GradcliError, *FAILURES), np.errstate(all="ignore"):
            point = values | {leaf.name: stepped(values[leaf.name], entry, step)}
            evaluation = evaluate(program, point, wrt=[], of=of, dtype=np.dtype(np.float64), variables=variables)
            if evaluation.output is None:
                continue
            actual = float(evaluation.output.value) - float(explanation.value)
            yield Meaning(leaf.name, entry, step, float(np.asarray(gradient)[entry]) * step, actual)


def small(value: float) -> float:
    """Return a step that is small beside a value."""
    size = abs(value)
    return STEP if not size or not np.isfinite(size) or 0.1 <= size < 100 else STEP * 10.0 ** floor(log10(size))


def stepped(value: Value, entry: tuple[int, ...], step: float) -> Value:
    """Return a value of which one entry has taken the step."""
    changed_value = np.array(value, dtype=np.float64)
    changed_value[entry] += step
    return changed_value
