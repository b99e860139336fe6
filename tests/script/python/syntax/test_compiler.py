"""Syntax: what Python refuses is refused in its words, and what snippets may not contain says what to write."""

from __future__ import annotations

import pytest

from gradcli.errors import ProgramSyntaxError
from tests.script.python.agreement import check, programs
from tests.script.running import ours


@programs("syntax")
def test_syntax_errors_are_those_of_python(program: str) -> None:
    with pytest.raises(SyntaxError) as expected:
        compile(program, "snippet.py", "exec")
    assert ours(program).endswith(f": {expected.value.msg}\n")


@pytest.mark.parametrize(
    ("program", "words", "instead"),
    [
        ("class A(**{}): pass", "head of a class", "class Name"),
        ("from . import x", "relative imports", "one file"),
        ("class A:\n    def __reduce__(self): pass", "__reduce__", "plain name"),
    ],
)
def test_refusals_say_what_to_write(program: str, words: str, instead: str) -> None:
    from gradcli.script.interpreter import run
    from gradcli.script.limits import Limits
    from gradcli.script.machine import Machine
    from gradcli.source import Source

    with pytest.raises(ProgramSyntaxError, match=words) as caught:
        run([Source(program)], Machine(Limits(), print))
    assert instead in caught.value.help


@programs("patterns")
def test_simple_matches_are_those_of_python(program: str) -> None:
    check(program)
