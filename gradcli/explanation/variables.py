"""The variables of a program and where their values come from: `NAME=VALUE`, a literal in the program, a file."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.errors import EvaluationError, UsageError
from gradcli.explanation.values import CONSTANTS, value_of
from gradcli.facts import dataclass
from gradcli.language.tree import Expression, List, Literal, Name, Number, Program, Statement, Unary, postorder
from gradcli.source import Span, did_you_mean


def is_plain(tree: Expression) -> bool:
    """Return whether an expression is a plain number or nested lists of numbers, so that its name is a variable."""
    return all(
        isinstance(node, Number | List)
        or (isinstance(node, Literal) and isinstance(node.value, bool))
        or (isinstance(node, Unary) and isinstance(node.operand, Number))
        for node in postorder(tree)
    )


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables of a program: the names that take a value from outside or from a literal.

    `places` are the names in order of appearance, each with its first place; `literals` the statements that give a
    name a plain number or list, which is then its value unless another is given.
    """

    program: Program
    places: dict[str, Span]
    literals: dict[str, Statement]

    @classmethod
    def of(cls, program: Program) -> Variables:
        """Read them off a program: a name is a variable if it is not assigned, or first assigned a literal."""
        first: dict[str, Statement] = {}
        for statement in program.statements:
            if statement.target is not None:
                first.setdefault(statement.target, statement)
        literals = {name: statement for name, statement in first.items() if is_plain(statement.value)}
        places: dict[str, Span] = {}
        for statement in program.statements:
            if statement.target in literals:
                places.setdefault(statement.target, statement.target_span)
            for node in postorder(statement.value):
                if isinstance(node, Name) and node.id not in first:
                    places.setdefault(node.id, node.span)
        return cls(program, places, literals)

    def missing(self, values_given: Container[str]) -> list[str]:
        """The names that still need a value."""
        defaults = (*self.literals, *CONSTANTS)
        return [name for name in self.places if name not in values_given and name not in defaults]


def check_bindings(needed: Variables, values_given: Mapping[str, Any]) -> list[str]:
    """Refuse missing and computed names, all at once; returns the bindings that the program does not use."""
    missing = needed.missing(values_given)
    unused = [name for name in values_given if name not in needed.places]
    computed = [s for s in needed.program.statements if s.target in unused]
    if computed:
        target = computed[0]
        raise UsageError(
            "E006",
            f"{target.target} is computed by the program, so it cannot be given a value",
            span=target.target_span,
            label="computed here",
            help=f"remove {target.target}=... or rename one of the two",
            source=needed.program.source,
        )
    if missing:
        raise EvaluationError(
            "E201",
            f"{'no value' if len(missing) == 1 else 'no values'} for {', '.join(missing)}",
            span=needed.places[missing[0]],
            label="needs a value",
            help=_help_missing(needed.program, missing, unused),
            source=needed.program.source,
        )
    return unused


def _help_missing(program: Program, missing: Sequence[str], unused: Sequence[str]) -> str:
    from gradcli.language.applications import called, is_function

    lines = [f"add {' '.join(f'{name}=1' for name in missing)}"]
    lines.extend(f"for the function {name} type '{called(program, name)}'" for name in missing if is_function(name))
    if "e" in missing:
        lines.append("for Euler's number write exp(1)")
    products = {name: product for name in missing if (product := _product(name, unused))}
    lines.extend(f"for a product type {product}" for product in products.values())
    likely_names = {name: close for name in missing if name not in products and (close := did_you_mean(name, unused))}
    lines.extend(f"you gave {close}: did you mean {name}?" for name, close in likely_names.items())
    explained = {*likely_names.values(), *(name for product in products.values() for name in product.split("*"))}
    strange = [name for name in unused if name not in explained]
    if strange:
        lines.append(f"the program does not use {', '.join(strange)}")
    return "; ".join(lines)


def _product(name: str, names_given: Sequence[str]) -> str:
    """Return `x*y` for a name `xy` that is those of two values written together; empty for another name."""
    pairs = ((name[:end], name[end:]) for end in range(1, len(name)))
    return next((f"{first}*{second}" for first, second in pairs if first in names_given and second in names_given), "")


def literal_values(program: Program) -> dict[str, Any]:
    """Return the values that a program itself gives to variables."""
    literals = Variables.of(program).literals
    return {name: np.asarray(value_of(statement.value, {}), np.float64)[()] for name, statement in literals.items()}


def placeholders(program: Program, values_given: Mapping[str, Any]) -> dict[str, float]:
    """Return a scalar for every variable without a value: different ones, where every function is smooth."""
    from gradcli.language.applications import is_applied

    missing = [name for name in Variables.of(program).missing(values_given) if not is_applied(program, name)]
    return {name: 0.9 / (position + 2) for position, name in enumerate(missing)}
