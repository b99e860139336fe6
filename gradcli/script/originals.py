"""The names in the real modules that snippets import.

A name that is there and not here is not supported; one that is not there either is a mistake of the snippet, which gets
the AttributeError that it would get there.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path


@cache
def torch_names() -> dict[str, frozenset[str]]:
    """The public names of torch's modules, of `Tensor`, `Module` and `Optimizer`, and of the two kinds of nodes."""
    lines = Path(__file__).with_name("torch").joinpath("names.txt").read_text("utf-8").splitlines()
    return {owner: frozenset(names.split()) for owner, _, names in (line.partition(": ") for line in lines)}


def torch_has(owner: str, name: str) -> bool:
    """Tell whether torch has the name, so that its absence here is ours; assumed where nothing was recorded."""
    known = torch_names().get(owner)
    return known is None or name.startswith("_") or name in known


def check_module(module: str, name: str) -> None:
    """AttributeError if the module has no such name in reality."""
    if module.partition(".")[0] != "torch":
        getattr(import_module(module), name)
    elif not torch_has(module, name):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
