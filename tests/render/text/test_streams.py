"""Texts on the standard streams: what a stream cannot encode is escaped, and what a terminal would obey."""

from __future__ import annotations

import io

import pytest

from gradcli.render.text.streams import encodable


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m ∂z/∂x\n\tçà", "\x1b[1;31mred\x1b[0m ∂z/∂x\n\tçà"),
        ("\x1b]0;title\x07 \x1b[2J \x9b31m \r \u202e", "?]0;title? ?[2J ?31m ? ?"),
    ],
)
def test_a_terminal_gets_colours_and_obeys_no_text(text: str, shown: str) -> None:
    assert encodable(text, Terminal(io.BytesIO(), "utf-8")) == shown
    assert encodable(text, io.TextIOWrapper(io.BytesIO(), "utf-8")) == text
    assert encodable("∂", io.TextIOWrapper(io.BytesIO(), "ascii")) == "\\u2202"
