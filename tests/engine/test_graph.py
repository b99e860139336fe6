"""The shape of graphs: names, edges, the order of the backward pass, and graphs too deep for recursion."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import gradcli.ops
from gradcli.engine.backward import Accumulation, Contribution, trace
from gradcli.engine.tensor import Tensor, tensor

gradcli.ops.load()


def leaf(data: object) -> Tensor:
    return tensor(np.array(data, dtype=np.float64), requires_grad=True)


def test_backward_runs_the_newest_node_first() -> None:
    a = leaf(2)
    b = 3 * a
    c = b + 1
    d = b * b
    e = c + d
    names = {id(node.node): name for name, node in {"b": b, "c": c, "d": d, "e": e}.items()}
    events = list(trace([e], [None]))
    order = list(dict.fromkeys(names[id(event.node)] for event in events if isinstance(event, Contribution)))
    assert order == ["e", "d", "c", "b"]
    assert isinstance(events[-1], Accumulation)
    assert events[-1].gradient == 39


def test_the_events_of_a_diamond() -> None:
    x = leaf(3)
    y = x * x
    contributions = [event for event in trace([y], [None]) if isinstance(event, Contribution)]
    assert [(e.position, e.upstream, e.contribution, e.total) for e in contributions] == [(0, 1, 3, 3), (1, 1, 3, 6)]


def test_an_event_shows_the_sum_over_broadcast_axes() -> None:
    x, b = leaf([[1, 2], [3, 4]]), leaf(0.5)
    events = [event for event in trace([x + b], [np.ones((2, 2))]) if isinstance(event, Contribution)]
    assert [(event.unsummed.shape, event.contribution.shape) for event in events] == [((2, 2), (2, 2)), ((2, 2), ())]


@pytest.mark.slow
def test_a_deep_chain_needs_no_stack() -> None:
    depth = 50_000
    assert sys.getrecursionlimit() < depth
    x = leaf(1.0)
    y = x
    for _ in range(depth):
        y = y * 1.00001
    y.backward()
    assert x.grad is not None
    assert x.grad.item() == pytest.approx(1.00001**depth, rel=1e-9)
    y = x  # drops the chain, which frees its nodes one in another
    assert y.is_leaf


@pytest.mark.slow
def test_a_hundred_thousand_nodes() -> None:
    x = leaf(1.0)
    total = x
    for _ in range(50_000):
        total = total + x * 0.5  # two nodes, and fifty thousand ways to the leaf
    total.backward()
    assert x.grad is not None
    assert x.grad.item() == 25_001


@pytest.mark.slow
def test_a_deep_second_derivative_needs_no_stack() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(5_000):
        y = y * x
    y.backward(create_graph=True)
    g = x.grad
    assert g is not None
    assert g.item() == 5_001
    x.grad = None
    g.backward()
    assert x.grad is not None
    assert x.grad.item() == 5_000 * 5_001
