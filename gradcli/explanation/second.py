"""The second derivative: the backward pass, written as a program of its own, is run backward once more."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import numpy as np

from gradcli.errors import UsageError
from gradcli.explanation.build import explain
from gradcli.explanation.chain.links import chain
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation, Leaf, unused
from gradcli.facts import dataclass
from gradcli.language.parser import parse_program
from gradcli.language.rewrite import substitute, without_ones
from gradcli.language.tree import Binary, Expression, Name, Number, Statement, names
from gradcli.language.unparser import unparse_statement
from gradcli.source import Source

MOST = 4  # variables that are differentiated by twice


@dataclass(frozen=True, slots=True)
class Newton:
    """A variable, and where Newton's step takes it; None where the second derivatives do not say."""

    leaf: str
    value: float
    gradient: float
    second: float
    after: float | None


def twice(explanation: Explanation) -> list[Explanation]:
    """Return for each variable the explanation of its gradient. Raises UsageError where a variable is no number."""
    leaves = numbers(explanation)
    return [simplified(explain_gradient(explanation, leaf, [x.name for x in leaves])) for leaf in leaves]


def numbers(explanation: Explanation) -> list[Leaf]:
    """Return the variables that the output depends on, which are few, and numbers."""
    leaves = [leaf for leaf in explanation.leaves if leaf.gradient is not None]
    large = next((leaf.name for leaf in leaves if leaf.gradient is not None and np.ndim(leaf.gradient)), None)
    if large is not None or not explanation.is_seed_one or len(leaves) > MOST or explanation.sizes:
        fault = f"{large} is a tensor" if large else f"{len(leaves)} variables" if len(leaves) > MOST else "an upstream"
        message = f"eval --order 2 is for one to {MOST} numbers and an output that is one, not {fault}"
        raise UsageError("E001", message, help="gradcli grad --hessian gives the second derivatives alone")
    return leaves


def explain_gradient(explanation: Explanation, leaf: Leaf, wrt: list[str]) -> Explanation:
    """Return the explanation of the gradient by a variable."""
    values = {node.name: node.value for node in explanation.variables}
    statements = [*backward_program(explanation, leaf.node)]
    program = parse_program(Source("\n".join(map(unparse_statement, statements))))
    return explain(program, values, wrt=wrt, of=statements[-1].target)


def backward_program(explanation: Explanation, node: str) -> Iterator[Statement]:
    """Yield the program, a statement for each node, and then the backward pass as far as a node."""
    constants = {n.id: n.expression for n in explanation.nodes if n.kind == "constant"}
    for n in explanation.nodes:
        if n.kind == "op":
            yield Statement(n.id, substitute(n.expression, constants))
    adjoints: dict[str, Expression] = {explanation.output: Number(1)}
    ids = [n.id for n in explanation.nodes]
    statements: list[Statement] = []
    for link in chain(explanation):
        arriving = [{**constants, explanation.upstream_name: adjoints[term.step.node]} for term in link.terms]
        rules = (substitute(term.step.rule, put_in) for term, put_in in zip(link.terms, arriving, strict=True))
        total = reduce(lambda first, second: Binary("+", first, second), map(without_ones, rules))
        name = unused(f"{explanation.output}_{link.input}", ids)
        is_number = isinstance(total, Number) and link.input != node  # which would be taken for a variable
        adjoints[link.input] = total if is_number else Name(name)
        if not is_number:
            statements.append(Statement(name, total))
        if link.input == node:
            break
    target, value = str(statements[-1].target), statements[-1].value
    targets = {x.target for x in statements}
    if isinstance(value, Name) and value.id in targets:  # the gradient of another node: one name is enough
        new_name = {value.id: Name(target)}
        statements = [
            Statement(target if x.target == value.id else x.target, substitute(x.value, new_name))
            for x in statements[:-1]
        ]
    needed, steps = {target}, list[Statement]()
    for statement in reversed(statements):  # those of the gradients of other variables are of no use
        if statement.target in needed:
            steps.append(statement)
            needed |= names(statement.value)
    yield from reversed(steps)


def newton(explanation: Explanation, seconds: list[Explanation]) -> list[Newton]:
    """Return Newton's step: the point less the inverse of the second derivatives times the gradient."""
    leaves = numbers(explanation)
    gradient = np.array([leaf.gradient for leaf in leaves], float)
    rows = [{leaf.name: second.without_dust(leaf.node, leaf.gradient) for leaf in second.leaves} for second in seconds]
    hessian = np.array([[float(row.get(leaf.name) or 0.0) for leaf in leaves] for row in rows])
    point = {node.name: float(node.value) for node in explanation.variables if not np.ndim(node.value)}
    try:
        step = np.linalg.solve(hessian, gradient)
    except np.linalg.LinAlgError:
        step = np.full(len(leaves), np.nan)
    return [
        Newton(x.name, point[x.name], float(g), float(h), point[x.name] - float(s) if np.isfinite(s) else None)
        for x, g, h, s in zip(leaves, gradient, np.diag(hessian), step, strict=True)
    ]
