"""Single calls whose memory, tangents, second passes or words were once others than torch's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")  # which torch's own tests import

BEFORE = """import torch
A = torch.tensor([[4.0, 1, 2], [0, 3, 1], [1, 0, 5]])
B, S, v = torch.stack([A, A.T]), A @ A.T, torch.tensor([2.0, -1.0, 0.5])
"""
LINES = [
    line
    for line in (Path(__file__).parent / "lines.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.slow
def test_every_line_agrees_with_torch() -> None:
    """The result, its node and graph, the gradients of its leaves and theirs, or the error."""
    from tests.sweep.running import Verdict, verdict
    from tests.sweep.samples import Sample

    def ran(line: str) -> Verdict:
        text = BEFORE + line.replace("; ", "\n") + "\n"
        leaves = tuple(re.findall(r"^(\w+) = torch.*requires_grad", text, re.MULTILINE))
        return verdict(Sample("line", "function", text, leaves))

    found = {line: ran(line) for line in LINES}
    assert {line: (one.word, one.why, one.detail) for line, one in found.items() if one.word != "agrees"} == {}
