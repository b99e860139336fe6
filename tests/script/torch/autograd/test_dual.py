"""Forward mode: its switch, and the memory of tangents, as in torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

pytest.importorskip("torch")

SWITCH = """
import torch
import torch.autograd.forward_ad as fwAD

x, t = torch.ones(2), torch.ones(2) * 3
print(fwAD._is_fwd_grad_enabled(), torch._C._is_fwd_grad_enabled())
with fwAD.dual_level():
    d = fwAD.make_dual(x, t)
    with fwAD._set_fwd_grad_enabled(False):
        y = d * 2
        e = fwAD.make_dual(x, t)
        print(fwAD._is_fwd_grad_enabled(), fwAD.unpack_dual(d), y, fwAD.unpack_dual(e))
        with fwAD._set_fwd_grad_enabled(True):
            print(fwAD.unpack_dual(d * d))
    print(fwAD.unpack_dual(y), fwAD.unpack_dual(d), fwAD.unpack_dual(e))
torch._C._set_fwd_grad_enabled(False)
with fwAD.dual_level():
    d = fwAD.make_dual(x, t)
    print(fwAD.unpack_dual(d), fwAD._is_fwd_grad_enabled())
    fwAD._set_fwd_grad_enabled(True)
    print(fwAD.unpack_dual(d))
    try:
        fwAD.enter_dual_level()
    except RuntimeError as error:
        print(error)
"""
LAYOUTS = """
import torch
import torch.autograd.forward_ad as fwAD

def layouts():
    flat = torch.ones(7)
    return [torch.ones(2, 3), torch.ones(3, 2).t(), torch.ones(4, 3)[:2], torch.ones(4, 3)[2:], flat[1:].view(2, 3),
            torch.ones(2, 3, requires_grad=True), torch.ones(3, 2, requires_grad=True).t()]

for x in layouts():
    for t in layouts():
        with fwAD.dual_level():
            dual = fwAD.make_dual(x, t)
            got = fwAD.unpack_dual(dual).tangent
            print(got is t, got.stride(), got.requires_grad, got.grad_fn is None)
            with torch.no_grad():
                got.mul_(2)
            print(t[0, 0].item(), t._version)
"""


@pytest.mark.parametrize("text", [SWITCH, LAYOUTS], ids=["switch", "layouts"])
def test_dual_tensors(text: str) -> None:
    """A tangent that lies otherwise than its value is a copy."""
    assert ours(text) == torchs(text)
