"""Dropout of every kind against torch: the same entries, in the same order."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded, warned


@pytest.mark.parametrize(
    "called",
    [
        "F.dropout(x.t(), 0.3)",
        "F.dropout(x[:, None].expand(4, 2, 3))",
        "F.dropout(x.t()[:, None].expand(3, 2, 4))",
        "F.dropout(torch.stack([x.t(), x.t()]))",
        "F.dropout(x.t().softmax(1))",
        "F.dropout(F.layer_norm(x.t(), (4,)))",
        "F.dropout1d(rows, 0.5)",
        "F.dropout1d(rows[0], 0.5)",
        "F.dropout2d(images, 0.5)[0, :, 0]",
        "F.dropout3d(images, 0.5)[:, 0, 0]",
        "nn.AlphaDropout(0.3)(x)",
        "F.alpha_dropout(x, 1.0, True)",
        "F.rrelu(x, training=True)",
        "nn.RReLU(0.1, 0.3).eval()(x)",
        "(nn.RReLU(), nn.Dropout3d(), nn.AlphaDropout(0.1))",
    ],
)
def test_noise(called: str) -> None:
    agree(f"print({called})")


@pytest.mark.parametrize("called", ["F.dropout1d(x[0])", "nn.Dropout(1.5)", "nn.Dropout(0, 0, 0)"])
def test_what_does_not_fit(called: str) -> None:
    agree(guarded(called))


def test_warnings_of_dimensions() -> None:
    assert "Received a 3D input to dropout2d" in warned("F.dropout2d(rows)")[0]
    assert warned("F.dropout3d(rows)")[0].startswith("dropout3d: Received a 3-D input to dropout3d")
