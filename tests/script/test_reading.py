"""The cells of files: notebooks with magics, pages with fences of all kinds, sessions with prompts."""

from __future__ import annotations

import json

import pytest

from gradcli.errors import UsageError
from gradcli.script.reading import read_snippet

BLOCKS = {
    "- item\n\n  ```python\n  if x:\n    y = 1\n  ```": ["\n\n\nif x:\n  y = 1"],
    "```\nno\n```\n```text\nno\n```\n```python\nx = '```'\n```": ["\n\n\n\n\n\n\nx = '```'"],
    "```pycon\n>>> x = 1\n>>> for i in x:\n...     i\n...\n3\n>>> x\n1\n```": [
        "\nx = 1",
        "\n\nfor i in x:\n    i\n\n",
        "\n\n\n\n\n\nx\n",
    ],
}

CELLS = {
    "%%time\nx = 1": ("\nx = 1", 1),
    "%%bash\nls\n": ("\n\n", 1),
    "x = (7\n% 4)": ("x = (7\n% 4)", 0),
}


@pytest.mark.parametrize("text", BLOCKS)
def test_blocks_of_a_page(text: str) -> None:
    assert [cell.text for cell in read_snippet(text, "page.md").cells] == BLOCKS[text]


@pytest.mark.parametrize("text", CELLS)
def test_cells_of_a_notebook(text: str) -> None:
    document = {"cells": [{"cell_type": "markdown", "source": "# hi"}, {"cell_type": "code", "source": [text]}]}
    snippet = read_snippet(json.dumps(document), "a.ipynb")
    plain, omitted = CELLS[text]
    assert [cell.text for cell in snippet.cells] == [plain]
    assert len(snippet.omitted) == omitted
    assert snippet.cells[0].name == "a.ipynb cell 1"


def test_a_notebook_from_before_version_4() -> None:
    document = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1\n", "x"]}]}]}
    assert [cell.text for cell in read_snippet(json.dumps(document), "A.IPYNB").cells] == ["x = 1\nx"]


@pytest.mark.parametrize("name", ["a.py", "a.md", "a.ipynb"])
def test_a_mark_of_byte_order_is_no_text(name: str) -> None:
    text = {"a.py": "x", "a.md": "```py\nx\n```", "a.ipynb": '{"cells": [{"cell_type": "code", "source": "x"}]}'}[name]
    assert [cell.text.strip() for cell in read_snippet(f"\ufeff{text}", name).cells] == ["x"]


@pytest.mark.parametrize(("text", "name"), [("# no", "a.md"), ("[]", "a.ipynb"), ('{"cells": [1]}', "a.ipynb")])
def test_nothing_to_run(text: str, name: str) -> None:
    with pytest.raises(UsageError):
        read_snippet(text, name)
