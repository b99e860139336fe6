"""Losses against torch, as modules and as functions."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded, warned

CALLS = [
    "nn.MSELoss()(x, t.double())",
    "nn.MSELoss()(x, y[:, None])",
    "F.mse_loss(x[:, :1], t)",
    "F.smooth_l1_loss(x, t, beta=0.0)",
    "nn.BCELoss()(x.sigmoid(), t.sigmoid())",
    "nn.BCELoss(weight=torch.tensor([1.0, 2, 3]))(x.sigmoid(), t.sigmoid())",
    "nn.CrossEntropyLoss(torch.tensor([1.0, 2, 3]))(x, y)",
    "nn.CrossEntropyLoss()(x, t.softmax(1))",
    "F.cross_entropy(x, y, reduction='sum')",
    "F.cross_entropy(x[0], torch.tensor(1))",
    "nn.KLDivLoss()(F.log_softmax(x, 1), t.softmax(1))",
    "nn.KLDivLoss(reduction='sum', log_target=True)(F.log_softmax(x, 1), t.log_softmax(1))",
]


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_values_gradients_and_graphs(call: str) -> None:
    agree(
        f"loss = {call}\nprint(loss, [f and f[0] for f in loss.grad_fn.next_functions])\n"
        "loss.sum().backward()\nprint(x.grad)\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "F.cross_entropy(x, y - 1)",
        "F.cross_entropy(x, y[:3])",
        "F.cross_entropy(x, y[:, None])",
        "F.cross_entropy(x, [0, 1, 2, 1])",
        "F.cross_entropy(x, torch.ones(4, 3, dtype=torch.int64))",
        "F.nll_loss(x, t[:, 0])",
        "nn.CrossEntropyLoss(reduction='avg')(x, y)",
        "nn.MSELoss()(x, 1.0)",
        "nn.MSELoss(reduction='avg')(x, t)",
        "F.mse_loss(x, t[:3])",
        "nn.BCELoss()(x, t.sigmoid())",
        "nn.BCELoss()(x.sigmoid(), t.sigmoid()[:, :1])",
        "F.binary_cross_entropy(x.sigmoid(), (t > 0).long())",
        "nn.BCEWithLogitsLoss()(x, t[:, :1])",
        "nn.BCEWithLogitsLoss()(x, (t > 0).long())",
    ],
)
def test_refusals(text: str) -> None:
    agree(guarded(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "F.mse_loss(x[:, 0], t[:, :1])",
            "Using a target size (torch.Size([4, 1])) that is different to the input size (torch.Size([4])).",
        ),
        ("nn.L1Loss()(x[:, 0], t[:, :1])", "This will likely lead to incorrect results due to broadcasting"),
        ("F.softmax(x)", "Implicit dimension choice for softmax has been deprecated. Change the call"),
        ("nn.KLDivLoss()(x, t.softmax(1))", "reduction: 'mean' divides the total loss by both the batch size"),
    ],
)
def test_warnings(text: str, words: str) -> None:
    (warning,) = warned(text)
    assert words in warning
