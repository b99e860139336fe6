"""Names for the tensors of a live graph: the caller's own variables, and those of its modules' parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch

from gradcli.errors import UsageError
from gradcli.source import visible

NAMES = "give tensors by name, as dict(model.named_parameters()) does"
IN_LIST = re.compile(r"\d+(\.\d+)*")  # a parameter of a list: its number alone would not name it
WORD = re.compile(r"(?=.*[^\W\d])\w[\w.]*")  # a module of a list begins with its number: 0.weight


def tensors_of(scopes: Iterable[Mapping[str, Any]]) -> dict[str, torch.Tensor]:
    """Return the tensors that variables hold, and the parameters of modules: `model.0.weight`."""
    names: dict[str, torch.Tensor] = {}
    for scope in scopes:
        for name, value in scope.items():
            if name.startswith("_"):
                continue
            if isinstance(value, torch.Tensor):
                names.setdefault(name, value)
            elif isinstance(value, torch.nn.Module):
                for inner, parameter in value.named_parameters():
                    names.setdefault(f"{name}.{inner}", parameter)
    return names


def checked_names(names: Any) -> dict[str, torch.Tensor]:
    """Return the caller's tensors by name; UsageError for a name that is no name, or that names no tensor."""
    try:
        tensors = dict(names)
    except (TypeError, ValueError):
        raise UsageError("E008", "names is no dictionary", help=NAMES) from None
    tensors = {f"model.{name}" if IN_LIST.fullmatch(str(name)) else name: tensor for name, tensor in tensors.items()}
    for name, tensor in tensors.items():
        if not isinstance(tensor, torch.Tensor):
            message = f"{visible(str(name))} names {type(tensor).__name__}, not a tensor"
            raise UsageError("E008", message, help=NAMES)
        if not isinstance(name, str) or not WORD.fullmatch(name):
            raise UsageError("E008", f"{name!a} is no name of a tensor", help="use letters, digits, _ and dots")
    return tensors


class KnownNames:
    """The names of the caller's tensors, which are looked up by tensor, node, memory or shape."""

    def __init__(self, names: Mapping[str, torch.Tensor]) -> None:
        self.tensors = dict(names)
        self.by_tensor = {id(tensor): name for name, tensor in reversed(self.tensors.items())}
        self.by_node = {
            (tensor.grad_fn, tensor.output_nr): name
            for name, tensor in reversed(self.tensors.items())
            if tensor.grad_fn is not None
        }

    def leaf(self, variable: torch.Tensor) -> str | None:
        return self.by_tensor.get(id(variable))

    def equal(self, shape: tuple[int, ...]) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the data of the caller that can be broadcast to a shape."""
        for name, tensor in self.tensors.items():
            sizes = zip(reversed(tensor.shape), reversed(shape), strict=False)
            if not tensor.requires_grad and tensor.ndim <= len(shape) and all(a in (1, b) for a, b in sizes):
                yield name, tensor

    def data(self, saved: torch.Tensor) -> str | None:
        """Return the name of a tensor that a node saved: the same memory, seen in the same way."""
        for name, tensor in self.tensors.items():
            if (
                not tensor.requires_grad
                and tensor.layout == saved.layout == torch.strided
                and tensor.data_ptr() == saved.data_ptr()
                and tensor.shape == saved.shape
                and tensor.stride() == saved.stride()
                and tensor.dtype == saved.dtype
            ):
                return name
        return None
