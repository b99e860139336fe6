"""Subscripts crossed with what is written there, against torch."""

from __future__ import annotations

from tests.script.agreement import agree

CROSSED = """
import torch
def show(*found):
    print(*(tuple(x.shape) if isinstance(x, torch.Tensor) else x for x in found))

true, first, row = torch.tensor(True), torch.tensor(0), torch.tensor([0])
items = [0, -4, first, row, [0, 1], slice(None), None, True, False, true, (slice(None), [0, 1]),
         (slice(None), first), (first, first), (0, first), (0, 0, 0), (None, first), (true, 0), (true, true), 5, (0, 5),
         torch.zeros(0, dtype=torch.long), (slice(None), slice(0, 1)), (..., 0),
         (first, slice(0, 1)), (row, slice(None), row), (..., [0])]
values = [5, 2.5, torch.tensor(7.0), torch.tensor([8.0]), torch.ones(1, 1, 1), torch.ones(2, 3), torch.ones(5, 1, 2, 3)]
for x in torch.tensor(3.0), torch.arange(3.0), torch.arange(6.0).view(2, 3), torch.zeros(0, 3), torch.zeros(2, 0):
    for place, item in enumerate(items):
        try:
            show(x.shape, place, x[item].flatten().tolist())
        except Exception as error:
            show(x.shape, place, type(error).__name__)
        for value in values:
            y = x.clone()
            try:
                y[item] = value
                show(x.shape, place, value, y.flatten().tolist())
            except Exception as error:
                show(x.shape, place, value, type(error).__name__)
"""


def test_subscripts() -> None:
    agree(CROSSED)
