"""Which nodes can be walked twice: those that saved nothing; and what the others say."""

from __future__ import annotations

import pytest

from gradcli.errors import AutogradError
from tests.programs import run

ONCE = [
    "x*y",
    "x/y",
    "x**y",
    "relu(x)",
    "max(x)",
    "clamp(x, 0, 1)",
    "softmax(x, dim=1)",
    "x[[0, 1], [1, 0]]",
    "x @ y",
    "log(x)",
]
LEAVES = "x = [[1, 2], [3, 4]]; y = [[5, 6], [7, 8]]; "


@pytest.mark.parametrize("expression", ONCE)
def test_retain_graph_keeps_what_was_saved(expression: str) -> None:
    found = run(LEAVES + expression)
    found.output.backward(found.upstream, retain_graph=True)
    found.output.backward(found.upstream)
    with pytest.raises(AutogradError):
        found.output.backward(found.upstream)
