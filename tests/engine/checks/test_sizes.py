from __future__ import annotations

import numpy as np
import pytest

from gradcli.engine.checks.sizes import check_broadcast
from gradcli.engine.tensor import tensor
from gradcli.errors import AutogradError, EvaluationError
from gradcli.ops.pointwise.arithmetic import add, mul

LONG = np.ones(10**5, np.float32)


def test_arrays_that_broadcast_to_absurd_size_are_refused_before_memory_is_taken() -> None:
    with pytest.raises(EvaluationError, match="are the limit"):
        mul(tensor(LONG[:, None]), tensor(LONG))
    with pytest.raises(EvaluationError, match=r"\(100000, 100000\)"):
        check_broadcast([LONG[:, None], 2.0, LONG])


def test_large_arrays_of_one_shape_go_together() -> None:
    assert add(tensor(LONG), tensor(LONG)).shape == (10**5,)
    check_broadcast([LONG[:1], LONG, 3])


def test_shapes_that_do_not_go_together_are_told_as_torch_does() -> None:
    with pytest.raises(AutogradError, match="must match the size of tensor b"):
        add(tensor(LONG), tensor(LONG[1:]))
