"""Every message that a wrong program gets, as whole pages in `errors/*.txt`.

A page starts with `>>> ` and the program (`\\n` is a newline, `\\x00` a control character). To write the pages anew
after a change of wording, and read the difference: GRADCLI_RECORD=1 pytest tests/language/test_syntax_errors.py
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli import explain
from gradcli.errors import ProgramSyntaxError
from gradcli.language.parser import parse_program
from gradcli.render.text.error import excerpt
from gradcli.source import Source, visible
from tests.language.strategies import unparse_program

FILES = sorted((Path(__file__).parent / "errors").glob("*.txt"))
ESCAPE = re.compile(r"\\(?:n|r|x[0-9a-f]{2}|u[0-9a-f]{4})")


def unescaped(text: str) -> str:
    return ESCAPE.sub(lambda match: match[0].encode().decode("unicode_escape"), text)


def page(text: str) -> str:
    """The error of a program as a terminal shows it."""
    with pytest.raises(ProgramSyntaxError) as caught:
        parse_program(Source(text))
    error = caught.value
    assert error.source is not None
    assert error.span is not None
    shown = excerpt(error.source, error.span, error.label)
    return "\n".join([f"error[{error.code}]: {error.message}", *shown, f"  = help: {error.help}"])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_pages(file: Path) -> None:
    recorded = file.read_text(encoding="utf-8")
    programs = re.findall(r"^>>> (.*)$", recorded, re.MULTILINE)
    actual = "\n\n".join(f">>> {program}\n{page(unescaped(program))}" for program in programs) + "\n"
    if os.environ.get("GRADCLI_RECORD"):
        file.write_text(actual, encoding="utf-8")
    assert actual == recorded


def test_no_page_shows_a_symbol_of_the_grammar() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in FILES)
    assert not re.search(r"\b[A-Z]{4,}\b|_star_|\$END|Token\(|Traceback|lark", text)


PRODUCTS = ["2x", "2 x", "x y", "2(x+1)", "(a)(b)", "f(x)(y)", "2sin(x)", "x[0](y)", "2.5x", "x 2", "A.T w", "x²y"]


@pytest.mark.parametrize("text", PRODUCTS)
def test_the_product_that_is_offered_can_be_typed(text: str) -> None:
    with pytest.raises(ProgramSyntaxError) as caught:
        parse_program(Source(text))
    (offer,) = re.findall(r"type '(.*)' to multiply", caught.value.help)
    assert "*" in offer
    assert parse_program(Source(offer))


@pytest.mark.parametrize(("text", "value"), [("0 < x < 1", 0.5), ("0.6 < x <= 1", 0.0), ("0 < x < 0.4", 0.0)])
def test_the_condition_that_is_offered_holds_where_both_comparisons_do(text: str, value: float) -> None:
    with pytest.raises(ProgramSyntaxError) as caught:
        parse_program(Source(text))
    (offer,) = re.findall(r"two comparisons: '(.*)'", caught.value.help)
    assert explain(f"where({offer}, x, 0)", x=0.5).value == value


CHARACTERS = "xye12()[]{}+-*/%@^=<>,;:.'\"\\ #!&|~?$_²⁻ᵀ·×−≤√ⁿé₁½（ŀ\n\t\r\x00\u0301\u0387\u2028\u200b\ufeff\udc80"
WORDS = [
    "**",
    "//",
    "==",
    "...",
    "x=",
    "f(",
    "dim=",
    "None",
    "and",
    "if",
    "lambda",
    "0x",
    "1e",
    "1_",
    "x.T",
    "[1,2]",
    "'a'",
]
FRAGMENTS = st.sampled_from([*CHARACTERS, *WORDS])


def check_reads_or_explains(text: str) -> None:
    try:
        program = parse_program(Source(text))
    except ProgramSyntaxError as caught:
        error = caught
    else:
        assert parse_program(Source(unparse_program(program))) == program
        return
    assert re.fullmatch(r"E1\d\d", error.code)
    assert error.source is not None
    assert error.span is not None
    assert 0 <= error.span.start <= error.span.end <= len(text)
    for shown in (error.message, error.label, error.help):
        assert shown
        assert shown == visible(shown)


@given(st.text())
def test_any_text_reads_or_is_explained(text: str) -> None:
    check_reads_or_explains(text)


@given(st.lists(FRAGMENTS, max_size=12).map("".join))
def test_any_mixture_of_pieces_reads_or_is_explained(text: str) -> None:
    check_reads_or_explains(text)
