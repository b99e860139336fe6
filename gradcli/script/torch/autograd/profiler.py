"""`torch.autograd.profiler`: blocks that run as they do without it; their times and events are not measured here."""

from __future__ import annotations

from typing import Any, NoReturn

from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import REPRESENTATIONS
from gradcli.script.python.values.attributes import Facade
from gradcli.script.torch.autograd.grad_modes import Decorator

TWICE = "profiler context manager is not reentrant"
OPTIONS = """
enabled use_device record_shapes with_flops profile_memory with_stack with_modules use_kineto use_cpu use_mtia
experimental_config acc_events custom_trace_id_callback post_processing_timeout_s
"""


class Profiling:
    """Whether a profiler is on."""

    enabled = False


def is_enabled() -> bool:
    return running.machine.own(Profiling).enabled


def is_available() -> bool:
    """Return whether torch's profiler for all devices is there, as in its packages."""
    return True


class profile(Facade):  # noqa: N801  torch's name
    """`with profile() as p:`; what `p` knows of the block is refused."""

    def __init__(self, enabled: bool = True, **options: Any) -> None:
        unknown = [name for name in options if name not in OPTIONS.split()]
        if unknown:
            raise TypeError(f"profile.__init__() got an unexpected keyword argument {unknown[0]!r}")
        self._enabled = enabled
        self._entered = False

    def __enter__(self) -> Any:
        if not self._enabled:
            return None
        if self._entered:
            raise RuntimeError(TWICE)
        self._entered = running.machine.own(Profiling).enabled = True
        return self

    def __exit__(self, *_: Any) -> None:
        if self._enabled:
            running.machine.own(Profiling).enabled = False

    def __getattr__(self, name: str) -> NoReturn:
        raise UnsupportedError(f"{name} of a profiler is not supported here", help="run it with torch to measure it")


def _refuse(_: profile) -> NoReturn:
    raise UnsupportedError("printing a profiler is not supported here", help="run it with torch to measure it")


class record_function(Decorator):  # noqa: N801  torch's name
    """A block, or a function, by a name in what a profiler measures."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self._wanted = (name, args)

    def _clone(self) -> Decorator:
        return record_function(*self._wanted)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        """Do nothing, for nothing was measured."""


REPRESENTATIONS[profile] = _refuse
for kind in (profile, record_function):
    kind.__module__ = "torch.autograd.profiler"
MEMBERS: dict[str, Any] = {"profile": profile, "record_function": record_function}
LIVE = {"_is_profiler_enabled": is_enabled}
