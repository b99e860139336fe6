"""`grad`, as torch.autograd.grad: gradients handed over, second and third order, and its refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli.ops
from gradcli.engine.backward import grad
from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError

gradcli.ops.load()


def leaf(data: object) -> Tensor:
    return tensor(np.array(data, dtype=np.float64), requires_grad=True)


def values(gradients: tuple[Tensor | None, ...]) -> list[Any]:
    return [None if g is None else g.value.tolist() for g in gradients]


def test_gradients_are_handed_over_and_not_accumulated() -> None:
    x, y = leaf([1, 2]), leaf(3)
    assert values(grad([(x * y).sum()], [x, y])) == [[3, 3], 3]
    assert x.grad is None
    assert y.grad is None


def test_by_a_result_in_between() -> None:
    x = leaf(2)
    y = x * x
    z = y * y + y
    assert values(grad([z], [y, x, z, y], retain_graph=True)) == [9, 36, 1, 9]


def test_an_output_that_is_the_input() -> None:
    x = leaf([1, 2])
    assert values(grad([x], [x], [np.array([3, 4])])) == [[3, 4]]
    y = x * 2
    assert values(grad([y, x], [x], [np.ones(2), np.ones(2)])) == [[3, 3]]


def test_several_outputs() -> None:
    x = leaf(3)
    assert values(grad([x * x, 5 * x], [x])) == [11]
    y = x * x
    assert values(grad([y, y], [x], [np.float64(1), np.float64(10)])) == [66]


def test_unused_inputs() -> None:
    x, unused = leaf(2), leaf(3)
    with pytest.raises(AutogradError) as caught:
        grad([x * x], [x, unused])
    assert str(caught.value) == (
        "The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow_unused=True if "
        "this is the desired behavior."
    )
    assert values(grad([x * x], [unused, x], allow_unused=True)) == [None, 4]


@pytest.mark.parametrize(
    ("outputs", "inputs", "gradients", "message"),
    [
        ("x*x", "c", None, "One of the differentiated Tensors does not require grad"),
        ("c*c", "x", None, "element 0 of tensors does not require grad and does not have a grad_fn"),
        ("v*v", "v", None, "grad can be implicitly created only for scalar outputs"),
        (
            "v*v",
            "v",
            [np.ones(3)],
            "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of "
            "torch.Size([2]).",
        ),
        (
            "x*x",
            "x",
            [np.ones(1)],
            "Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and output[0] has a shape of "
            "torch.Size([]).",
        ),
    ],
)
def test_refusals(outputs: str, inputs: str, gradients: Any, message: str) -> None:
    tensors = {"x": leaf(2), "v": leaf([1, 2]), "c": tensor(1.0)}
    output = tensors[outputs[0]] * tensors[outputs[0]]
    with pytest.raises(AutogradError) as caught:
        grad([output], [tensors[inputs]], gradients)
    assert str(caught.value) == message
    assert isinstance(caught.value, RuntimeError)


def test_one_element_needs_no_upstream() -> None:
    x = leaf([[3]])
    (x * x).backward()
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.value, [[6]])


def test_orders_of_derivatives() -> None:
    x = leaf(2)
    y = x**5
    found = []
    for _ in range(5):
        (y,) = grad([y], [x], create_graph=True)  # type: ignore[assignment]
        found.append(y.item())
    assert found == [80, 160, 240, 240, 120]


def test_only_create_graph_makes_a_graph_of_the_gradient() -> None:
    x = leaf(2)
    (plain,) = grad([x * x], [x])
    (graphed,) = grad([x * x], [x], create_graph=True)
    assert plain is not None
    assert graphed is not None
    assert not plain.requires_grad
    assert graphed.requires_grad


def test_backward_with_create_graph_leaves_a_graph_in_grad() -> None:
    x = leaf(3)
    (x**3).backward(create_graph=True)
    first = x.grad
    assert first is not None
    assert first.requires_grad
    (first * first).backward()
    assert x.grad is not None
    assert x.grad.item() == 27 + 2 * 27 * 18  # into the same .grad, as torch does


def test_an_upstream_gradient_is_differentiated_too() -> None:
    x, u = leaf(3), leaf(5)
    (first,) = grad([x * x], [x], [u], create_graph=True)
    assert first is not None
    assert values(grad([first], [x, u])) == [10, 6]


def test_a_hessian_from_basis_vectors() -> None:
    x = leaf([1, 2, 3])
    (first,) = grad([(x[0] * x[1] * x[2]).sum() + (x**3).sum()], [x], create_graph=True)  # type: ignore[index]
    assert first is not None
    rows = [values(grad([first], [x], [row], retain_graph=True))[0] for row in np.eye(3)]
    assert rows == [[6, 3, 2], [3, 12, 1], [2, 1, 18]]
