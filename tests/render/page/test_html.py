"""Markup: whatever a text holds, it stays a text."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from gradcli.render.page.document import data, element
from tests.render.page.reading import read

TEXTS = st.text() | st.sampled_from(["</script>", "<!--", "]]>", "&lt;", '"', "'", "\u202e", "\x00", "a\nb"])


@given(TEXTS, TEXTS)
def test_a_text_is_no_markup(text: str, value: str) -> None:
    (found,) = read(element("p", text, data_value=value)).parts
    assert not isinstance(found, str)
    assert found.tag == "p"
    assert set(found.attributes) == {"data-value"}
    assert not found.all("class")
    if text.isascii() and text.isprintable():
        assert found.text == text


@given(st.dictionaries(TEXTS, TEXTS))
def test_a_block_of_data_is_what_it_was(document: dict[str, str]) -> None:
    block = data(document, id="x")
    inner = block.partition(">")[2].rpartition("<")[0]
    assert not re.search("[<>&]", inner)
    assert json.loads(inner) == document
