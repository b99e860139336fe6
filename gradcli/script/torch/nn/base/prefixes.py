"""`torch.nn.modules.utils`: sizes for each dimension, and states saved with a prefix."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any


def ntuple(count: int, name: str) -> Callable[[Any], tuple[Any, ...]]:
    """Make the function that repeats a number, and takes a row of them as it is."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, count))

    parse.__name__ = name
    return parse


def consume_prefix_in_state_dict_if_present(state_dict: Any, prefix: str) -> None:
    """Take a prefix off the names of a state that have it, in place."""
    for name in list(state_dict):
        if name.startswith(prefix):
            state_dict[name.removeprefix(prefix)] = state_dict.pop(name)
    for name in list(getattr(state_dict, "_metadata", ())):
        if name and (name == prefix.replace(".", "") or name.startswith(prefix)):
            state_dict._metadata[name[len(prefix) :]] = state_dict._metadata.pop(name)


MEMBERS: dict[str, Callable[..., Any]] = {
    "consume_prefix_in_state_dict_if_present": consume_prefix_in_state_dict_if_present,
    "_single": ntuple(1, "_single"),
    "_pair": ntuple(2, "_pair"),
    "_triple": ntuple(3, "_triple"),
    "_quadruple": ntuple(4, "_quadruple"),
    "_ntuple": ntuple,
}
