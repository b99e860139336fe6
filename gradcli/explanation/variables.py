"""The variables of a program and where their values come from: `NAME=VALUE`, a literal in the program, a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradcli.errors import EvaluationError, UsageError
from gradcli.explanation.values import CONSTANTS
from gradcli.language.parser import parse_program
from gradcli.language.tree import Expression, List, Literal, Name, Number, Program, Statement, Unary, postorder
from gradcli.source import Source, Span, did_you_mean


def is_plain(tree: Expression) -> bool:
    """Whether an expression is a plain number or nested lists of numbers, so that its name is a variable."""
    return all(
        isinstance(node, Number | List)
        or (isinstance(node, Literal) and isinstance(node.value, bool))
        or (isinstance(node, Unary) and isinstance(node.operand, Number))
        for node in postorder(tree)
    )


def literals(program: Program) -> dict[str, Statement]:
    """The names whose first assignment is a plain number or list: variables with a value of their own."""
    first: dict[str, Statement] = {}
    for statement in program.statements:
        if statement.target is not None:
            first.setdefault(statement.target, statement)
    return {name: statement for name, statement in first.items() if is_plain(statement.value)}


def variables(program: Program) -> dict[str, Span]:
    """The names that take a value from outside or from a literal, in order of appearance, with their places."""
    assigned = {statement.target for statement in program.statements}
    own = literals(program)
    found: dict[str, Span] = {}
    for statement in program.statements:
        if statement.target in own:
            found.setdefault(statement.target, statement.target_span)
        for node in postorder(statement.value):
            if isinstance(node, Name) and node.id not in assigned:
                found.setdefault(node.id, node.span)
    return found


def check_bindings(program: Program, source: Source, given: Mapping[str, Any]) -> list[str]:
    """Refuse missing and computed names, all at once; returns the bindings that the program does not use."""
    needed = variables(program)
    own = literals(program)
    missing = [n for n in needed if n not in given and n not in own and n not in CONSTANTS]
    unused = [name for name in given if name not in needed]
    computed = [s for s in program.statements if s.target in unused]
    if computed:
        target = computed[0]
        raise UsageError(
            "E006",
            f"{target.target} is computed by the program, so it cannot be given a value",
            span=target.target_span,
            label="computed here",
            help=f"remove {target.target}=... or rename one of the two",
            source=source,
        )
    if missing:
        raise EvaluationError(
            "E201",
            f"{'no value' if len(missing) == 1 else 'no values'} for {', '.join(missing)}",
            span=needed[missing[0]],
            label="needs a value",
            help=_help_missing(missing, unused),
            source=source,
        )
    return unused


def _help_missing(missing: Sequence[str], unused: Sequence[str]) -> str:
    lines = [f"add {' '.join(f'{name}=1' for name in missing)}"]
    if "e" in missing:
        lines.append("for Euler's number write exp(1)")
    for name in missing:
        close = did_you_mean(name, unused)
        if close:
            lines.append(f"you gave {close}: did you mean {name}?")
    return "; ".join(lines)


def placeholders(source: Source, given: Mapping[str, Any]) -> dict[str, float]:
    """A scalar for every variable without a value: different ones, where every function is smooth."""
    program = parse_program(source)
    own = literals(program)
    missing = [name for name in variables(program) if name not in given and name not in own and name not in CONSTANTS]
    return {name: 0.9 / (position + 2) for position, name in enumerate(missing)}
