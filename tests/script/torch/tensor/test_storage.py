"""The memory behind tensors, printed as in torch."""

from __future__ import annotations

import pytest

from tests.script.torch.expressions import compare

pytest.importorskip("torch")

EXPRESSIONS = r"""
z.storage()
z.untyped_storage()
torch.empty(0).storage()
torch.tensor([1, 2]).storage()
s = z.storage(); (type(s), len(s), s[0], s[-1], s.tolist(), s.size(), s.dtype, list(s), s.nbytes(), s.element_size())
s = z.storage(); s[0] = 9.0; s[1:3] = 7.0; z
z.storage()[10]
z.storage()[0:2]
z.t().storage().data_ptr() == z.storage().data_ptr()
z[1].storage().tolist()
z.untyped_storage().nbytes()
type(z.untyped_storage())
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_prints_as_torch_does(expression: str) -> None:
    compare(f"z = torch.tensor([[1.0, 2.0], [3.0, 4.0]]); {expression}")
