"""Formats of memory: ways to copy, crossed with formats and with how the tensor lay before."""

from __future__ import annotations

import pytest

from tests.script.agreement import REFUSED, agree

pytest.importorskip("torch")

PROGRAM = """
import torch
last, rows, kept = torch.channels_last, torch.contiguous_format, torch.preserve_format
base = torch.arange(48.0).view(2, 3, 4, 2)
pixels = base.to(memory_format=last)
laid = [base, pixels, pixels[..., ::2, :], base.transpose(1, 2), base.permute(3, 0, 2, 1), base[:, :1], base[0],
        base[:1].expand(2, 3, 4, 2)]
ways = [lambda x, **o: x.contiguous(**o), lambda x, **o: x.clone(**o), lambda x, **o: torch.clone(x, **o),
        lambda x, **o: x.to(torch.float64, **o), lambda x, **o: x.to(torch.float32, **o), lambda x, **o: x.to(**o),
        lambda x, **o: x.double(**o), lambda x, **o: x.float(**o), lambda x, **o: x.int(**o), lambda x, **o: x.cpu(**o)]
likes = [torch.zeros_like, torch.ones_like, torch.empty_like, torch.rand_like,
         lambda x, **o: torch.full_like(x, 2, **o)]
def shown(x, found):
    return found.stride(), found is x, found.is_contiguous(), found.is_contiguous(memory_format=last)
for n, x in enumerate(laid):
    print(n, x.is_contiguous(), x.is_contiguous(memory_format=last), x.is_contiguous(memory_format=rows))
    for options in {}, {"memory_format": last}, {"memory_format": rows}, {"memory_format": kept}:
        for m, way in enumerate(ways):
            refused(lambda: (n, m, shown(x, way(x, **options)), torch.equal(way(x, **options).float(), x)))
        for m, like in enumerate(likes):
            refused(lambda: (n, m, shown(x, like(x, **options))))
    print(torch.cat((x, x)).stride(), torch.cat((x, x), -1).stride(), torch.cat((x, x.contiguous())).stride())
refused(lambda: base.to(memory_format=torch.channels_last_3d))
refused(lambda: torch.empty(2, 3, 4, 5, memory_format=last).stride())
y = base.clone().requires_grad_()
found = y.contiguous(memory_format=last)
found.pow(2).sum().backward()
print(found.grad_fn.name(), y.grad.stride())
"""


def test_formats() -> None:
    agree(REFUSED + PROGRAM)
