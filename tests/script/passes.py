"""Backward passes with the rites of snippets, of tensors outside of one."""

from __future__ import annotations

from typing import Any

from gradcli.engine import backward as engine
from gradcli.engine.tensor import Tensor
from gradcli.script.torch.autograd.rites import SnippetRites


def backward(
    output: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False
) -> None:
    rites = SnippetRites(recorded=create_graph)
    steps = engine.walk([output], [gradient], retain_graph=retain_graph, create_graph=create_graph, rites=rites)
    engine.drain(steps, create_graph)
