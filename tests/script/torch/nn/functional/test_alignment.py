"""The loss of labels over all their alignments, against torch: repeated labels, empty rows, rows that are too long."""

from __future__ import annotations

from itertools import product

import pytest

from tests.script.running import ours, torchs
from tests.script.torch.alike import alike, difference

pytest.importorskip("torch")

TARGETS = {
    "rows": "torch.tensor([[1, 1, 2], [3, 1, 0], [2, 2, 2]]), (3, 2, 0)",
    "one row": "torch.tensor([2, 3, 3, 1]), (1, 3, 0)",
    "too long": "torch.tensor([[1, 1, 1], [3, 1, 3], [2, 2, 2]]), (3, 3, 3)",
}


@pytest.mark.parametrize(("targets", "reduction", "zero"), [*product(TARGETS, ("none", "mean", "sum"), (True, False))])
def test_losses_agree_with_torch(targets: str, reduction: str, zero: bool) -> None:
    labels, lengths = TARGETS[targets].rsplit(", (", 1)
    text = f"""
import torch
import torch.nn.functional as F
torch.manual_seed(2)
scores = torch.randn(6, 3, 4, dtype=torch.double).log_softmax(2).requires_grad_()
for steps in ((6, 5, 4), (6, 2, 0)):
    found = F.ctc_loss(scores, {labels}, steps, ({lengths}, 0, {reduction!r}, {zero})
    print(found, torch.autograd.grad(found.sum(), scores))
"""
    here, there = ours(text), torchs(text)
    assert alike(here, there), difference(here, there)
