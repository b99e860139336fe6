"""Attention and transformers against torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours
from tests.script.torch.nn.agreement import agree, guarded

START = """\
q, k = torch.randn(4, 2, 8), torch.randn(5, 2, 8)
later = torch.triu(torch.ones(4, 4, dtype=torch.bool), diagonal=1)
pad = torch.tensor([[False] * 4, [False, False, True, True]])
m = nn.MultiheadAttention(8, 2)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "called",
    [
        "m(q, q, q, attn_mask=later)",
        "nn.MultiheadAttention(8, 4, bias=False, batch_first=True)(q, q, q)",
        "F.scaled_dot_product_attention(images, images, images)",
    ],
)
def test_attention(called: str) -> None:
    agree(START + f"print({called}, m)")


@pytest.mark.parametrize(
    "called",
    [
        "nn.MultiheadAttention(8, 3)",
        "nn.MultiheadAttention(0, 3)",
        "m(q, q, q[:2])",
        "m(torch.randn(4, 2, 6), q, q)",
        "m(q, q, q, attn_mask=torch.zeros(3, 3))",
        "m(q, q, q, attn_mask=torch.zeros(3, 3).long())",
        "m(q, q, q, is_causal=True)",
        "nn.TransformerEncoderLayer(8, 2, activation='tanh')",
        "nn.Transformer(8, 2, 1, 1, 16)(q, q[:, :1])",
        "nn.Transformer(4, 2, 1, 1, 16)(q, q)",
    ],
)
def test_what_does_not_fit(called: str) -> None:
    agree(START + guarded(called))


@pytest.mark.parametrize(
    "text",
    [
        "m = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, activation='gelu', norm_first=True), 2)\n"
        "print(m, m(q, mask=nn.Transformer.generate_square_subsequent_mask(4)))",
        "m = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1, None, False).eval()\n"
        "q = torch.randn(2, 4, 8)\nprint(m(q, src_key_padding_mask=pad))\nwith torch.no_grad():\n"
        "    print(m(q, src_key_padding_mask=pad))",
        "m = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True)\nout = m(q, k[:4])\nprint(out + 3)\n"
        "out.sum().backward()\nprint([p.grad.shape for p in m.parameters()])",
    ],
)
def test_transformers(text: str) -> None:
    agree(START + text)


@pytest.mark.parametrize(
    ("called", "instead"),
    [
        ("m(q[:, 0], q[:, 0], q[:, 0])", "attention of anything but batches of sequences is not supported here"),
        ("nn.MultiheadAttention(8, 2, kdim=4)", "MultiheadAttention(kdim=...) is not supported here"),
    ],
)
def test_what_is_refused_by_name(called: str, instead: str) -> None:
    assert instead in ours("import torch\nfrom torch import nn\n" + START + called)
