"""The tensors and numbers that a node of torch saved, by their names, its results among them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import torch

from gradcli.live.passes import Node

MISSING = object()  # what a node did not save
UNSIGNED = 2**63  # torch keeps a negative number as an unsigned one, from here on
RESULTS = {  # names under which nodes save their results, but for `result`
    "LinalgCholeskyExBackward0": ("L",), "LinalgInvExBackward0": ("inverse",), "LinalgSlogdetBackward0": ("sign",),
    "LinalgEighBackward0": ("eigenvalues", "eigenvectors"), "LinalgQrBackward0": ("Q", "R"),
    "LinalgSvdBackward0": ("U", "S", "Vh"),
}  # fmt: skip


def saved(node: Node, name: str) -> Any:
    """Return the value that a node saved under a name, or `MISSING`."""
    value = getattr(node, f"_saved_{name}", None)
    return MISSING if value is None else value


@cache
def names_of_saved(kind: Any) -> frozenset[str]:
    return frozenset(name.removeprefix("_saved_") for name in dir(kind) if name.startswith("_saved_"))


def results_of(node: Node) -> Iterator[tuple[int, torch.Tensor]]:
    """Yield the results that a node saved, with the number of each."""
    numbered = tuple(f"result{place}" for place in range(len(node._input_metadata)))
    for names in (numbered, RESULTS.get(node.name(), ("result",))):
        for place, name in enumerate(names):
            if isinstance(result := saved(node, name), torch.Tensor):
                yield place, result


def signed(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple(map(signed, value))
    return value - 2 * UNSIGNED if isinstance(value, int) and value >= UNSIGNED else value


def is_readable(tensor: torch.Tensor) -> bool:
    """Tell whether numpy can read the numbers of a tensor."""
    return tensor.layout == torch.strided and not tensor.is_complex()


def numbers(tensor: torch.Tensor) -> Any:
    """Return the numbers of a tensor, on whatever device; numpy has no bfloat16, which float32 holds."""
    dense = tensor if tensor.layout == torch.strided else tensor.to_dense()
    return (dense.float() if dense.dtype == torch.bfloat16 else dense).numpy(force=True)[()]
