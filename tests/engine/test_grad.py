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
    ],
)
def test_refusals(outputs: str, inputs: str, gradients: Any, message: str) -> None:
    tensors = {"x": leaf(2), "v": leaf([1, 2]), "c": tensor(1.0)}
    output = tensors[outputs[0]] * tensors[outputs[0]]
    with pytest.raises(AutogradError) as caught:
        grad([output], [tensors[inputs]], gradients)
    assert str(caught.value) == message
    assert isinstance(caught.value, RuntimeError)


def test_a_hessian_from_basis_vectors() -> None:
    x = leaf([1, 2, 3])
    (first,) = grad([(x[0] * x[1] * x[2]).sum() + (x**3).sum()], [x], create_graph=True)  # type: ignore[index]
    assert first is not None
    rows = [values(grad([first], [x], [row], retain_graph=True))[0] for row in np.eye(3)]
    assert rows == [[6, 3, 2], [3, 12, 1], [2, 1, 18]]
