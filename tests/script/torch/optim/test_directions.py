"""LBFGS adds its inner products up in torch's order, so that searches end on the same digits."""

from __future__ import annotations

import pytest

from tests.engine.orders import OF_KNOWN_ORDER
from tests.script.agreement import agree
from tests.script.running import ours

LBFGS = """
import torch
torch.manual_seed({seed})
A, x = torch.randn({size}, {size}), torch.randn({size}, requires_grad=True)
optimizer = torch.optim.LBFGS([x], lr=0.7, max_iter=6, history_size=3, line_search_fn={search!r})
def closure():
    optimizer.zero_grad()
    loss = ((A @ x - 1) ** 4).sum() + (x * x).sum()
    loss.backward()
    print(loss.item())
    return loss
for _ in range(3):
    optimizer.step(closure)
print(x.tolist())
"""


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [3, 11])
@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_directions_have_torchs_digits(seed: int, size: int, search: str | None) -> None:
    text = LBFGS.format(seed=seed, size=size, search=search)
    assert ours(text)
    if OF_KNOWN_ORDER:
        agree(text)
