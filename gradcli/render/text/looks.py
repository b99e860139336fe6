"""The looks of text output: colour, width, symbols, digits."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Literal

from gradcli.facts import dataclass

USUAL = 80  # columns of a terminal that does not say how many it has


@dataclass(frozen=True, slots=True)
class Looks:
    """The means of a renderer. `width` is None where lines need not fit: in a pipe or a file."""

    color: bool = False
    ascii: bool = False
    width: int | None = None
    precision: int = 6
    whole: bool = False  # every entry of a large array

    @property
    def partial(self) -> str:
        return "d" if self.ascii else "∂"

    @property
    def times(self) -> str:
        return "*" if self.ascii else "·"

    @property
    def arrow(self) -> str:
        return "->" if self.ascii else "→"

    @property
    def ellipsis(self) -> str:
        return "..." if self.ascii else "…"


def looks(*, color: str, ascii: bool, stream: Any = None) -> Looks:
    """The looks for a stream (default: standard output), from the options and the environment."""
    stream = stream or sys.stdout
    is_colored = wants_color(color, stream.isatty())
    width = terminal_width(stream)
    if width is None and is_colored:  # though it is no terminal: somebody reads it behind a pager, `less -R`
        width = terminal_width(sys.stderr)
    return Looks(is_colored, ascii or not is_unicode(stream), width)


def terminal_width(stream: Any) -> int | None:
    """Return the columns of a terminal; None for a pipe or a file, whose lines need not fit."""
    if not stream.isatty():
        return None
    import shutil

    with suppress(OSError, ValueError):  # standard error may be a terminal where standard output is none
        return shutil.get_terminal_size((os.get_terminal_size(stream.fileno()).columns or USUAL, 24)).columns
    return shutil.get_terminal_size().columns


def wants_color(choice: str, terminal: bool) -> bool:
    """`--color`, then NO_COLOR, then CLICOLOR_FORCE and FORCE_COLOR, then TERM=dumb, then whether it is a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    for name in ("CLICOLOR_FORCE", "FORCE_COLOR"):
        forced = os.environ.get(name)
        if forced:
            return forced not in ("0", "false")
    return terminal and os.environ.get("TERM") != "dumb"


def is_unicode(stream: Any) -> bool:
    return (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "").startswith("utf")


# The looks that are asked of an output, in every form: what renderers take beside the facts.


@dataclass(frozen=True, slots=True)
class Asked(Looks):
    """Looks, with `all` rows, `why` rules hold, `torch_nodes` one by one; of LaTeX a `standalone` document.

    For pictures: the `detail` of a box, the `values` that it shows, the `direction` (None for one that suits the
    graph), whether the `backward` side is drawn, whether to `animate` the steps, the number of
    boxes from which on statements are drawn as one, and the significant digits of an entry of a tensor.
    """

    all: bool = False
    why: bool = False
    torch_nodes: bool = False
    standalone: bool = False
    detail: Literal["name", "default", "full"] = "default"
    values: Literal["auto", "none", "shape", "full"] = "auto"
    direction: Literal["LR", "TB"] | None = None
    backward: bool = False
    animate: bool = False
    most: int = 60
    digits: int = 4


def asked(looks: Looks, **more: Any) -> Asked:
    """Return the looks with what else is asked for."""
    return Asked(**{**asdict(looks), **more})
