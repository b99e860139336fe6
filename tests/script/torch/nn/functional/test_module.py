"""`torch.nn.functional` against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded

CALLS = [
    "F.relu(x)", "F.relu(x, True) if False else F.relu(x * 1, True)", "F.relu_(x * 1)", "F.leaky_relu(x, 0.2)",
    "F.elu(x, alpha=2.0)", "F.hardtanh(x, -0.5, 0.5)", "F.softplus(x, beta=2)", "F.gelu(x, approximate='tanh')",
    "F.tanh(x)", "F.logsigmoid(x)", "F.silu(x)", "F.softmax(x, 1)", "F.softmax(x, dim=1, dtype=torch.float64)",
    "F.linear(x, t)", "F.linear(x, t, torch.ones(4))", "F.linear(x[0], t)", "F.dropout(x, 0.3)", "F.dropout(x, 1.0)",
    "F.dropout(x * 1, training=False)", "F.dropout(x * 1, 0.3, inplace=True)", "F.normalize(x, dim=1)",
    "F.cosine_similarity(x, t)", "F.avg_pool1d(x[None], 2)", "F.max_pool2d(images, 2)", "F.avg_pool2d(images, 2)",
]  # fmt: skip
PASS = """
print(z, [f and f[0] for f in z.grad_fn.next_functions])
(z * torch.linspace(-1, 2, z.numel()).view(z.shape)).sum().backward()
print(x.grad, images.grad, torch.rand(1))
"""


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_functions(call: str) -> None:
    agree(f"z = {call}" + PASS)


@pytest.mark.parametrize(
    "text",
    [
        "F.linear(x, torch.ones(5, 4))",
        "F.linear(x, t, torch.ones(4).double())",
        "F.linear(3, t)",
        "F.dropout(x, 1.5)",
        "F.one_hot(torch.tensor([1.0]))",
        "F.one_hot(torch.tensor([-1, 2]))",
        "F.one_hot(torch.tensor([3]), 2)",
        "F.softmax(x, 2)",
    ],
)
def test_refusals(text: str) -> None:
    agree(guarded(text))
