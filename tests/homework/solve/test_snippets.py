"""Questions on PyTorch snippets: gradients that add up, what has none, and other things one can type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.homework.asking import Grader, assignment, marked

LEAVES = """
import torch
a = torch.tensor([1.5, -2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0])
c = a * b
d = (c ** 2).sum()
d.backward()
with torch.no_grad():
    e = a * 2
"""
PASSES = """
import torch
w = torch.tensor(0.5, requires_grad=True)
for x, y in [{points}]:
    {zero}
    loss = (w * x - y) ** 2
    loss.backward()
"""
POINTS = [(1.5, 2.0), (-3.0, 1.0), (0.7, -1.2)]
BATCH = """
import torch
X = torch.tensor({X})
Y = torch.tensor({Y})
W = torch.tensor({W}, requires_grad=True)
b = torch.tensor({b}, requires_grad=True)
loss = ((torch.tanh(X @ W + b) - Y) ** 2).mean()
loss.backward()
"""


def script(text: str, *asks: str) -> Grader:
    return assignment(f"script = '''{text}'''\nask = {list(asks)!r}\n")


def codes(grader: Grader, quantity: str, text: str) -> tuple[str, list[str]]:
    answer = marked(grader, {quantity: text})[quantity]
    return answer.verdict, [one.code for one in answer.diagnoses]


@pytest.mark.parametrize(
    ("quantity", "right", "wrong"),
    [
        ("a.grad", ["[27, -64]", "tensor([ 27., -64.])", "[2*1.5*9, -64.0]"], ["[27, 64]", "None", "[1, 2, 3]"]),
        ("b.grad", ["None", "none"], ["0", "[0, 0]", "True", "[27, -64]"]),
        ("c.requires_grad", ["True"], ["False"]),
        ("c.grad_fn", ["<MulBackward0 object at 0x7f00>"], ["<AddBackward0 object at 0x7f00>"]),
    ],
)  # fmt: skip
def test_what_a_snippet_leaves(quantity: str, right: list[str], wrong: list[str]) -> None:
    grader = script(LEAVES, quantity)
    for text in right:
        assert codes(grader, quantity, text) == ("correct", []), text
    for text in wrong:
        verdict, _ = codes(grader, quantity, text)
        assert verdict in ("wrong", "shape", "unreadable", "precision"), text


def test_why_a_gradient_is_none() -> None:
    grader = script(LEAVES, "b.grad", "c.grad")
    for quantity, text, word in (("b.grad", "[27, -64]", "requires"), ("c.grad", "[9, -16]", "leaf")):
        assert word in marked(grader, {quantity: text})[quantity].remark


def passes(count: int, *, zero: bool) -> tuple[Grader, list[float]]:
    """A snippet with so many backward passes, and the gradient of each."""
    points = POINTS[:count]
    written = PASSES.format(points=", ".join(map(str, points)), zero="w.grad = None" if zero else "pass")
    return script(written, "w.grad"), [2 * (0.5 * x - y) * x for x, y in points]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_gradients_of_several_passes(count: int) -> None:
    """Without zero_grad the last gradient alone is a mistake, with it the sum; so is what was there before."""
    grader, each = passes(count, zero=False)
    assert codes(grader, "w.grad", f"{sum(each):.6f}") == ("correct", [])
    for wrong in {each[-1], sum(each[:-1]), 2 * each[-1]} - {0, sum(each)}:
        verdict, found = codes(grader, "w.grad", f"{wrong:.6f}")
        assert verdict == "wrong"
        assert "stale-grad" in found, (wrong, found)
    grader, each = passes(count, zero=True)
    assert codes(grader, "w.grad", f"{each[-1]:.6f}") == ("correct", [])
    for wrong in {sum(each), sum(each[-2:])} - {each[-1]}:
        verdict, found = codes(grader, "w.grad", f"{wrong:.6f}")
        assert verdict == "wrong"
        assert "stale-grad" in found


def batch(seed: int) -> tuple[Grader, dict[str, Any]]:
    """A layer with numbers of its own, and its gradients by direct formulas."""
    numbers = np.random.default_rng(seed)
    X, Y, W, b = (np.round(numbers.normal(size=shape) / 2, 2) for shape in ((4, 3), (4, 2), (3, 2), (2,)))
    out = np.tanh(X @ W + b)
    rows = 2 * (out - Y) / Y.size * (1 - out**2)
    text = BATCH.format(X=X.tolist(), Y=Y.tolist(), W=W.tolist(), b=b.tolist())
    pre = 2 * (out - Y) / Y.size
    known = {
        "right": {"W.grad": X.T @ rows, "b.grad": rows.sum(0)},
        "mean-n": {"W.grad": X.T @ rows * Y.size, "b.grad": rows.sum(0) * Y.size},
        "broadcast-unsummed": {"b.grad": rows},
        "transpose": {"W.grad": (X.T @ rows).T},
        "pre-post-activation": {"b.grad": (pre * (1 - (X @ W + b) ** 2)).sum(0)},
        "stale-grad": {"W.grad": 2 * X.T @ rows},
        "sign": {"W.grad": -X.T @ rows, "b.grad": (-rows).sum(0)},
        "not-a-gradient": {"W.grad": W, "b.grad": b - 0.1 * rows.sum(0)},
    }
    return script(text, "W.grad", "b.grad"), known


STEPS = """
import torch
w = torch.tensor([0.5, 1.5], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = (w ** 3).sum()
    loss.backward()
    optimizer.step()
"""


LAYERS = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
with torch.no_grad():
    net[0].weight.copy_(torch.tensor([[1.0, -1.0], [0.5, 2.0]]))
    net[2].weight.copy_(torch.tensor([[1.5, -0.5]]))
    net[0].bias.zero_()
    net[2].bias.fill_(0.25)
loss = ((net(torch.tensor([[1.0, 2.0], [3.0, 1.0]])) - torch.tensor([[1.0], [0.0]])) ** 2).mean()
loss.backward()
"""


@pytest.mark.slow
def test_the_weight_of_a_layer_by_its_number_is_explained() -> None:
    grader = script(LAYERS, "net[0].weight.grad")
    assert codes(grader, "net[0].weight.grad", "[[6.75, 2.25], [-0.75, 2.25]]") == ("correct", [])
    assert "transpose" in codes(grader, "net[0].weight.grad", "[[6.75, -0.75], [2.25, 2.25]]")[1]


def test_a_seed_that_was_left_out_leaves_the_local_derivative() -> None:
    text = (
        "x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\ny = x ** 2\ny.backward(torch.tensor([1.0, 0.1, -2.0]))"
    )
    grader = script(f"import torch\n{text}\n", "x.grad")
    assert codes(grader, "x.grad", "[2, 0.4, -12]") == ("correct", [])
    assert codes(grader, "x.grad", "[2, 4, 6]") == ("wrong", ["local-not-total"])


TWO_PASSES = """
import torch
x = torch.tensor(1.5, requires_grad=True)
s = x ** 2
s.retain_grad()
q = s * s
q.backward()
y = torch.tensor(2.5, requires_grad=True)
z = y ** 2
z.retain_grad()
(z * z).backward()
"""


def test_what_follows_from_a_number_of_the_same_pass_is_carried() -> None:
    grader = script(TWO_PASSES, "s.grad", "x.grad", "y.grad")
    answers = marked(grader, {"s.grad": "7.25", "x.grad": "21.75", "y.grad": "36.25"})
    assert [answer.verdict for answer in answers.values()] == ["wrong", "carried", "wrong"]


def test_a_step_with_the_rate_of_the_snippet_is_known() -> None:
    weights = np.array([0.5, 1.5]) - 0.03 * 3 * np.array([0.5, 1.5]) ** 2
    gradient = 3 * weights**2
    grader = script(STEPS.replace("0.1", "0.03"), "w.grad")
    assert codes(grader, "w.grad", str(gradient.tolist())) == ("correct", [])
    assert "not-a-gradient" in codes(grader, "w.grad", str((weights - 0.03 * gradient).tolist()))[1]


def test_a_script_without_a_seed_has_the_same_answers_each_time() -> None:
    text = "import torch\nlayer = torch.nn.Linear(1, 1)\n(layer.weight * 3).sum().backward()\n"
    told = {repr(marked(script(text, "layer.bias"), {"layer.bias": "0"})) for _ in range(3)}
    assert len(told) == 1
