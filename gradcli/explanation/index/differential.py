"""The differential of an operation on whole matrices, as its primitive declares it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from gradcli.engine.primitive import Primitive
from gradcli.language.parser import parse_program
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Name, Program, Statement
from gradcli.source import Source

parsed = cache(lambda text: parse_program(Source(text, "differential")))


def differential(primitive: Primitive, value: Any, inputs: Sequence[Any], options: Mapping[str, Any]) -> Program | None:
    """Return the program of the change of the result, in the names of the declaration; None where there is none."""
    text = primitive.differential
    if not isinstance(text, str):
        text = text(value, *inputs, **options)
    return parsed(text) if text else None


def with_names(program: Program, names: Mapping[str, str], result: str) -> tuple[Statement, ...]:
    """Return the statements with the names of a program: `dv1 = -v1 @ dA @ v1`.

    Names that the declaration gives to parts (`M = ...`) get a mark where the program has them, too.
    """
    in_use = set(names.values())
    targets = [statement.target for statement in program.statements if statement.target]
    call_of = dict(names)
    for target in targets:
        call_of[target] = target
        while call_of[target] in in_use:
            call_of[target] += "_"
        in_use.add(call_of[target])
    trees = {name: Name(spelling) for name, spelling in call_of.items()}
    *before, last = program.statements
    statements = [Statement(call_of.get(s.target or "", s.target), substitute(s.value, trees), s.span) for s in before]
    return (*statements, Statement(f"d{result}", substitute(last.value, trees), last.span))
