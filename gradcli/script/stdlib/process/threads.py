"""`threading`: threads that run one after the other, each when it is started, and the locks of these."""

from __future__ import annotations

from itertools import count
from typing import Any

from gradcli.engine.modes import switched
from gradcli.engine.recorder import listening
from gradcli.engine.tangents import Level
from gradcli.script.errors import ExitError, LimitError, UnsupportedError, python_class
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.torch.autograd.saved.packing import Packer


class Threads:
    """The numbers that a run gives to its threads."""

    def __init__(self) -> None:
        self.numbers = count(1)


class Thread(Facade):
    """A thread: it has ended when `start` has."""

    __module__ = "threading"

    def __init__(
        self,
        group: None = None,
        target: Any = None,
        name: str | None = None,
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        *,
        daemon: bool | None = None,
    ) -> None:
        assert group is None, "group argument must be None for now"
        kind = f" ({target.__name__})" if target is not None and hasattr(target, "__name__") else ""
        self.name = name or f"Thread-{next(running.machine.own(Threads).numbers)}{kind}"
        self.daemon = bool(daemon)
        self._target, self._args, self._kwargs = target, args, kwargs or {}
        self._started = False

    def run(self) -> None:
        """Call the target."""
        if self._target is not None:
            self._target(*self._args, **self._kwargs)

    def start(self) -> None:
        """Run to the end, with torch's modes as they are in a new thread; an error ends the thread alone."""
        if self._started:
            raise RuntimeError("threads can only be started once")
        self._started = True
        if bool(listening(Packer)) or bool(listening(Level)):
            raise UnsupportedError(
                "a thread inside of hooks on saved tensors, or of a dual level, is not supported here"
            )
        with switched(grad_enabled=True, grad_asked=False, inference=False):
            try:
                self.run()
            except (UnsupportedError, LimitError, ExitError):
                raise
            except Exception as error:
                running.machine.write_error(
                    f"Exception in thread {self.name}: {python_class(error).__name__}: {error}\n"
                )

    def join(self, timeout: float | None = None) -> None:
        """Wait for the end, which `start` has done."""
        if not self._started:
            raise RuntimeError("cannot join thread before it is started")

    def is_alive(self) -> bool:
        return False


class Lock(Facade):
    """A lock, which no other thread can hold."""

    def __init__(self) -> None:
        self._held = False

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Hold the lock; one that is held already would be waited for, for ever."""
        if self._held and blocking:
            raise UnsupportedError("a lock that is held already is not waited for here")
        free, self._held = not self._held, True
        return free

    def release(self) -> None:
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    def locked(self) -> bool:
        return self._held

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: Any) -> None:
        self.release()


def namespace(name: str) -> Namespace:
    """`threading`."""
    return Namespace(name, {"Thread": Thread, "Lock": Lock})
