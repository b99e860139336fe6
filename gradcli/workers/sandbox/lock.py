"""Locks a process for ever: it keeps the memory that it has, reads Python's own folders, and answers. Linux has it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from gradcli.errors import EvaluationError

SET_DUMPABLE, SET_NO_NEW_PRIVILEGES = 4, 38  # of prctl
SET_CAPABILITIES = {"x86_64": 126, "aarch64": 91}  # the number of the call
CAPABILITIES = 0x20080522, bytes(24)  # the version of the structure, and no capability
IS_LINUX = sys.platform == "linux" and sys.maxsize > 2**32
INSTALLED = ("site-packages", "dist-packages", "lib-dynload")  # folders of modules alone
WALLS = {"files": "Landlock", "calls": "seccomp"}  # what each wall is around, and the part of the system that builds it


def lock(descriptors: Collection[int]) -> None:
    """Put every wall around this process that the system has; of its open files it keeps these.

    Modules of Python can still be imported where files have a wall of their own; elsewhere all are before, and no file
    is opened.
    Raises OSError where a wall that the system has cannot be put up.
    """
    if not IS_LINUX:
        return
    import ctypes

    from gradcli.workers.sandbox.calls import restrict_calls
    from gradcli.workers.sandbox.files import restrict_files
    from gradcli.workers.sandbox.leftovers import close_files, forget_environment
    from gradcli.workers.sandbox.modules import QUICK, import_by_opening

    standing = prepare(QUICK)
    os.environ.setdefault("TZ", ":/etc/localtime")  # so that the time zone is read now, and not again
    time.tzset()
    os.chdir("/")  # the only folder that the process may ask the name of
    forget_environment()
    close_files({0, 1, 2, *descriptors})
    sys.path[:] = readable = list(folders())
    machine, libc = os.uname().machine, ctypes.CDLL(None)
    version, none = CAPABILITIES
    if machine in SET_CAPABILITIES:
        libc.syscall(SET_CAPABILITIES[machine], version.to_bytes(8, sys.byteorder), none)
    libc.prctl(SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    package = Path(__file__).parents[2]
    frozen = (sys.executable, getattr(sys, "_MEIPASS", "")) if hasattr(sys, "frozen") else ()  # by PyInstaller
    needed_files = (str(package), str(package.parent / "grammars"), *filter(None, [sys.pycache_prefix, *frozen]))
    is_around_files = restrict_files((*readable, *needed_files))
    if standing["calls"]:
        import_by_opening()
    if standing != {"files": is_around_files, "calls": restrict_calls(machine, opens=is_around_files)}:
        raise OSError("the walls of the system do not stand")


def folders() -> Iterator[str]:
    """Yield the folders on the way to modules that hold nothing else: not those where somebody works."""
    library = os.path.dirname(os.__file__)  # noqa: PTH120 (pathlib has no part in the start of a process)
    for path in sys.path:
        name = os.path.basename(path)  # noqa: PTH119
        is_ours = path and __file__.startswith(path) and os.path.isfile(path)  # noqa: PTH113 (a zip file)
        if is_ours or path == library or name in INSTALLED or (path and os.path.isdir(os.path.join(path, "numpy"))):  # noqa: PTH112, PTH118
            yield path


def prepare(compiled: Collection[str] = ()) -> dict[str, bool]:
    """Return the walls of this system, and make processes ready that are forked from now on, and this one, too.

    They have those modules now that are not Python, all if none are named, and what they need of files if no wall will
    stand around those.
    """
    if (standing := walls())["calls"]:
        from gradcli.workers.sandbox.modules import QUICK, SLOW, import_compiled

        import_compiled(compiled or (*QUICK, *SLOW))
        if not standing["files"]:
            from gradcli.workers.sandbox.readiness import make_ready

            make_ready()
    return standing


@cache
def walls() -> dict[str, bool]:
    """Return whether this system has each of the walls."""
    if not IS_LINUX:
        return dict.fromkeys(WALLS, False)
    from gradcli.workers.sandbox import calls, files

    return {"files": files.version() > 0, "calls": calls.are_at_hand(os.uname().machine)}


def require() -> None:
    """Raise EvaluationError where this system lacks a wall."""
    if lacks := [name for name, stands in walls().items() if not stands]:
        message = f"this system has no wall around {' and '.join(lacks)}"
        raise EvaluationError("E405", message, help="use Linux 5.13 or later, or leave out --require-sandbox")


def walls_text() -> str:
    """Return a line that says of each wall whether it holds on this system."""
    each = [f"{name} {'yes' if stands else 'no'} ({WALLS[name]})" for name, stands in walls().items()]
    return f"walls around strangers' work: {', '.join(each)}"
