"""Tensors in other dtypes, and kinds of numbers that are refused by name."""

from __future__ import annotations

import pytest

from tests.script.running import ours


@pytest.mark.parametrize("kind", ["[]", "{}", "()", "[('a', 'f4')]"])
@pytest.mark.parametrize("call", ["x.type({})", "x.to({})", "torch.from_numpy(np.ones(2).astype({}))"])
def test_a_dtype_is_one_of_torchs(call: str, kind: str) -> None:
    assert "TypeError" in ours(f"import torch, numpy as np\nx = torch.ones(2)\nprint({call.format(kind)})")


@pytest.mark.parametrize("kind", ["uint16", "uint32", "uint64"])
@pytest.mark.parametrize("make", ["torch.from_numpy", "torch.tensor", "torch.as_tensor"])
def test_wide_kinds_without_a_sign_are_refused(make: str, kind: str) -> None:
    found = ours(f"import numpy as np\nimport torch\nprint({make}(np.ones(2, dtype=np.{kind})).dtype)")
    assert f"the dtype torch.{kind} is not supported here" in found
