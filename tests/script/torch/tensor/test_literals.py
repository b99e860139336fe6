"""Arrays of kinds of numbers that torch has and this has not are refused by name."""

from __future__ import annotations

import pytest

from tests.script.running import ours


@pytest.mark.parametrize("kind", ["uint16", "uint32", "uint64"])
@pytest.mark.parametrize("make", ["torch.from_numpy", "torch.tensor", "torch.as_tensor"])
def test_wide_kinds_without_a_sign_are_refused(make: str, kind: str) -> None:
    found = ours(f"import numpy as np\nimport torch\nprint({make}(np.ones(2, dtype=np.{kind})).dtype)")
    assert f"the dtype torch.{kind} is not supported here" in found
