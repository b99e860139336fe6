"""The looks that are asked of an output, in every form: what renderers take beside the facts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from gradcli.facts import dataclass
from gradcli.render.text.looks import Looks


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
