"""Answers as HTML: their text, a line a paragraph, and nothing that a page would run."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.homework.submission.files import File
from gradcli.homework.submission.hand_ins import HandIn
from gradcli.homework.submission.lines import text_of


@pytest.mark.parametrize(
    ("markup", "lines"),
    [
        ("<html><head><title>t</title><style>a = 1</style></head><body><pre>[d]\ns = 9</pre>", ["[d]", "s = 9"]),
        ("<script>s = 1</script></script><p>s = <b>9</b></p>", ["s = 9"]),
        ("[d]\ns = 9 # no markup", ["[d]", "s = 9 # no markup"]),
        ("<p>s = <![if !supportLists]>9<![endif]></p><p>p = 1<![1></p>", ["s = 9", "p = 1"]),
    ],
)
def test_the_text_of_markup(markup: str, lines: list[str]) -> None:
    assert [line.strip() for line in text_of(markup).split("\n") if line.strip()] == lines


@given(st.text(st.sampled_from("<>/&;!-[]ps=1 \n\"'")))
def test_any_text_is_read(markup: str) -> None:
    assert isinstance(text_of(markup), str)


def test_a_file_of_it_is_a_submission(tmp_path: Path) -> None:
    file = File(tmp_path / "onlinetext.html")
    file.path.write_text("<p>[d]<br>s = 9</p>")
    assert [(one.question, one.quantity, one.text) for one in HandIn(file, "ada").read().given] == [("d", "s", "9")]
