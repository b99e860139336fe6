"""Short Python programs that run on torch and on the engine alike, and what they leave behind."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import gradcli.ops
from gradcli.engine.modes import set_grad_enabled, switched
from gradcli.engine.tensor import Tensor, tensor
from gradcli.ops.support.surface import OPERATIONS

gradcli.ops.load()
SNIPPETS = Path(__file__).with_name("snippets.txt")
START = """
def leaf(*shape):
    return torch.tensor(np.arange(1.0, 1 + np.prod(shape, dtype=int)).reshape(shape).tolist(), requires_grad=True)
x = leaf(2, 3)
y = x * 1
"""
GIVEN = {"torch", "np", "leaf", "__builtins__", "__warningregistry__"}


class Engine:
    """What snippets call `torch`, where they run on the engine."""

    bool, uint8, int32, int64 = (np.dtype(name) for name in ("?", "u1", "i4", "i8"))
    float16, float32, float64 = (np.dtype(name) for name in ("f2", "f4", "f8"))
    tensor = staticmethod(tensor)
    no_grad = staticmethod(partial(set_grad_enabled, False))

    @staticmethod
    def zeros(*shape: int, dtype: Any = np.float32) -> Tensor:
        return Tensor(np.zeros(shape, dtype))

    @staticmethod
    def ones(*shape: int, dtype: Any = np.float32) -> Tensor:
        return Tensor(np.ones(shape, dtype))

    def __getattr__(self, name: str) -> Any:
        return OPERATIONS[name].function


def lines(*headings: str) -> list[str]:
    """The snippets below some headings (`# views`); `;;` stands for the end of a line."""
    found, heading = [], ""
    for line in SNIPPETS.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line.removeprefix("# ")
        elif line and (not headings or heading in headings):
            found.append(line)
    return found


def outcome(snippet: str, torch: Any) -> Any:
    """The facts about each variable that the snippet leaves, or the text of its error."""
    scope: dict[str, Any] = {"torch": torch, "np": np}
    try:
        with switched(default_dtype=np.dtype(np.float32)):
            exec(START + snippet.replace(";;", "\n"), scope)
    except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, NotImplementedError) as error:
        return getattr(error, "message", str(error))
    return {name: facts(name, value) for name, value in scope.items() if name not in GIVEN and is_fact(value)}


def is_fact(value: Any) -> bool:
    return isinstance(value, bool | int | float | list | tuple | np.ndarray) or is_tensor(value)


def is_tensor(value: Any) -> bool:
    return type(value).__name__ in ("Tensor", "View")


def facts(name: str, value: Any) -> Any:
    """A tensor by dtype, entries, history and version; the version of gradients (`g...`) is torch's own affair."""
    if isinstance(value, list | tuple):
        return [facts(name, item) for item in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if not is_tensor(value):
        return value
    entries = np.array(value.value if isinstance(value, Tensor) else value.data.tolist())
    dtype = str(value.dtype).removeprefix("torch.")
    version = None if name.startswith("g") else value._version
    return [
        dtype,
        entries.shape,
        np.round(entries.astype(float), 4).tolist(),
        value.requires_grad,
        graph(value),
        version,
    ]


def graph(value: Any) -> str:
    """The nodes from the tensor down, each written out once."""
    try:
        root = value.grad_fn
    except RuntimeError as error:
        return getattr(error, "message", str(error))
    seen: dict[Any, int] = {}

    def write(node: Any) -> str:
        if node is None:
            return "-"
        if node in seen:
            return f"#{seen[node]}"
        seen[node] = len(seen)
        return f"{node.name()}({', '.join(write(edge) for edge, _ in node.next_functions)})"

    return write(root)
