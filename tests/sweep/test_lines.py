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
    for path in sorted(Path(__file__).parent.glob("lines*.txt"))
    for line in path.read_text(encoding="utf-8").splitlines()
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


REFUSED = """
out = torch.func.jvp(lambda x: torch.cholesky_inverse(x), (A.tril(),), (A,))
out = torch.func.jvp(lambda x: torch.nn.functional.max_unpool1d(x, torch.tensor([[1, 1, 3]]), 2), (A[:1],), (A[:1],))
out = torch.func.jvp(lambda x: x.scatter_reduce(0, torch.tensor([[1, 1, 0]]), A[:1], "prod"), (A,), (A,))
out = torch.func.vmap(lambda x: x.as_strided((2,), (1,), 1))(A)
out = torch.func.vmap(lambda x: x.resize_((4,)))(A)
"""


@pytest.mark.slow
@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_tangents_and_batches_that_would_be_others_are_refused(line: str) -> None:
    from tests.sweep.running import verdict
    from tests.sweep.samples import Sample

    found = verdict(Sample("line", "function", BEFORE + line + "\n", ()))
    assert (found.word, found.why) == ("refused", "")
