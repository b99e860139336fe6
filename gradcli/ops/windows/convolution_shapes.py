"""Checks of the shapes and options of a convolution, with torch's messages."""

from __future__ import annotations

from typing import Any

from gradcli.errors import AutogradError
from gradcli.ops.support.arguments import Shape, check_size
from gradcli.ops.windows import windows
from gradcli.ops.windows.windows import Sizes

SIDES = ("depth", "height", "width")


def options(
    count: int, stride: int | Sizes, padding: int | Sizes, dilation: int | Sizes, groups: int
) -> dict[str, Any]:
    """Return the options of the primitives after torch's checks."""
    numbers: dict[str, Any] = {}
    for option, value in (("stride", stride), ("padding", padding), ("dilation", dilation)):
        sizes = (value,) if isinstance(value, int) else value
        numbers[option] = windows.each(
            value,
            count,
            f"expected {option} to be a single integer value or a list of {count} values to match the convolution "
            f"dimensions, but got {option}={list(sizes)}",
        )
    for option, least, word in (
        ("padding", 0, "negative"),
        ("stride", 1, "non-positive"),
    ):
        if min(numbers[option]) < least:
            raise AutogradError(f"{word} {option} is not supported")
    if min(numbers["dilation"]) < 1:
        zero = f", but got {[1] * (count == 1) + list(numbers['dilation'])}" if not min(numbers["dilation"]) else ""
        raise AutogradError(f"dilation should be greater than zero{zero}")
    if groups < 1:
        raise AutogradError("non-positive groups is not supported")
    return {**numbers, "groups": groups}


WEIGHT = (
    "Expected {0}-dimensional input for {0}-dimensional weight{1}, but got {2}-dimensional input of size {3} instead"
)


def places(x: Shape, w: Shape, o: dict[str, Any]) -> Sizes:
    """Return the spatial size of the result; refuse shapes that do not fit with torch's messages."""
    groups = o["groups"]
    if len(w) < 3:
        raise AutogradError("weight should have at least three dimensions", code="E301")
    if len(x) != len(w):
        raise AutogradError(WEIGHT.format(len(w), f" {list(w)}", len(x), list(x)), code="E301")
    if len(x) != len(o["stride"]) + 2:
        raise AutogradError(
            f"Expected {len(o['stride']) + 2} dimensions of the input, but got size {list(x)}", code="E301"
        )
    if min(w[2:]) < 1:
        sides = " ".join(f"kernel_{side}: {size}" for side, size in zip(SIDES[-len(w) + 2 :], w[2:], strict=True))
        raise AutogradError(f"kernel size should be greater than zero, but got {sides}", code="E301")
    if w[0] < groups:
        raise AutogradError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{list(w)} instead",
            code="E301",
        )
    if w[0] % groups:
        raise AutogradError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{list(w)}] instead",
            code="E301",
        )
    if x[1] != w[1] * groups:
        raise AutogradError(
            f"Given groups={groups}, weight of size {list(w)}, expected input{list(x)} to have {w[1] * groups} "
            f"channels, but got {x[1]} channels instead",
            code="E301",
        )
    spatial = tuple(n + 2 * p for n, p in zip(x[2:], o["padding"], strict=True))
    reach = windows.extent(w[2:], o["dilation"])
    if any(n < r for n, r in zip(spatial, reach, strict=True)):
        raise AutogradError(
            f"Calculated padded input size per channel: ({windows.listed(spatial)}). Kernel size: "
            f"({windows.listed(reach)}). Kernel size can't be greater than actual input size",
            code="E301",
        )
    found = windows.number_of_places(x[2:], w[2:], o["stride"], o["padding"], o["dilation"])
    check_size((*x[:2], *spatial))
    check_size((x[0], w[0], *found))
    check_size((x[1], *w[2:], *found))  # the patches of one image
    return found


def check_upstream(g: Any, shape: Sizes) -> None:
    if g.shape != shape:
        raise AutogradError(f"Expected grad_output to have shape {list(shape)}, but got {list(g.shape)}", code="E301")
