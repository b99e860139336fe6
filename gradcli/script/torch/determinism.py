"""Settings of determinism, which are kept and read: what is computed here is the same each time anyway."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.script.machine import running
from gradcli.script.torch.operations.readers import kind_name

MODES = ("default", "warn", "error")


class Determinism:
    """Whether it is asked for, and whether torch warns alone where it has none."""

    def __init__(self) -> None:
        self.asked = False
        self.warns = False


def settings() -> Determinism:
    return running.machine.own(Determinism)


def uninitialized(dtype: np.dtype[Any]) -> Any:
    """Return the entry of `torch.empty`: an odd one where determinism is asked for, so that nobody counts on it."""
    if not settings().asked:
        return 0
    return np.nan if dtype.kind == "f" else dtype.kind == "b" or np.iinfo(dtype).max


def use_deterministic_algorithms(mode: Any, *, warn_only: Any = False) -> None:
    for name, value in (("'mode' (position 1)", mode), ("'warn_only'", warn_only)):
        if not isinstance(value, bool):
            words = f"_set_deterministic_algorithms(): argument {name} must be bool, not {kind_name(value)}"
            raise TypeError(words)
    settings().asked, settings().warns = mode, warn_only


def set_deterministic_debug_mode(debug_mode: Any) -> None:
    if not isinstance(debug_mode, int | str):
        raise TypeError(f"debug_mode must be str or int, but got {debug_mode.__class__}")
    if isinstance(debug_mode, str) and debug_mode not in MODES:
        known = ", ".join(f"`{name}`" for name in MODES)
        raise RuntimeError(f"invalid value of debug_mode, expected one of {known}, but got {debug_mode}")
    level = MODES.index(debug_mode) if isinstance(debug_mode, str) else debug_mode
    if level not in range(3):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    settings().asked, settings().warns = level > 0, level == 1


def get_deterministic_debug_mode() -> int:
    return 0 if not settings().asked else 1 if settings().warns else 2


MEMBERS: dict[str, Callable[..., Any]] = {
    "use_deterministic_algorithms": use_deterministic_algorithms,
    "are_deterministic_algorithms_enabled": lambda: settings().asked,
    "is_deterministic_algorithms_warn_only_enabled": lambda: settings().warns,
    "set_deterministic_debug_mode": set_deterministic_debug_mode,
    "get_deterministic_debug_mode": get_deterministic_debug_mode,
}
