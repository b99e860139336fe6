"""The gradients of a program as torch computes them, where it is installed: the text is Python but for its names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from gradcli.language.tree import Program
from tests.fuzz.laws.precise import ONE, SEVERAL

try:
    import torch
except ImportError:
    torch = None  # type: ignore[assignment]


def gradients(program: Program, values: Mapping[str, Any]) -> tuple[Any, dict[str, Any]] | None:
    """Return the value and the gradients of the sum of the output; None without torch, or where it refuses."""
    if torch is None:
        return None
    leaves = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in values.items()}
    known: dict[str, Any] = dict(leaves)
    found: Any = None
    for statement in program.statements:
        if statement.target in values:
            found = known[statement.target]
            continue
        start, end = statement.value.span
        try:
            found = eval(program.source.text[start:end], {**_names(), **known})
        except (RuntimeError, TypeError, ValueError, AttributeError):
            return None
        known[statement.target or "_"] = found
    if not torch.is_tensor(found) or found.grad_fn is None:
        return None
    found.sum().backward()
    zeros = {name: np.zeros(np.shape(value)) for name, value in values.items()}
    return found.detach().numpy(), {
        name: zeros[name] if leaf.grad is None else leaf.grad.numpy() for name, leaf in leaves.items()
    }


@cache
def _names() -> dict[str, Any]:
    """The functions by their names; those of numbers take numbers too."""
    spaces = (torch, torch.nn.functional, torch.special)
    found: dict[str, Any] = {}
    for space in reversed(spaces):
        found.update((name, getattr(space, name)) for name in dir(space) if not name.startswith("_"))
    found.update((name, _of_numbers(found[name])) for name in (*ONE, *SEVERAL) if name in found and name != "where")
    return found


def _of_numbers(function: Any) -> Any:
    return lambda *parts, **named: function(
        *(torch.tensor(part, dtype=torch.float64) if isinstance(part, int | float) else part for part in parts), **named
    )
