"""The options of pictures of a graph."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from gradcli.facts import dataclass


class Detail(StrEnum):
    name = "name"
    default = "default"
    full = "full"


class Values(StrEnum):
    auto = "auto"
    none = "none"
    shape = "shape"
    full = "full"


class Direction(StrEnum):
    LR = "LR"
    TB = "TB"


@dataclass(frozen=True)
class Picture:
    """The content of a picture, and its direction."""

    detail: Annotated[
        Detail, typer.Option("--detail", help="In a box: the name, value and gradient too, or torch's attributes.")
    ] = Detail.default
    values: Annotated[
        Values, typer.Option("--values", help="Tensors by numbers or shape; auto has numbers up to 6 entries.")
    ] = Values.auto
    direction: Annotated[
        Direction | None, typer.Option("--direction", help="Left to right, or top down. [default: by depth]")
    ] = None
    backward: Annotated[bool, typer.Option("--backward", help="Also torch's nodes, and what flows back.")] = False

    @property
    def settings(self) -> dict[str, Any]:
        direction = self.direction and self.direction.value
        return {
            "detail": self.detail.value, "values": self.values.value, "direction": direction, "backward": self.backward,
        }  # fmt: skip
