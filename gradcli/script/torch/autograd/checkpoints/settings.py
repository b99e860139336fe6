"""Settings that hold for all checkpoints made or computed again within a block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradcli.script.machine import running


class Settings:
    """The settings of all checkpoints of a run, where they are not None: early stops, long messages."""

    early: bool | None = None
    debug: bool | None = None


@contextmanager
def _set(name: str, value: Any) -> Iterator[None]:
    settings = running.machine.own(Settings)
    before = getattr(settings, name)
    setattr(settings, name, value)
    try:
        yield
    finally:
        setattr(settings, name, before)


def set_checkpoint_early_stop(enable: bool) -> Any:
    """Let the checkpoints that are made within stop early, or run to their ends."""
    return _set("early", enable)


def set_checkpoint_debug_enabled(enabled: bool | None) -> Any:
    """Let the checkpoints that are made within explain a difference at length, or not."""
    return _set("debug", enabled)
