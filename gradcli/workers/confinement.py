"""Limits of a process that the system holds it to: the end of its parent, memory, stack, files to write."""

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
STACK = 96 * 2**20  # bytes of stack for the deepest calls within calls, where the system gives them
STATM = "/proc/self/statm"

_statm: list[int] = []  # the same, open: a locked process opens no such file


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
    """Put a limit where it is not lower already."""
    import resource

    given = [limit for limit in resource.getrlimit(kind) if limit != resource.RLIM_INFINITY]
    most = min([size, *given])
    resource.setrlimit(kind, (most, most))


def pages(place: int) -> int:
    """Return one of the numbers of pages that the system counts for this process. OSError where it does not."""
    text = os.pread(_statm[0], 200, 0) if _statm else Path(STATM).read_bytes()
    return int(text.split()[place])


def reserved() -> int:
    """Return the bytes of data that this process has; 0 where the system does not say."""
    try:
        return pages(5) * PAGESIZE
    except OSError:
        return 0


class UnwalledError(BaseException):
    """A bug that nothing may catch as if it were an error of a script."""


# Around strangers' scripts, in this process; `lost` where no process can be started, `required` if that is an error.
_walls = {"needed": False, "there": False, "lost": False, "required": False}


def need_walls() -> None:
    """Let no script of a stranger run from now on in a process without walls, as it would in that of a command."""
    _walls["needed"] = hasattr(os, "fork")


def go_without(error: Exception, *, has_scripts: bool = False) -> None:
    """Say that the limits do not hold where no process can be started; EvaluationError where that is no choice.

    It `has_scripts` of the user's own, which then may run here.
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
    """Go without processes nowhere in this command; EvaluationError where it has done so."""
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
    """Return the bytes of stack that this process may use, once it has been given as many as deep calls need."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    unlimited = resource.RLIM_INFINITY
    wanted = STACK if hard == unlimited else min(STACK, hard)
    given = soft if soft != unlimited else STACK
    if sys.platform == "linux" and given < wanted:  # elsewhere the stack of the main thread does not grow
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
        return wanted
    return given


def forbid_writing(descriptors: Collection[int]) -> None:
    """Refuse from now on all that is not needed to compute, where the system can; these descriptors stay open."""
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
