"""One run leaves nothing switched for the next in the same process."""

from __future__ import annotations

from copy import copy

import pytest

from gradcli.engine.modes import Mode, mode
from tests.script.running import ours

ASKED = """
import numpy, torch
print(numpy.array([1/3]))
x = torch.tensor([1.0, 1/3], requires_grad=True)
print(x * 1e-5, x.dtype, x.grad_fn, (x * x).requires_grad, torch.is_inference_mode_enabled())
print(torch.is_anomaly_enabled())
with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
    (x * x).sum().backward()
with torch.autograd.forward_ad.dual_level():
    print(x.grad)
"""


@pytest.mark.parametrize(
    "left",
    [
        "torch.set_default_dtype(torch.float64)",
        "torch.autograd.set_detect_anomaly(True, check_nan=False)",
        "import numpy; numpy.set_printoptions(precision=2)",
    ],
)
def test_a_setting_ends_with_its_run(left: str) -> None:
    before = {name: copy(getattr(mode, name)) for name in Mode.__slots__}
    fresh = ours(ASKED)
    assert "Error" not in fresh
    assert ours(f"import torch\n{left}\n1/0") == "Error: ZeroDivisionError: division by zero\n"
    assert {name: copy(getattr(mode, name)) for name in Mode.__slots__} == before
    assert ours(ASKED) == fresh
