"""Losses where they are delicate: kinks, certain answers, huge logits, ignored labels, and torch's refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.backward import grad
from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError
from gradcli.explanation.build import explain
from gradcli.language.parser import parse_program
from gradcli.ops.support.surface import OPERATIONS
from gradcli.source import Source
from tests.ops.structure import structure

INF, NAN = float("inf"), float("nan")
SATURATED = 1000000003995.8029  # one over torch's 1e-12, a single-precision number


def gradients(out: Any, *leaves: Tensor, **options: Any) -> list[Any]:
    return list(grad([out], leaves, [np.ones(out.shape)], **options))


@pytest.mark.parametrize(
    ("name", "x", "y", "options", "value", "to_input", "to_target"),
    [
        (
            "binary_cross_entropy",
            [0, 1, 0, 1],
            [0, 1, 1, 0],
            {},
            [0, 0, 100, 100],
            [0, 0, -SATURATED, SATURATED],
            [INF, -INF, INF, -INF],
        ),
        (
            "binary_cross_entropy_with_logits",
            [1000, -1000, 0],
            [0, 0, 0],
            {},
            [1000, 0, 0.6931471805599453],
            [1, 0, 0.5],
            [-1000, 1000, 0],
        ),
        (
            "binary_cross_entropy_with_logits",
            [1000, -1000, 0],
            [1, 1, 1],
            {"pos_weight": 3.0},
            [0, 3000, 2.0794415416798357],
            [0, -3, -1.5],
            [-1000, 3000, 1.3862943611198904],
        ),
        ("l1_loss", [1, 2], [1, 1], {}, [0, 1], [0, 1], [0, -1]),
    ],
)
def test_edges(name: str, x: Any, y: Any, options: dict[str, Any], value: Any, to_input: Any, to_target: Any) -> None:
    leaves = [tensor(np.array(v, float), requires_grad=True) for v in (x, y)]
    out = OPERATIONS[name](*leaves, reduction="none", **options)
    np.testing.assert_allclose(out.value, value, rtol=1e-15)
    for found, expected in zip(gradients(out, *leaves), (to_input, to_target), strict=True):
        np.testing.assert_allclose(found.value, expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["huber_loss", "smooth_l1_loss"])
def test_the_second_derivative_ends_before_the_joint(name: str) -> None:
    x, y = tensor([1.0, -1, 0, 3], requires_grad=True), tensor([0.0, 0, 0, 0])
    (first,) = gradients(OPERATIONS[name](x, y, reduction="sum"), x, create_graph=True)
    assert first.value.tolist() == [1, -1, 0, 1]
    assert gradients(first, x)[0].value.tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(("reduction", "value"), [("mean", NAN), ("sum", 0), ("none", [0, 0])])
def test_all_labels_ignored(reduction: str, value: Any) -> None:
    x = tensor([[-1.0, -2], [-3, -4]], requires_grad=True)
    out = OPERATIONS["nll_loss"](x, [-100, -100], reduction=reduction)
    np.testing.assert_array_equal(out.value, value)
    assert gradients(out, x)[0].value.tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("weights", [[1, -2], [0, 0], [-0.5, 0.25]])
def test_weights_that_add_up_to_anything(weights: list[float]) -> None:
    """The formula of the average divides by their sum."""
    program = parse_program(Source(f"cross_entropy(x, [1, 0], weight={weights})"))
    found = explain(program, {"x": [[1.0, 2], [3, 4]]})
    assert np.array_equal(np.isfinite(found.value), bool(sum(weights)))
    assert all(local.reason is not None for node in found.nodes for local in node.locals if node.op == "nll_loss")


def test_cross_entropy_of_huge_scores() -> None:
    x = tensor([[1000.0, -1000], [1000, -1000]], requires_grad=True)
    out = OPERATIONS["cross_entropy"](x, [0, 1])
    assert out.item() == 1000
    assert gradients(out, x)[0].value.tolist() == [[0, 0], [0.5, -0.5]]


@pytest.mark.parametrize(
    ("shape", "target", "options", "expected"),
    [
        ((2, 3, 4), [[0] * 4] * 2, {}, "NllLoss2D(View(LogSoftmax(leaf)))"),
        ((2, 3, 2, 1), [[[0], [1]]] * 2, {}, "NllLoss2D(LogSoftmax(leaf))"),
        ((2, 3), [[0.2, 0.3, 0.5]] * 2, {}, "DivBackward1(Neg(Sum(Mul(LogSoftmax(leaf), None))))"),
    ],
)
def test_graph_of_cross_entropy(shape: tuple[int, ...], target: Any, options: dict[str, Any], expected: str) -> None:
    out = OPERATIONS["cross_entropy"](tensor(np.ones(shape), requires_grad=True), target, **options)
    assert structure(out.grad_fn) == expected


@pytest.mark.parametrize(
    ("name", "operands", "options", "message"),
    [
        ("smooth_l1_loss", [[1.0], [1.0]], {"beta": -1}, "smooth_l1_loss does not support negative values for beta."),
        ("huber_loss", [[1.0], [1.0]], {"delta": 0}, "huber_loss does not support non-positive values for delta."),
        ("binary_cross_entropy", [[NAN], [1.0]], {}, "all elements of input should be between 0 and 1"),
        ("nll_loss", [[[1.0, 2, 3]], [5]], {}, "Target 5 is out of bounds."),
        (
            "cross_entropy",
            [[[1.0, 2, 3]], [0]],
            {"weight": [1, 2]},
            "weight tensor should be defined either for all 3 classes or no classes but got weight tensor of shape: "
            "[2]",
        ),
        (
            "cross_entropy",
            [[[1.0, 2, 3]], [0.5]],
            {},
            "expected target dtype to be Long or Byte, but got Double",
        ),
    ],
)
def test_refusals(name: str, operands: list[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(AutogradError) as error:
        OPERATIONS[name](*operands, **options)
    assert error.value.message == message


def test_weights_take_no_gradient() -> None:
    weight = tensor([1.0, 2, 3], requires_grad=True)
    with pytest.raises(
        AutogradError, match="'nll_loss_forward' is not differentiable with respect to argument 'weight'"
    ):
        OPERATIONS["cross_entropy"]([[1.0, 2, 3]], [0], weight=weight)
