"""Sequences of different lengths against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded

START = """\
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
a, b, c = torch.tensor([1., 2, 3]), torch.tensor([4., 5]), torch.tensor([6.])
q = pad_sequence([a, b, c], batch_first=True).unsqueeze(-1).requires_grad_()
"""


@pytest.mark.parametrize(
    "text",
    [
        "print(pad_sequence([a, b, c], padding_value=-1), pad_sequence([b, a], True, padding_side='left'))",
        "p = pack_padded_sequence(q, [3, 2, 1], batch_first=True)\nprint(p, type(p))\ndata, sizes, *rest = p\n"
        "u, n = pad_packed_sequence(p, batch_first=True, total_length=4)\n"
        "print(u, n)\nu.sum().backward()\nprint(q.grad)",
        "p = pack_padded_sequence(q, torch.tensor([2, 3, 1]), batch_first=True, enforce_sorted=False)\nprint(p)\n"
        "print(pad_packed_sequence(p))",
    ],
)
def test_sequences(text: str) -> None:
    agree(START + text)


@pytest.mark.parametrize("made", ["nn.GRU(1, 2)", "nn.LSTM(1, 2, 2, bidirectional=True)", "nn.RNN(1, 3)"])
def test_layers(made: str) -> None:
    agree(
        START
        + f"m = {made}\np = pack_padded_sequence(q.transpose(0, 1), [2, 3, 1], enforce_sorted=False)\no, h = m(p)\n"
        "print(o, h)\npad_packed_sequence(o)[0].sum().backward()\nprint(q.grad, [p.grad for p in m.parameters()])"
    )


@pytest.mark.parametrize(
    "called",
    [
        "pack_padded_sequence(q, [1, 2, 3], batch_first=True)",
        "pack_padded_sequence(q, [3, 2], batch_first=True)",
        "pack_padded_sequence(q, [3, 2, 0], batch_first=True)",
        "pad_packed_sequence(pack_padded_sequence(q, [3, 2, 1], batch_first=True), total_length=2)",
    ],
)
def test_what_does_not_fit(called: str) -> None:
    agree(START + guarded(called))
