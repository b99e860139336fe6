"""Recurrent layers and cells against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded

LAYERS = [
    "nn.RNN(3, 4, 2, batch_first=True)",
    "nn.GRU(3, 4, batch_first=True)",
    "nn.LSTM(3, 4, 2, bias=False)",
    "nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True)",
    "nn.GRU(3, 2, 2, dropout=0.5, bidirectional=True)",
    "nn.RNN(3, 2, 1, 'relu', bidirectional=True)",
]


@pytest.mark.parametrize("made", LAYERS)
def test_layers(made: str) -> None:
    agree(
        f"m = {made}\nprint(m)\nq = torch.randn(5, 2, 3, requires_grad=True)\nout, state = m(q)\nprint(out, state)\n"
        "(out**2).sum().backward()\nprint(q.grad, [p.grad for p in m.parameters()])\n"
        "print(m(q, state)[0] if q.shape[0] == 2 else 0)"
    )


@pytest.mark.parametrize("made", ["nn.RNNCell(3, 4)", "nn.GRUCell(3, 4)", "nn.LSTMCell(3, 4, bias=False)"])
def test_cells(made: str) -> None:
    agree(
        f"m = {made}\nprint(m, list(m.named_parameters()))\nq = torch.randn(2, 5, 3, requires_grad=True)\n"
        "h = m(q[0])\nh = m(q[1], h)\nprint(h)\nlast = h[0] if isinstance(h, tuple) else h\nlast.sum().backward()\n"
        "print(q.grad)"
    )


@pytest.mark.parametrize(
    "made",
    [
        "nn.LSTM(3, 0)",
        "nn.LSTM(3, 4, dropout=2)",
        "nn.RNN(3, 4, nonlinearity='sigmoid')",
        "nn.LSTM(3, 4)(q.double())",
        "nn.LSTM(3, 4)(q, (torch.zeros(1, 3, 4), torch.zeros(1, 2, 4)))",
        "nn.LSTM(3, 4)(q, (torch.zeros(2, 4), torch.zeros(2, 4)))",
        "nn.LSTM(3, 4)(q, torch.zeros(1, 2, 4))",
        "nn.LSTM(3, 4, 2)(q, torch.zeros(2, 2, 4))",
        "nn.RNNCell(2, 4)(q[0])",
        "nn.GRUCell(3, 4)(q[0], torch.zeros(3, 4))",
    ],
)
def test_what_does_not_fit(made: str) -> None:
    agree("q = torch.randn(5, 2, 3)\n" + guarded(made))
