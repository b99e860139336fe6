"""Layers against torch: what they start with, give and pass back."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded, printed

ROUNDED = [
    ("x", "nn.BatchNorm1d(3, affine=False)"),
    ("x", "nn.GroupNorm(1, 3)"),
    ("x", "nn.RMSNorm(3)"),
    ("images", "nn.Dropout2d(0.4)"),
    ("rows", "nn.AvgPool1d(3, 1, 1)"),
    ("rows", "nn.AdaptiveAvgPool1d(4)"),
    ("images", "nn.Conv2d(3, 4, 3, padding='same', bias=False)"),
    ("images", "nn.Conv2d(3, 4, (1, 2), dilation=2)"),
    ("images", "nn.MaxPool2d(2)"),
    ("images", "nn.AdaptiveAvgPool2d(1)"),
    ("images", "nn.AdaptiveAvgPool2d((None, 4))"),
    ("images", "nn.BatchNorm2d(3, momentum=None)"),
    ("images", "nn.BatchNorm2d(3, track_running_stats=False)"),
    ("images", "nn.ZeroPad2d((1, 0, 2, 1))"),
    ("images", "nn.Flatten()"),
    ("images[0]", "nn.Conv2d(3, 4, 3)"),
]
PASS = """
print(m, list(m.named_parameters()), list(m.state_dict()))
z = m(q)
print(z)
(z * torch.linspace(-1, 2, z.numel()).view(z.shape)).sum().backward()
print(q.grad, [p.grad for p in m.parameters()])
print(list(m.named_buffers()), m.eval()(q), torch.rand(1))
"""


@pytest.mark.parametrize(("given", "made"), ROUNDED)
def test_layers_of_sums(given: str, made: str) -> None:
    agree(f"m = {made}\nq = {given}.detach().requires_grad_()" + PASS)


def test_embedding() -> None:
    agree(
        "m = nn.Embedding(5, 3, padding_idx=1)\nz = m(y)\nprint(m, m.weight, z)\nz.sum().backward()\n"
        "print(m.weight.grad)"
    )
    agree("m = nn.Embedding.from_pretrained(t)\nprint(m, m.weight, m(y))")


@pytest.mark.parametrize(
    "text",
    [
        "nn.Linear(3, 2)([1.0])",
        "nn.Linear(3, 2, bias=False)(x.double())",
        "nn.Linear(3, 2)(torch.tensor(1.0))",
        "nn.Linear(3, 2)()",
        "nn.Linear(-1, 2)",
        "nn.Linear('a', 2)",
        "nn.Conv2d(3, 16, 3)(torch.ones(1, 1, 5, 5))",
        "nn.Conv2d(3, 16, 7)(images)",
        "nn.Conv2d(3, 16, 3)(images.double())",
        "nn.Conv2d(4, 3, 3, groups=2)",
        "nn.Conv2d(3, 4, 3, stride=2, padding='same')",
        "nn.BatchNorm1d(3)(x[:1])",
        "nn.BatchNorm1d(3)(x[0])",
        "nn.BatchNorm1d(4)(x)",
        "nn.BatchNorm1d(3)(x.double())",
        "nn.LayerNorm(4)(x)",
        "nn.LayerNorm(3)(x.double())",
        "nn.GroupNorm(2, 3)",
        "nn.Embedding(3, 2)(torch.tensor([3]))",
        "nn.Embedding(3, 2)(torch.tensor([1.0]))",
        "nn.Embedding(3, 2, 5)",
        "nn.Flatten()(x[0])",
        "nn.MaxPool2d(2)(x)",
    ],
)
def test_refusals(text: str) -> None:
    agree(guarded(text))


def test_a_layer_is_measured_before_it_is_made() -> None:
    assert "1,000,000,000,000 elements" in printed("nn.Linear(10**6, 10**6)")


def test_a_seeded_layer() -> None:
    assert printed("torch.manual_seed(0)\nprint(nn.Linear(2, 2))\nprint(nn.Linear(2, 1).weight)").startswith(
        "Linear(in_features=2, out_features=2, bias=True)\nParameter containing:\ntensor([["
    )
    text = "torch.manual_seed(0)\nm = nn.Linear(2, 2)\nprint(m.weight, m.bias)"
    assert printed(text) == (
        "Parameter containing:\ntensor([[-0.0053,  0.3793],\n        [-0.5820, -0.5204]], requires_grad=True) "
        "Parameter containing:\ntensor([-0.2723,  0.1896], requires_grad=True)\n"
    )
