"""The operations of a snippet are told as those of a program: in one row, whatever torch takes for them."""

from __future__ import annotations

import gc
from weakref import WeakSet

import pytest

from gradcli.engine.graph import Node
from gradcli.explanation.build import explain
from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation
from gradcli.language.parser import parse_program
from gradcli.language.unparser import unparse
from gradcli.script.timeline.model import Backward, Forward
from gradcli.script.timeline.passes import as_written
from gradcli.source import Source
from tests.script.running import recorded

VALUES = {
    "x": [1.0, 2.0],
    "A": [[1.0, 2.0], [3.0, 5.0]],
    "b": [0.5, -1.0],
    "B": [[[1.0, 2.0], [0.5, 1.0]], [[2.0, 0.0], [1.0, 1.0]]],
}
START = "\n".join(
    ["import torch, torch.nn.functional as F"]
    + [f"{name} = torch.tensor({value}, requires_grad=True)" for name, value in VALUES.items()]
)
WRITTEN = {
    "A @ A.T": "A @ A.T",
    "B @ x": "B @ x",
    "B @ A": "B @ A",
    "torch.outer(x, b)": "outer(x, b)",
    "torch.einsum('ij,kj->ik', A, A)": "einsum('ij,kj->ik', A, A)",
    "A[1, 0]": "A[1, 0]",
    "B[..., 0, :1]": "B[..., 0, :1]",
    "F.normalize(A)": "normalize(A)",
    "torch.stack([x, b])": "stack([x, b])",
    "torch.std(A, dim=0)": "std(A, dim=0)",
}


@pytest.mark.parametrize("call", WRITTEN)
def test_an_operation_of_a_snippet_has_the_rows_that_it_has_in_a_program(call: str) -> None:
    timeline = recorded(f"{START}\ny = {call}\nz = y.sum()\nz.backward()\n")
    program = parse_program(Source(f"y = {WRITTEN[call]}\nz = sum(y)", "program"))
    told = explain(program, {name: VALUES[name] for name in VALUES if name in WRITTEN[call]})
    (found,) = (e.explanation for e in map(as_written, timeline.events) if isinstance(e, Backward) and e.explanation)
    assert rows(found) == rows(folded(told))
    made = [made for event in timeline.events if isinstance(event, Forward) for made in event.made]
    names = {node.id: node for node in told.nodes if node.kind == "op"}
    assert [(one.name, one.inserted, one.part_of) for one in made] == [
        (name, node.inserted, node.part_of) for name, node in names.items()
    ]


def rows(explanation: Explanation) -> list[tuple[str, str, tuple[str, ...]]]:
    return [
        (node.id, unparse(node.expression), tuple(unparse(local.rule) for local in node.locals))
        for node in explanation.nodes
        if node.kind == "op"
    ]


def test_an_argument_that_torch_converts_keeps_its_name() -> None:
    labels = "labels = torch.tensor([1, 0])\n"
    timeline = recorded(f"{START}\n{labels}loss = F.cross_entropy(A @ A, labels)\nloss.backward()\n")
    assert "labels" in {node.id for e in timeline.events if isinstance(e, Backward) for node in e.explanation.nodes}  # type: ignore[union-attr]


def test_no_graph_is_kept_alive_by_what_is_known_of_its_calls() -> None:
    gc.collect()
    before = WeakSet(one for one in gc.get_objects() if issubclass(type(one), Node))
    timeline = recorded(
        f"{START}\nfor k in range(5):\n    y = (x @ A)[0:1] @ b[1:]\n    y.sum().backward()\ny = None\n"
    )
    assert timeline.events
    del timeline
    gc.collect()
    assert not [one for one in gc.get_objects() if issubclass(type(one), Node) and one not in before]
