"""The driver reads what lark reads, to the same trees in the same places, and leaves the rest to lark."""

from __future__ import annotations

import pytest
from hypothesis import given
from lark.exceptions import LarkError

from gradcli.errors import ProgramSyntaxError
from gradcli.language import parser
from gradcli.language.builder import UnreadableError
from gradcli.language.driver import statements
from gradcli.language.grammar import expression_parser
from gradcli.language.parser import parse_program
from gradcli.language.tree import Program, Statement, postorder
from gradcli.source import Source
from tests.language.strategies import programs, unparse_program
from tests.language.test_deep_programs import BROKEN, PROGRAMS
from tests.programs import EXAMPLES, listed_programs, some

MEANT = ["x = 1 # a comment\n\n y=[1,\n 2];;", "f(x,\n dim=0)[..., ::2].T ᵀ", "f(x²·y, 'it s')", "a @ b ** -c <= 0x1f"]
MEANT += ["\\\n1", ""]
WRONG = ["x +", "(x", "x)", "2x", "x ≈ y", "f(x=1, 2)", "1.2.3", "é≈", "99999999999999999999", "x = = 1", "'open"]


def places(found: tuple[Statement, ...]) -> list[object]:
    return [(s.span, s.target_span, [node.span for node in postorder(s.value)]) for s in found]


def check(text: str) -> None:
    quick, slow = statements(text), expression_parser().parse(text)
    assert quick == slow
    assert places(quick) == places(slow)  # type: ignore[arg-type]


@given(programs())
def test_programs_are_read_as_by_lark(program: Program) -> None:
    check(unparse_program(program))


def test_listed_programs_are_read_as_by_lark() -> None:
    for text in [*some(EXAMPLES, 5), *listed_programs(), *PROGRAMS.values(), *MEANT]:
        check(text)


@pytest.mark.parametrize("text", [*WRONG, *BROKEN.values()], ids=[*WRONG, *BROKEN])
def test_what_lark_refuses_is_refused(text: str) -> None:
    with pytest.raises((LarkError, UnreadableError, ProgramSyntaxError)):
        expression_parser().parse(text)
    with pytest.raises((KeyError, UnreadableError, ProgramSyntaxError)):
        statements(text)


def test_a_long_program_has_the_errors_of_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in WRONG:
        with pytest.raises(ProgramSyntaxError) as short:
            parse_program(Source(text))
        with monkeypatch.context() as patch:
            patch.setattr(parser, "LONG", 0)
            with pytest.raises(ProgramSyntaxError) as long:
                parse_program(Source("x = 1\n" * 5 + text))
        assert (long.value.code, long.value.message) == (short.value.code, short.value.message)
