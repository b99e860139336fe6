"""Whole networks that learn, against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, agree_closely, printed

LOOP = """
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = criterion(model(given), target)
    loss.backward()
    optimizer.step()
    print(f"{step} {loss.item():.4f}")
print(loss.grad_fn, list(model.named_parameters()), [p.grad for p in model.parameters()])
model.eval()
with torch.no_grad():
    print(model(given))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "model, criterion = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 3)), nn.MSELoss()\ntarget = t",
        "model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))\n"
        "criterion, target = nn.CrossEntropyLoss(), y",
        "model, criterion = nn.Linear(3, 1), nn.BCEWithLogitsLoss()\ntarget = (t[:, :1] > 0).float()",
        "model = nn.Sequential(nn.Linear(3, 4, bias=False), nn.BatchNorm1d(4), nn.Tanh(), nn.LayerNorm(4))\n"
        "model.append(nn.Linear(4, 3))\n"
        "criterion, target = nn.L1Loss(), t",
    ],
)
def test_networks(text: str) -> None:
    agree_closely(f"given = x.detach()\n{text}" + LOOP)


def test_images() -> None:
    agree_closely(
        "given, target = images.detach(), torch.tensor([0, 1])\n"
        "criterion, convolution = nn.CrossEntropyLoss(), nn.Conv2d(3, 4, 3, padding=1)\n"
        "model = nn.Sequential(convolution, nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 2))" + LOOP
    )


def test_the_graph_of_a_layer() -> None:
    agree(
        """
z = nn.Linear(3, 2)(x)
print(z.grad_fn, [f and f[0] for f in z.grad_fn.next_functions])
z = nn.Linear(3, 2)(t)
print([f and f[0] for f in z.grad_fn.next_functions], z.grad_fn.next_functions[2][0].next_functions)
"""
    )


def test_a_network_learns() -> None:
    text = """
model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
given = torch.linspace(-1, 1, 20).view(-1, 1)
for step in range(200):
    optimizer.zero_grad()
    loss = nn.MSELoss()(model(given), given**2)
    loss.backward()
    optimizer.step()
print(loss.item() < 0.05, len(list(model.parameters())))
"""
    assert printed(text) == "True 4\n"
