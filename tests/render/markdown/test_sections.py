"""Markdown: tables that keep their cells, and texts that mean nothing in it."""

from __future__ import annotations

import re

import pytest

from gradcli.render.markdown.pages import code, fenced, plain, table
from gradcli.render.text.layout import Row
from tests.render.programs import CASES

HOSTILE = [
    "<script>alert(1)</script>",
    "- list",
    "1. list",
    "www.evil.example",
    "a | b", "back\\| slash", "`tick`", "``two`` `", "[x](javascript:alert(1))", "**bold**",
    "$x$", "https://evil.example", "&lt;b&gt;", "right\u202eleft", "line\n# heading", "```\nend", "@someone", "n" * 400,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_means_anything(text: str) -> None:
    row = table([Row((text, text)), Row((text,), "reason")], ("one", "two")).split("\n")
    assert len(row) == 4 + text.count("\n")
    for line in row[2:]:
        unescaped = line.replace("\\|", "")
        assert unescaped.count("|") == 3
    for written in (code(text), fenced(text)):
        fence = written[: len(written) - len(written.lstrip("`"))]
        assert fence not in written[len(fence) : -len(fence)]
        assert "\u202e" not in written
    assert set(re.sub(r"&#\d+;", "", plain(text))).isdisjoint("<>*_`[]\\|$@#&")
    assert not re.match(r"[-+=]|\d+[.)]", plain(text))
    assert "://" not in plain(text)
    assert "\n" not in code(text) + plain(text)


@pytest.mark.parametrize("name", CASES)
def test_every_table_is_one(name: str) -> None:
    from gradcli.render.markdown.pages import eval_page
    from gradcli.render.text.looks import Asked

    for block in eval_page(CASES[name].explain(), Asked()).split("\n\n"):
        lines = block.split("\n")
        assert not lines[0].startswith("|") or len({line.replace("\\|", "").count("|") for line in lines}) == 1


def test_a_row_between_others_stands_line_by_line_and_a_sentence_is_no_code() -> None:
    rows = [Row(("a", "= b")), Row(("v[i] = x[i]\nentry [0]: 1",), "reason"), Row(("A sum | adds.",), "why")]
    assert table(rows, ("edge", "rule")).split("\n")[2:] == [
        "| `a` | `b` |",
        "|  | `v[i] = x[i]` |",
        "|  | `entry [0]: 1` |",
        "|  | *A sum &#124; adds.* |",
    ]
