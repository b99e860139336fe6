"""Writes the public names that torch has: `python -m tests.script.record_names`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import gradcli.script.torch

NAMES = Path(gradcli.script.torch.__path__[0], "names.txt")
MODULES = """
torch torch.autograd torch.autograd.forward_ad torch.autograd.functional torch.autograd.graph torch.backends torch.cuda
torch.distributions torch.func torch.linalg torch.nn torch.nn.functional torch.nn.init torch.nn.parameter torch.nn.utils
torch.optim torch.optim.lr_scheduler torch.random torch.special torch.utils torch.utils.data
"""
KINDS = "torch.Tensor torch.nn.Module torch.optim.Optimizer"


def public(thing: Any) -> str:
    """The public names of a thing, with those of modules that torch loads when they are asked for."""
    names = {*dir(thing), *getattr(thing, "_lazy_modules", ())}
    return " ".join(sorted(name for name in names if not name.startswith("_")))


def lines() -> Iterator[str]:
    modules = {name: import_module(name) for name in MODULES.split()}
    for name, module in modules.items():
        yield f"{name}: {public(module)}\n"
    for kind in KINDS.split():
        module, _, name = kind.rpartition(".")
        yield f"{kind}: {public(getattr(modules[module], name))}\n"
    node = (modules["torch"].ones(1, requires_grad=True) * 2).grad_fn
    yield f"torch.Node: {public(node)}\n"
    yield f"torch.AccumulateGrad: {public(node.next_functions[0][0])}\n"


if __name__ == "__main__":
    NAMES.write_text("".join(lines()))
