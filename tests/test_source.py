"""Lines of a text are counted as Python counts them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gradcli.source import Source


@given(st.text("ab \r\n\x0b\x0c\u2028", max_size=12))
def test_lines_are_those_of_python(text: str) -> None:
    source = Source(text)
    lines = "".join(text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert [source.line(number) for number in range(1, len(lines) + 1)] == lines
    for offset in range(len(text) + 1):
        line, column = source.position(offset)
        assert source.offset(line) + column - 1 == offset
