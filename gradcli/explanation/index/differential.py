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


def differential(primitive: Primitive, out: Any, inputs: Sequence[Any], options: Mapping[str, Any]) -> Program | None:
    """Return the program of the change of the result, in the names of the declaration; None where there is none."""
    text = primitive.differential
    if not isinstance(text, str):
        text = text(out, *inputs, **options)
    return parsed(text) if text else None


def named(program: Program, names: Mapping[str, str], result: str) -> tuple[Statement, ...]:
    """Return the statements with the names of a program: `dv1 = -v1 @ dA @ v1`.

    Names that the declaration gives to parts (`M = ...`) get a mark where the program has them, too.
    """
    taken = set(names.values())
    own = [statement.target for statement in program.statements if statement.target]
    called = dict(names)
    for target in own:
        called[target] = target
        while called[target] in taken:
            called[target] += "_"
        taken.add(called[target])
    trees = {name: Name(new) for name, new in called.items()}
    *before, last = program.statements
    found = [Statement(called.get(s.target or "", s.target), substitute(s.value, trees), s.span) for s in before]
    return (*found, Statement(f"d{result}", substitute(last.value, trees), last.span))
