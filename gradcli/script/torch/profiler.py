"""`torch.profiler`: blocks that run as they do without it, in steps; what they took is not measured here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.text.formatting import REPRESENTATIONS
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.torch.autograd.profiler import profile as plain
from gradcli.script.torch.autograd.profiler import record_function


class Named(Facade):
    """A member of one of torch's enumerations."""

    def __init__(self, kind: str, name: str, value: int) -> None:
        self._kind, self.name, self.value = kind, name, value

    def __repr__(self) -> str:
        return f"<{self._kind}.{self.name}: {self.value}>"

    def __str__(self) -> str:
        return f"{self._kind}.{self.name}"


def enumeration(name: str, members: str) -> Namespace:
    """Make one of torch's enumerations."""
    return Namespace(name, {each: Named(name, each, value) for value, each in enumerate(members.split())})


ACTIVITIES = enumeration("ProfilerActivity", "CPU XPU MTIA CUDA HPU PrivateUse1")
ACTIONS = enumeration("ProfilerAction", "NONE WARMUP RECORD RECORD_AND_SAVE")


class profile(plain):  # noqa: N801  torch's name
    """`with torch.profiler.profile(...) as p:`, which counts its steps."""

    def __init__(
        self,
        *,
        activities: Any = None,
        schedule: Callable[[int], Any] | None = None,
        on_trace_ready: Any = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        acc_events: bool = False,
    ) -> None:
        if on_trace_ready is not None:
            raise UnsupportedError("on_trace_ready of a profiler is not supported here", help="leave it out")
        super().__init__()
        self.step_num = 0

    def start(self) -> None:
        self.__enter__()

    def stop(self) -> None:
        self.__exit__()

    def step(self) -> None:
        """Count a step."""
        self.step_num += 1


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], Any]:
    """Return what is done in each step: cycles of waiting, warming up and recording."""
    if skip_first_wait:
        raise UnsupportedError("skip_first_wait of a schedule is not supported here", help="leave it out")

    def action(step: int) -> Any:
        step, cycle = step - skip_first, wait + warmup + active
        if step < 0 or (repeat > 0 and step // cycle >= repeat):
            return ACTIONS.get("NONE")
        place = step % cycle
        if place < wait + warmup:
            return ACTIONS.get("NONE" if place < wait else "WARMUP")
        return ACTIONS.get("RECORD" if place < cycle - 1 else "RECORD_AND_SAVE")

    return action


def _refuse(_: Any) -> NoReturn:
    raise UnsupportedError("printing a profiler is not supported here", help="run it with torch to measure it")


REPRESENTATIONS[profile] = _refuse
profile.__module__ = "torch.profiler.profiler"
MEMBERS = {
    "profile": profile,
    "schedule": schedule,
    "record_function": record_function,
    "ProfilerActivity": ACTIVITIES,
    "ProfilerAction": ACTIONS,
}


def namespace(name: str) -> Namespace:
    """Make `torch.profiler`."""
    return Namespace(name, MEMBERS)
