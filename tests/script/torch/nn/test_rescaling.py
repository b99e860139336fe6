"""Weights that are made of others against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, agree_closely, guarded


@pytest.mark.parametrize("made", ["nn.Linear(3, 2)", "nn.Linear(3, 2), dim=1", "nn.Linear(3, 2), dim=None"])
def test_weight_norm(made: str) -> None:
    agree_closely(
        f"m = nn.utils.weight_norm({made})\nprint(m, m.weight, m.weight_g, list(m.state_dict()))\n"
        "m(x).sum().backward()\nprint([p.grad for p in m.parameters()])\nm.weight_g.data += 1\nprint(m(x))\n"
        "print(list(nn.utils.remove_weight_norm(m).named_parameters()))"
    )


def test_spectral_norm() -> None:
    agree_closely(
        "m = nn.utils.spectral_norm(nn.Conv2d(3, 2, 2))\nprint(m, list(m.state_dict()), m.weight_u)\n"
        "m(images).sum().backward()\nprint(m.weight, m.weight_orig.grad, m.weight_v)\nm.eval()\nprint(m(images)[0, 0])"
    )


def test_refusals() -> None:
    agree(guarded("nn.utils.remove_weight_norm(nn.Linear(1, 1))"))
