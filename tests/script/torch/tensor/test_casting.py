"""Tensors in other dtypes."""

from __future__ import annotations

import pytest

from tests.script.running import ours


@pytest.mark.parametrize("kind", ["[]", "{}", "()", "[('a', 'f4')]"])
@pytest.mark.parametrize("call", ["x.type({})", "x.to({})", "torch.from_numpy(np.ones(2).astype({}))"])
def test_a_dtype_is_one_of_torchs(call: str, kind: str) -> None:
    assert "TypeError" in ours(f"import torch, numpy as np\nx = torch.ones(2)\nprint({call.format(kind)})")
