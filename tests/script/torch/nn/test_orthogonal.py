"""Weights that stay orthogonal, against torch: square, tall and wide ones, by each map, with and without a base."""

from __future__ import annotations

from itertools import product

import pytest

from tests.script.running import ours, torchs
from tests.script.torch.alike import alike, difference

pytest.importorskip("torch")

SHAPES = ((3, 3), (4, 2), (2, 4))
MAPS = (None, "cayley", "householder")


@pytest.mark.parametrize(("shape", "kind", "based"), [*product(SHAPES, MAPS, (True, False))])
def test_weights_agree_with_torch(shape: tuple[int, int], kind: str | None, based: bool) -> None:
    text = f"""
import torch
from torch.nn.utils.parametrizations import orthogonal
torch.manual_seed(0)
layer = torch.nn.Linear({shape[1]}, {shape[0]}, dtype=torch.double)
orthogonal(layer, orthogonal_map={kind!r}, use_trivialization={based})
layer.weight.pow(3).sum().backward()
print(layer, layer.weight, layer.parametrizations.weight.original.grad, sorted(layer.state_dict()))
try:
    layer.weight = torch.linalg.qr(torch.randn(4, 4, dtype=torch.double)).Q[:{shape[0]}, :{shape[1]}]
    print(layer.weight.round(decimals=6), layer.parametrizations.weight.original.round(decimals=6))
except Exception as error:
    print(type(error).__name__, error)
"""
    here, there = ours(text), torchs(text)
    assert alike(here, there), difference(here, there)
