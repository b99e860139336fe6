"""Record the arguments that torch's operators have and gradcli's have not.

    python -m tests.script.record_absent

Run by hand, with torch installed. The names come from torch's schemas, and from the signatures of Python functions.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

import gradcli
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.torch.operations.arguments import FILE

TARGET = Path(gradcli.__file__).parent / "script" / "torch" / "operations" / FILE
OURS = {
    "self",
    "out",
    "axis",
    "x",
    "input",
    "dtype",
    "layout",
    "device",
    "pin_memory",
    "generator",
    "names",
    "args",
    "kwargs",
}
PLACES: tuple[Any, ...] = (torch.nn.functional, torch, torch.linalg, torch.special)


def arguments(name: str) -> Iterator[str]:
    """The names of the arguments of an operation, in each of its forms."""
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{name}"):
        if "Dimname" not in str(schema):
            yield from (argument.name for argument in schema.arguments if not argument.is_out)
    for place in PLACES:
        try:
            yield from inspect.signature(getattr(place, name)).parameters
        except (AttributeError, TypeError, ValueError):
            continue


def absent(name: str) -> list[str]:
    own = {*OPERATIONS[name].parameters, *OURS}
    return sorted({each for each in arguments(name) if each not in own and len(each) > 1 and not each.startswith("_")})


if __name__ == "__main__":
    lines = [f"{name}: {' '.join(missing)}" for name in sorted(OPERATIONS) if (missing := absent(name))]
    TARGET.write_text("\n".join(lines) + "\n", "utf-8")
