"""The arguments of `gradcli plot`: ranges `x=-2..2`, a point, and how an optimizer goes down."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from gradcli.commands.inputs.bindings import read_value
from gradcli.errors import UsageError
from gradcli.language.names import read_name

if TYPE_CHECKING:
    from gradcli.stream.plotting import Way

Pair = tuple[float, float]

RANGE = re.compile(r"\s*(?P<name>[^=\s]+?)\s*=(?P<low>[^=]+?)\.\.(?P<high>.+)", re.DOTALL)
MOST = 10_000  # steps of an optimizer
NARROWEST, WIDEST = 1e-12, 1e308
EXAMPLE = "such as x=-2..2"


def split_ranges(arguments: Sequence[str], *, is_file: bool) -> tuple[list[str], dict[str, Pair]]:
    """Return the arguments without the ranges, and one or two ranges by variable; UsageError for more or none."""
    rest, ranges = list(arguments[: not is_file]), dict[str, Pair]()
    for argument in arguments[not is_file :]:
        match = RANGE.fullmatch(argument)
        name = read_name(match["name"]) if match else None
        if match is None or name is None:
            rest.append(argument)
            continue
        if name in ranges:
            raise UsageError("E005", f"{name} is given twice", help=f"keep one {name}=...")
        low, high = (finite(name, match[end]) for end in ("low", "high"))
        if not low < high:
            raise UsageError("E016", f"the range of {name} is empty", help=f"write the smaller end first, {EXAMPLE}")
        if not NARROWEST * max(abs(low), abs(high)) < high - low < WIDEST:
            too = "wide" if high - low >= WIDEST else "narrow"
            raise UsageError("E016", f"the range of {name} is too {too}", help="numbers have 16 digits, up to 1e308")
        ranges[name] = low, high
    if not 1 <= len(ranges) <= 2:
        message = "no variable has a range" if not ranges else f"{len(ranges)} variables have ranges"
        raise UsageError("E016", message, help=f"give one or two variables a range, {EXAMPLE}, and the others a value")
    return rest, ranges


def finite(name: str, text: str) -> float:
    """Return the number that a constant expression gives."""
    value = read_value(name, text)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise UsageError("E016", f"{text.strip()} is no finite number", help=f"for {name} write a number")
    return float(value)


def settings(option: str, text: str) -> dict[str, str]:
    """Return the parts of `lr=0.1,from=[1,2]` by name; commas in brackets separate nothing."""
    parts: dict[str, str] = {}
    for item in re.split(r",(?![^\[(]*[\])])", text):
        name, equals, value = item.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(
                "E016", f"{option}: {item.strip() or text!r} is not NAME=VALUE", help=f"see {option} in --help"
            )
        parts[read_name(name.strip()) or name.strip()] = value
    return parts


def read_point(text: str, names: Sequence[str]) -> tuple[float, ...]:
    """Return a point as `x=1` or `x=1,y=2` says it; with one variable the number is enough."""
    numbers = settings("--at", text if "=" in text or len(names) > 1 else f"{names[0]}={text}")
    if set(numbers) != set(names):
        example = ",".join(f"{name}=1" for name in names)
        missing = [name for name in names if name not in numbers]
        message = f"--at leaves out {', '.join(missing)}" if missing else "--at names a variable that has no range"
        raise UsageError("E016", message, help=f"write --at {example}")
    return tuple(finite(name, numbers[name]) for name in names)


def read_descent(text: str, optimizer: str, ranges: Mapping[str, Pair]) -> Way:
    """Return how to go down: `lr`, `steps`, where `from`, and the options of the optimizer."""
    from gradcli.stream.plotting import Way

    values = settings("--descend", text)
    start = [low + (high - low) / 4 for low, high in ranges.values()]
    if text := values.pop("from", ""):
        import numpy as np

        start = np.ravel(read_value("from", text)).tolist()
        if len(start) != len(ranges) or not all(isfinite(x) for x in start):
            raise UsageError(
                "E016", f"from={text.strip()} is no point", help=f"write {len(ranges)} numbers, from=[1,2]"
            )
    steps = finite("steps", values.pop("steps", "30"))
    if not steps.is_integer() or not 1 <= steps <= MOST:
        raise UsageError("E016", f"steps={steps:g} cannot be", help=f"write a whole number from 1 to {MOST:,}")
    options = {"lr": 0.1} | {name: finite(name, value) for name, value in values.items()}
    return Way(optimizer, tuple(map(float, start)), int(steps), options)
