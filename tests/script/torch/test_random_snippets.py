"""Random snippets print what they print in torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs
from tests.script.torch.alike import alike, difference
from tests.script.torch.random_snippets import random_snippet

pytest.importorskip("torch")

START, BLOCK = 6246, 20
pytestmark = pytest.mark.filterwarnings("ignore")  # torch's own


@pytest.mark.slow
@pytest.mark.parametrize("block", range(3))
def test_random_snippets(block: int) -> None:
    for seed in range(START + block * BLOCK, START + (block + 1) * BLOCK):
        text = random_snippet(seed)
        printed, expected = ours(text), torchs(text)
        assert alike(printed, expected), f"random_snippet({seed}): {difference(printed, expected)}\n{text}"


def test_alike_forgives_last_digits_alone() -> None:
    assert alike("tensor([1.0001, 2.])", "tensor([1.0002, 2.])")
    assert not alike("tensor([1.01, 2.])", "tensor([1.02, 2.])")
    assert not alike("tensor([1, 2])", "tensor([1, 3])")
    assert not alike("tensor(1.)", "tensor(1., requires_grad=True)")
