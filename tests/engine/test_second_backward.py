"""Which nodes can be walked twice: those that saved nothing; and what the others say."""

from __future__ import annotations

import pytest

from gradcli.errors import AutogradError
from tests.programs import run

SECOND_TIME = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)

AGAIN = [
    "x + y",
    "x - y",
    "1 - x",
    "-x",
    "sum(x)",
    "sum(x, dim=0)",
    "mean(x)",
    "mean(x, dim=1)",
    "x.view(4)",
    "reshape(x, (4, 1))",
    "x[0]",
    "x[:, 0:1]",
    "expand(x, (3, 2, 2))",
    "cat([x, y])",
    "stack([x, y])",
    "unsqueeze(x, 0)",
    "transpose(x, 0, 1)",
    "x.T",
    "permute(x, (1, 0))",
    "x.clone()",
    "cumsum(x, 0)",
]
ONCE = [
    "x*y",
    "x*2",
    "x/y",
    "x**2",
    "x**y",
    "exp(x)",
    "relu(x)",
    "abs(x)",
    "max(x)",
    "max(x, dim=0).values",
    "clamp(x, 0, 1)",
    "where(x > 2, x, y)",
    "softmax(x, dim=1)",
    "prod(x)",
    "x[[0, 1], [1, 0]]",
    "gather(x, 1, [[0, 0], [1, 0]])",
    "x @ y",
    "sigmoid(x)",
    "log(x)",
]
LEAVES = "x = [[1, 2], [3, 4]]; y = [[5, 6], [7, 8]]; "


@pytest.mark.parametrize("expression", AGAIN)
def test_a_node_that_saved_nothing_goes_again(expression: str) -> None:
    found = run(LEAVES + expression)
    for _ in range(2):
        found.output.backward(found.upstream)
    once = run(LEAVES + expression)
    once.output.backward(once.upstream)
    twice, single = found.leaves["x"].grad, once.leaves["x"].grad
    assert twice is not None
    assert single is not None
    assert (twice.value == 2 * single.value).all()


@pytest.mark.parametrize("expression", ONCE)
def test_a_node_that_saved_something_does_not(expression: str) -> None:
    found = run(LEAVES + expression)
    found.output.backward(found.upstream)
    with pytest.raises(AutogradError) as caught:
        found.output.backward(found.upstream)
    assert str(caught.value) == SECOND_TIME
    assert "retain_graph=True" in caught.value.help


@pytest.mark.parametrize("expression", ONCE)
def test_retain_graph_keeps_what_was_saved(expression: str) -> None:
    found = run(LEAVES + expression)
    found.output.backward(found.upstream, retain_graph=True)
    found.output.backward(found.upstream)
    with pytest.raises(AutogradError):
        found.output.backward(found.upstream)


def test_create_graph_retains_too() -> None:
    found = run("x = 3; x*x")
    found.output.backward(create_graph=True)
    found.output.backward()
    assert found.leaves["x"].grad is not None
    assert found.leaves["x"].grad.item() == 12


def test_a_shared_part_is_freed_by_the_first_pass() -> None:
    x = run("x = 2; x*x").leaves["x"]
    shared = x * x
    first, second = shared + 1, shared + 2
    first.backward()
    with pytest.raises(AutogradError) as caught:
        second.backward()
    assert str(caught.value) == SECOND_TIME
