"""The functions that `torch.func` transforms while they run: `mode.transforms` names them, the outermost first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gradcli.engine.modes import mode, switched
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running

_UNSUPPORTED = "You are attempting to call Tensor.{0}() inside of a function that torch.func transforms: leave it out"
REQUIRED = _UNSUPPORTED.format("requires_grad_")
RETAINED = _UNSUPPORTED.format("retain_grad")


@contextmanager
def inside(kind: str) -> Iterator[None]:
    """Run a function that is transformed: by "grad", "jvp" or "vmap"."""
    with switched(transforms=(*mode.transforms, kind)):
        yield


@contextmanager
def printing_once(number: int) -> Iterator[None]:
    """Let a function print in the first of its calls alone, for torch calls it once."""
    machine, write = running.machine, running.machine._write
    if number:
        machine._write = lambda text: None
    try:
        yield
    finally:
        machine._write = write


def refuse_text() -> None:
    """Refuse to print a tensor where torch would print its own wrapper around it."""
    if mode.transforms:
        raise UnsupportedError(
            "printing a tensor inside of a function that torch.func transforms is not supported here",
            python=RuntimeError,
            help="print the result, or call the function itself",
        )
