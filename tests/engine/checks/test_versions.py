"""Version counters: a saved tensor that is changed in place is refused, in torch's words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli.ops
from gradcli.engine.backward import grad
from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import OPERATIONS

gradcli.ops.load()


def leaf(data: object, dtype: Any = np.float64) -> Tensor:
    return tensor(np.array(data, dtype=dtype), requires_grad=True)


def apply(name: str, *arguments: Any, **options: Any) -> Tensor:
    result: Tensor = OPERATIONS[name](*arguments, **options)
    return result


def change(x: Tensor) -> None:
    """As an in-place operation does."""
    x.array[...] = 7
    x.changed()


def message(kind: str, origin: str = "", version: int = 1, expected: int = 0) -> str:
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[torch.{kind}]{origin} is at version {version}; expected version {expected} instead. Hint: enable anomaly "
        "detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )


def refused(output: Tensor) -> str:
    with pytest.raises(AutogradError) as caught:
        output.backward(np.ones(output.shape))
    return str(caught.value)


MATRICES = {"svd": [[1, 2], [3, 5], [0, 1]], "qr": [[1, 2], [3, 5], [0, 1]]}


def factors(name: str, A: Tensor) -> list[Tensor]:
    found = apply(name, A)
    return [x for x in found if x.requires_grad] if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("name", ["svd", "qr", "eigh", "eigvalsh"])
def test_decompositions_work_on_a_copy_and_save_their_factor(name: str) -> None:
    A = leaf(MATRICES.get(name, [[2, 1], [1, 3]]))
    (expected,) = grad([factors(name, A * 1)[0].sum()], [A])
    matrix = A * 1
    parts = factors(name, matrix)
    change(matrix)
    (found,) = grad([parts[0].sum()], [A], retain_graph=True)
    assert found is not None
    assert expected is not None
    np.testing.assert_array_equal(found.value, expected.value)
    change(parts[0])
    assert "which is output 0 of Linalg" in refused(parts[0])
