"""Limits that the system enforces on a process: the end of its parent, memory, stack, files to write."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from mmap import PAGESIZE
from pathlib import Path
from typing import Any

from gradcli.errors import EvaluationError
from gradcli.workers.sandbox.lock import lock

SET_PDEATHSIG, KILL_SIGNAL = 1, 9  # of prctl
STACK = 96 * 2**20  # bytes of stack for the deepest nested calls, where the system gives them
STATM = "/proc/self/statm"

_statm: list[int] = []  # the open file of that path: a locked process cannot open it


def end_with(parent: int) -> None:
    """End this process when its parent ends, however that comes about."""
    if sys.platform == "linux":
        _prctl(SET_PDEATHSIG, KILL_SIGNAL)
        if os.getppid() != parent:  # it has ended already
            os._exit(1)


def limit_memory(size: int) -> None:
    """Let data take no more than so many bytes, and leave no picture of a crash on the disk.

    Memory that the system does not count as data, such as shared one, has the same limit beyond what there is.
    """
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if sys.platform == "linux":  # elsewhere the limit does not count what is mapped
            _lower(resource.RLIMIT_DATA, size)
            _lower(resource.RLIMIT_AS, (pages(0) - pages(5)) * PAGESIZE + size + STACK)


def _lower(kind: int, size: int) -> None:
    """Lower a limit to a number, unless it is lower already."""
    import resource

    limits = [limit for limit in resource.getrlimit(kind) if limit != resource.RLIM_INFINITY]
    most = min([size, *limits])
    resource.setrlimit(kind, (most, most))


def pages(place: int) -> int:
    """Return one of the numbers of pages that the system counts for this process. OSError where it does not."""
    text = os.pread(_statm[0], 200, 0) if _statm else Path(STATM).read_bytes()
    return int(text.split()[place])


def data_size() -> int:
    """Return the bytes of data that this process has; 0 where the system does not say."""
    try:
        return pages(5) * PAGESIZE
    except OSError:
        return 0


class UnwalledError(BaseException):
    """A bug: a script would run without walls. No `except Exception` may catch it."""


# Around strangers' scripts, in this process; `lost` where no process can be started, `required` if that is an error.
_walls = {"needed": False, "there": False, "lost": False, "required": False}


def need_walls() -> None:
    """From now on, refuse to run a stranger's script in a process without walls, such as that of the command."""
    _walls["needed"] = hasattr(os, "fork")


def go_without(error: Exception, *, has_scripts: bool = False) -> None:
    """Warn that limits do not hold, as no process can be started; EvaluationError where a process is required.

    If it `has_scripts`, they are the user's own, and may run in this process.
    """
    reason = getattr(error, "strerror", None) or str(error)
    if _walls["required"]:
        raise EvaluationError("E210", f"no process can be started: {reason}", help="leave out --require-sandbox")
    if not _walls["lost"]:
        sys.stderr.write(f"warning: no process can be started ({reason}): limits of time and memory do not hold\n")
    _walls["lost"] = True
    if has_scripts:
        _walls["needed"] = False


def require_processes() -> None:
    """Refuse to go without processes in this command; EvaluationError where it already has."""
    _walls["required"] = True
    if _walls["lost"]:
        go_without(OSError("the system refuses it"))


def require_walls() -> None:
    """Raise UnwalledError where a script is about to run without the walls that it needs."""
    if _walls["needed"] and not _walls["there"]:
        raise UnwalledError("a script was to run in a process without limits")


@contextmanager
def own_script() -> Iterator[None]:
    """Let a script of gradcli's own run without walls."""
    needed, _walls["needed"] = _walls["needed"], False
    try:
        yield
    finally:
        _walls["needed"] = needed


@cache
def stack() -> int:
    """Raise the limit of the stack to what deep calls need, and return the bytes of stack that this process may use."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    unlimited = resource.RLIM_INFINITY
    wanted = STACK if hard == unlimited else min(STACK, hard)
    current = soft if soft != unlimited else STACK
    if sys.platform == "linux" and current < wanted:  # elsewhere the stack of the main thread does not grow
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
        return wanted
    return current


def forbid_writing(descriptors: Collection[int]) -> None:
    """Where the system can, refuse all but computing from now on; these descriptors stay open."""
    _walls["there"] = True
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        stack()
    with suppress(OSError):
        _statm[:] = [os.open(STATM, os.O_RDONLY | os.O_CLOEXEC)]
    lock((*descriptors, *_statm))


def _prctl(*arguments: Any) -> int:
    import ctypes

    return int(ctypes.CDLL(None).prctl(*arguments))
