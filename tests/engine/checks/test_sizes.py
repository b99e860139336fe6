from __future__ import annotations

import numpy as np
import pytest

from gradcli.engine.checks.shapes import check_broadcast
from gradcli.engine.tensor import tensor
from gradcli.errors import AutogradError, EvaluationError
from gradcli.ops.pointwise.arithmetic import add, mul
from gradcli.ops.shaping.shaping import apply_reshape

LONG = np.ones(10**5, np.float32)


def test_arrays_that_broadcast_to_absurd_size_are_refused_before_memory_is_taken() -> None:
    with pytest.raises(EvaluationError, match="are the limit"):
        mul(tensor(LONG[:, None]), tensor(LONG))
    with pytest.raises(EvaluationError, match=r"\(100000, 100000\)"):
        check_broadcast([LONG[:, None], 2.0, LONG])


def test_a_dimension_of_nothing_excuses_no_other() -> None:
    """A list of as many rows takes memory, however empty each is."""
    empty = tensor(np.ones((0, 3)))
    assert apply_reshape(empty, (5, -1)).shape == (5, 0)
    with pytest.raises(EvaluationError, match="are the limit"):
        apply_reshape(empty, (10**9, 0))


def test_large_arrays_of_one_shape_go_together() -> None:
    assert add(tensor(LONG), tensor(LONG)).shape == (10**5,)
    check_broadcast([LONG[:1], LONG, 3])


def test_shapes_that_do_not_go_together_are_told_as_torch_does() -> None:
    with pytest.raises(AutogradError, match="must match the size of tensor b"):
        add(tensor(LONG), tensor(LONG[1:]))
