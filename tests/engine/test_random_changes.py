"""Random changes through random views, on torch and on the engine: memory, gradients, graphs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.snippets import Engine, outcome

torch = pytest.importorskip("torch")

LOOKS = ["t()", "view(-1)[1:5].view(2, 2)", "flatten()[:4].view(2, 2)", "unsqueeze(0)[0]", "transpose(0, 1)", "clone()"]
LOOKS += ["narrow(0, 0, 1).expand(1, -1)", "diagonal()", "select(0, 0)", "permute(1, 0)", "detach()", "reshape(-1, 1)"]
CHANGES = ["{v} *= 3", "{v}.add_(1)", "{v}.zero_()", "{v}.fill_(w.sum())", "{v}.mul_(w[0, 0])", "{v}.pow_(2)"]
CHANGES += ["{v}[0] = 7", "{v}[..., 0] = w[1, 2]", "{v}[{v} > 2] = w[0, 1]", "{v}.copy_({v} * 2)", "{v}[-1:] += 1"]


@st.composite
def snippets(draw: st.DrawFn) -> str:
    """Views of views, changes of some of them, and a backward pass from what came of it all."""
    lines, names = ["w = leaf(2, 3)"], ["y"]
    for number in range(draw(st.integers(1, 5))):
        if draw(st.booleans()):
            lines.append(f"v{number} = {draw(st.sampled_from(names))}.{draw(st.sampled_from(LOOKS))}")
            names.append(f"v{number}")
        else:
            lines.append(draw(st.sampled_from(CHANGES)).format(v=draw(st.sampled_from(names))))
    total = " + ".join(f"{name}.sum() * {number + 2}" for number, name in enumerate(names))
    return ";;".join([*lines, f"out = {total}", "out.backward()", "gx = x.grad", "gw = w.grad"])


@pytest.mark.slow
@settings(max_examples=60)
@given(snippets())
def test_changes_do_as_torch(snippet: str) -> None:
    assert outcome(snippet, Engine()) == outcome(snippet, torch)


LATER = ["t()", "view(-1).view(3, 2).t()", "t().unsqueeze(0)[0]", "permute(1, 0).select(0, 1)"]


@pytest.mark.parametrize("later", LATER)
@pytest.mark.parametrize("look", LOOKS)
def test_a_gradient_in_any_order_of_memory_goes_through_a_change(look: str, later: str) -> None:
    snippet = f"w = leaf(2, 3);;v = y.{look};;u = y.{later};;v *= 3;;out = (u * u).sum();;out.backward();;gx = x.grad"
    assert outcome(snippet, Engine()) == outcome(snippet, torch)
