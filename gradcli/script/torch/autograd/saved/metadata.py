"""`node._input_metadata`: the shapes and dtypes of the gradients that arrive at a node."""

from __future__ import annotations

from typing import Any

from gradcli.engine.graph import AccumulateGrad, Node, wholes
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import Facade
from gradcli.script.torch.devices import CPU
from gradcli.script.torch.tensor.dtypes import BY_NUMPY


class InputMetadata(Facade):
    """The facts that torch's node knows of a gradient that arrives at it."""

    is_nested_tensor = is_cpp_nested_tensor = False

    def __init__(self, value: Any) -> None:
        self.shape = list(value.shape)
        self.dtype = BY_NUMPY[value.dtype]
        self.device = CPU


InputMetadata.__module__, InputMetadata.__qualname__ = "torch._C._autograd", "_InputMetadata"


def input_metadata(node: Any) -> tuple[InputMetadata, ...]:
    """`node._input_metadata`: one for each result."""
    if isinstance(node, AccumulateGrad):
        return (InputMetadata(node.variable),)
    if not isinstance(node, Node):  # the context of a function of the snippet
        if node._node is None or len(node._outputs) != len(node._node.call.outputs):
            raise UnsupportedError("_input_metadata of a function with other outputs is not supported here")
        return tuple(map(InputMetadata, node._outputs))
    parts = wholes[node].parts if node in wholes else [node]
    if any(part is None or part.out is None for part in parts):
        raise UnsupportedError("_input_metadata of results that are gone is not supported here")
    return tuple(InputMetadata(part.out) for part in parts if part is not None)
