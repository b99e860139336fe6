"""Nothing in the language layer recurses: depth costs memory and no stack."""

from __future__ import annotations

import sys

import pytest

from gradcli.errors import ProgramSyntaxError
from gradcli.language.parser import parse_program
from gradcli.language.tree import fold, names, postorder
from gradcli.source import Source
from tests.language.strategies import unparse_program

DEPTH = 2_000

PROGRAMS = {
    "parentheses": "(" * DEPTH + "x" + ")" * DEPTH,
    "groups": "(" * DEPTH + "x" + "+1)*2" * DEPTH,
    "signs": "-" * DEPTH + "x",
    "lists": "[" * DEPTH + "x" + "]" * DEPTH,
    "calls": "f(" * DEPTH + "x" + ")" * DEPTH,
    "methods": "x" + ".f()" * DEPTH,
    "attributes": "x" + ".T" * DEPTH,
    "indices": "x" + "[0]" * DEPTH,
    "powers": "**".join(["x"] * DEPTH),
    "superscripts": "x" + "²ᵀ" * DEPTH,
    "sum": " + ".join(["x"] * 5_000),
    "statements": "\n".join(f"v{i} = v{i}*x + {i}" for i in range(1_500)) + "\nx",
}

BROKEN = {
    "unclosed": "(" * DEPTH + "x",
    "never opened": "x" + ")" * DEPTH,
    "products": "2(" * DEPTH,
    "pairs": "(a)" * DEPTH,
    "strays": "≈" * 50_000,
    "long word": "é" * 50_000 + "≈",
    "digits": "9" * 50_000,
    "long number": "1." * 50_000,
    "chain": "<".join("a" * DEPTH),
    "quotes": "'" * 50_001,
    "lines": "(" + "x\n" * 20_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_a_deep_or_long_program_goes_all_the_way(text: str) -> None:
    assert sys.getrecursionlimit() < DEPTH
    program = parse_program(Source(text))
    again = parse_program(Source(unparse_program(program)))
    assert again == program
    assert hash(again) == hash(program)
    value = program.statements[-1].value
    assert names(value) == {"x"}
    assert fold(value, lambda _, parts: 1 + sum(parts)) == sum(1 for _ in postorder(value))
    del program, again, value


@pytest.mark.slow
@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_deep_or_long_mistake_is_explained(text: str) -> None:
    with pytest.raises(ProgramSyntaxError) as caught:
        parse_program(Source(text))
    assert len(caught.value.message) < 200
    assert len(caught.value.help) < 200
