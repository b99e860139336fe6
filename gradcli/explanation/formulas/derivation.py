"""The chain rule as formulas: every primitive's rule, read over Formulas instead of numbers.

`Edges` reads each rule once per edge: the local derivative in terms of the names of nodes. `Derivation` runs the whole
backward pass again over formulas in terms of the leaves, so that each leaf gets its gradient as one expression. A
vector-Jacobian product is linear in `g`, so a division by a number is carried along outside:
`(X.T @ (2*(X @ w - y)))/3` and not `X.T @ (2*(X @ w - y)/3)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.backward import Contribution
from gradcli.engine.broadcast import fit
from gradcli.engine.graph import Node as GraphNode
from gradcli.engine.symbolic.formula import Formula, literal
from gradcli.engine.tensor import Tensor
from gradcli.explanation.lines import Evaluation, Line, in_line
from gradcli.explanation.model import Local
from gradcli.facts import dataclass
from gradcli.language.tree import Argument, Binary, Call, Expression, Name, Number, names

LONGEST = 400  # nodes of a formula; beyond that nobody reads it
LARGEST_UPSTREAM = 64  # entries of an upstream gradient that is written out


@in_line
def locals_of(line: Line, upstream_name: str) -> dict[int, Local]:
    """Return the local derivatives of a line by the position of the input, for the inputs that require grad."""
    node, application = line.tensor.node, line.application
    if application is None or not isinstance(node, GraphNode):
        return {}
    primitive = application.primitive
    operands = [input_formula(x, value) for x, value in zip(line.inputs, application.inputs, strict=True)]
    result = Formula(Name(line.name), line.tensor.value)
    unit = line.tensor.dtype.type(1)
    shape = line.tensor.shape
    g = Formula(Name(upstream_name), np.broadcast_to(unit, shape) if shape else unit)
    locals_found = {}
    for position, (edge, rule) in enumerate(zip(node.edges, primitive.rules_for(node.edges), strict=False)):
        if edge is None or rule is None:
            continue
        flow = fit(rule(g, result, *operands, **application.options), operands[position])
        formula = value = None
        if not primitive.structured and operands[position].value.shape == shape:
            one_in = Formula(Number(1), unit)  # which a rule that passes the gradient on gives back
            slope = one_in if flow is g else rule(one_in, result, *operands, **application.options)
            formula, value = slope.tree, slope.value
            if shape:
                value = np.broadcast_to(value, shape)
            if type(formula) is not Name and not (value.any() if shape else value) and not names(formula):
                formula = Number(0)
            if shape and slope.shape != shape and names(formula):  # of a row that is copied, in the shape of the node
                formula = Call("expand", (Argument(formula), Argument(literal(shape))))
        locals_found[position] = Local(line.inputs[position].name, formula, value, flow.tree)
    return locals_found


def input_formula(line: Line, value: Any) -> Formula:
    """Return an input by its name, a plain number as it was written."""
    if isinstance(value, int | float):
        return Formula(line.written, value)
    return Formula(line.spelling, value.value)


@dataclass(frozen=True, slots=True)
class Adjoint:
    """A gradient as a formula over a number: `formula/divisor`."""

    formula: Formula
    divisor: float = 1

    @classmethod
    def of(cls, formula: Formula, divisor: float = 1) -> Adjoint:
        """Take a division by a number out of the formula."""
        tree = formula.tree
        if isinstance(tree, Binary) and tree.operator == "/" and isinstance(tree.right, Number):
            number = tree.right.value
            inner = None if formula.inner is None else cls.of(formula.inner).formula
            return cls(Formula(tree.left, formula.value * number, formula.size - 2, inner), divisor * number)
        return cls(formula, divisor)

    def undivided(self) -> Any:
        formula: Any = self.formula
        return formula if self.divisor == 1 else formula / self.divisor


class Derivation:
    """The gradient of every leaf as one formula in terms of the leaves, or None where it would be too long."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.inlined: dict[str, Formula | None] = {}
        for line in evaluation.lines:
            self.inlined[line.name] = self.inline(line)
        self.adjoints: dict[str, Adjoint | None] = {}

    @in_line
    def inline(self, line: Line) -> Formula | None:
        """Return the formula of a line in terms of the leaves; None where it would be too long."""
        if line.is_variable:
            return Formula(line.written, line.tensor.value)
        application = line.application
        if application is None:
            return short_or_none(Formula(line.written, line.tensor.value, max(1, line.tensor.value.size)))
        operands = self.operands(line)
        if operands is None:
            return None
        return short_or_none(application.primitive.formula(tuple(operands), application.options, line.tensor.value))

    def operands(self, line: Line) -> list[Formula] | None:
        """Return the inputs of a line in terms of the leaves."""
        assert line.application is not None
        formulas = []
        for x, value in zip(line.inputs, line.application.inputs, strict=True):
            formula = input_formula(x, value) if isinstance(value, int | float) else self.inlined[x.name]
            if formula is None:
                return None
            if isinstance(value, Tensor) and value is not x.tensor:  # converted: labels to integers
                formula = Formula(formula.tree, value.value, formula.size)
            formulas.append(formula)
        return formulas

    def follow(self, output: Line, seed: Formula, events: Sequence[Contribution], lines: Mapping[int, Line]) -> None:
        """Run the chain rule over formulas, contribution by contribution."""
        self.adjoints[output.name] = Adjoint.of(seed)
        for event in events:
            consumer, line = lines[id(event.node)], lines[id(event.node.edges[event.position])]
            contribution = self.contribution(consumer, line, event.position)
            if line.name in self.adjoints:
                total = self.adjoints[line.name]
                is_short = total is not None and contribution is not None
                contribution = self.add_adjoints(total, contribution) if is_short else None  # type: ignore[arg-type]
            self.adjoints[line.name] = contribution

    @in_line
    def contribution(self, consumer: Line, line: Line, position: int) -> Adjoint | None:
        adjoint, result = self.adjoints[consumer.name], self.inlined[consumer.name]
        target, operands = self.inlined[line.name], self.operands(consumer)
        if adjoint is None or result is None or target is None or operands is None or consumer.application is None:
            return None
        rule = consumer.application.primitive.rules_for(operands)[position]
        assert rule is not None
        flow = short_or_none(fit(rule(adjoint.formula, result, *operands, **consumer.application.options), target))
        return None if flow is None else Adjoint.of(flow, adjoint.divisor)

    @staticmethod
    def add_adjoints(first: Adjoint, second: Adjoint) -> Adjoint:
        if first.divisor == second.divisor:
            formula: Any = first.formula
            return Adjoint(formula + second.formula, first.divisor)
        return Adjoint(first.undivided() + second.undivided())

    def gradient(self, line: Line) -> Expression | None:
        """Return the gradient of a line as one expression."""
        adjoint = self.adjoints.get(line.name)
        return None if adjoint is None else adjoint.undivided().tree


def short_or_none(formula: Formula) -> Formula | None:
    return formula if formula.size <= LONGEST else None


def seed_formula(output: Line, upstream: Any, is_given: bool, name: str, is_named: bool = False) -> Formula:
    """Return the gradient that enters: 1, the number given, or `name` for a large array."""
    value = np.asarray(upstream).astype(output.tensor.dtype)[()]
    if not is_given and not output.tensor.shape:
        return Formula(Number(1), value)
    if value.size <= LARGEST_UPSTREAM and not (is_named and is_given):
        return Formula(literal(value), value, value.size)
    return Formula(Name(name), value)
