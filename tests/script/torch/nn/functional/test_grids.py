"""Images read at the places of a grid, against torch: values, gradients and gradients of gradients."""

from __future__ import annotations

import pytest

from tests.script.agreement import agree
from tests.script.running import ours

START = """
import torch
import torch.nn.functional as F
torch.manual_seed(1)
image = torch.rand({shape}, dtype=torch.double, requires_grad=True)
grid = (torch.rand({places}, dtype=torch.double) * 3 - 1.5).requires_grad_()
"""


@pytest.mark.parametrize("aligned", [True, False])
def test_readings_agree_with_torch(aligned: bool) -> None:
    text = START.format(shape="2, 2, 3, 4", places="2, 2, 3, 2")
    text += f"""
found = F.grid_sample(image, grid, align_corners={aligned})
print(found, found.grad_fn.name())
both = torch.autograd.grad((found ** 2).sum(), (image, grid), create_graph=True)
print([g.detach() for g in both])
print(torch.autograd.grad(both[0].sum() + (both[1] ** 2).sum(), (image, grid)))
"""
    agree(text)


REFUSED = {
    "F.grid_sample(image, grid, 'bicubic')": "grid_sample with mode='bicubic', padding_mode='zeros'",
    "F.grid_sample(image, grid, padding_mode='reflection')": "padding_mode='reflection' is not supported here",
    "F.affine_grid(torch.ones(1, 3, 4), (1, 1, 2, 2, 2))": "anything but a batch of images is not supported here",
}


@pytest.mark.parametrize("call", REFUSED)
def test_readings_that_are_refused(call: str) -> None:
    assert REFUSED[call] in ours(START.format(shape="2, 2, 3, 4", places="2, 2, 3, 2") + call)


@pytest.mark.parametrize("aligned", [True, False])
def test_affine_grids_agree_with_torch(aligned: bool) -> None:
    text = f"""
import torch
import torch.nn.functional as F
cases = (torch.arange(1.0, 13.0).view(2, 2, 3), (2, 1, 3, 4)), (torch.arange(1.0, 7.0).view(1, 2, 3), (1, 1, 2, 1))
for theta, size in cases:
    theta.requires_grad_()
    found = F.affine_grid(theta, torch.Size(size), align_corners={aligned})
    print(found, torch.autograd.grad((found ** 3).sum(), theta))
"""
    agree(text)
