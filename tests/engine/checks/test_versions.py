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


@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "relu", "sqrt"])
def test_these_save_their_result(name: str) -> None:
    x = leaf([1, 2])
    y = apply(name, x * 1)
    change(y)
    assert refused(y) == message("DoubleTensor [2]", f", which is output 0 of {name.capitalize()},")


@pytest.mark.parametrize("name", ["log", "sin", "abs"])
def test_these_save_their_input(name: str) -> None:
    x = leaf([1, 2])
    middle = x * 1
    y = apply(name, middle)
    change(y)
    y.backward(np.ones(2), retain_graph=True)  # the result is not needed
    change(middle)
    assert refused(y) == message("DoubleTensor [2]", ", which is output 0 of Mul,")


@pytest.mark.parametrize(
    ("data", "dtype", "kind"),
    [
        ([1, 2], np.float32, "FloatTensor [2]"),
        (1, np.float64, "DoubleTensor []"),
        ([[1, 2, 3]], np.float64, "DoubleTensor [1, 3]"),
    ],
)
def test_a_leaf_or_constant_has_no_origin(data: Any, dtype: Any, kind: str) -> None:
    x, c = leaf(data, dtype), tensor(np.array(data, dtype))
    y = x * c
    change(c)
    assert refused(y) == message(kind)


def test_the_expected_version_is_that_of_the_saving() -> None:
    x = leaf([1, 2])
    middle = x * 1
    change(middle)
    y = apply("sin", middle)
    y.backward(np.ones(2), retain_graph=True)
    change(middle)
    change(middle)
    assert refused(y) == message("DoubleTensor [2]", ", which is output 0 of Mul,", version=3, expected=1)


def test_what_is_not_needed_may_change() -> None:
    x, c = leaf([1, 2]), tensor(np.array([3.0, 4.0]))
    total = x + c
    product = x * c
    change(total)
    change(product)
    (total + product).backward(np.ones(2))
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.value, [4, 5])


def test_a_factor_is_saved_only_for_a_factor_that_requires_grad() -> None:
    x, c = leaf([1, 2]), tensor(np.array([3.0, 4.0]))
    y = x * c
    x.array[...] = 7
    x.changed()
    y.backward(np.ones(2))  # needs c, not x
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.value, [3, 4])


def test_views_and_detached_tensors_share_the_version() -> None:
    x = leaf([1, 2, 3])
    y = x * 1
    view, alias = apply("reshape", y, (3, 1)), y.detach()
    row = y[1:]  # type: ignore[index]
    change(row)
    assert (y._version, view._version, alias._version, row._version) == (1, 1, 1, 1)
    np.testing.assert_array_equal(y.value, [1, 7, 7])
    z = apply("sin", y)
    change(alias)
    assert refused(z) == message("DoubleTensor [3]", ", which is output 0 of Mul,", version=2, expected=1)
    assert apply("clone", y)._version == 0


def test_a_change_through_data_goes_unnoticed() -> None:
    x = leaf([1, 2])
    y = x * x
    x.array[...] = 5  # as `.data` does: no version
    y.backward(np.ones(2))
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.value, [10, 10])


def test_grad_checks_too() -> None:
    x = leaf([1, 2])
    y = apply("exp", x)
    change(y)
    with pytest.raises(AutogradError, match="modified by an inplace operation"):
        grad([y], [x], [np.ones(2)], create_graph=True)


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
