"""Walls around a process, as far as the system has them: the end of its parent, memory, files to write, sockets."""

from __future__ import annotations

import os
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

PAGE = 4096
SET_PDEATHSIG, SET_SECCOMP, SET_NO_NEW_PRIVS = 1, 22, 38  # of prctl
FILTER, KILL_SIGNAL = 2, 9
LOAD, IS_EQUAL, HAS_BITS, ANSWER = 0x20, 0x15, 0x45, 0x06  # instructions of a filter
ALLOW, REFUSE = (ANSWER, 0, 0, 0x7FFF0000), (ANSWER, 0, 0, 0x00050001)  # EPERM
NUMBER, ARCHITECTURE = 0, 4  # places in the data of a system call, whose arguments begin at 16
WRITING = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000  # flags of open: write, read and write, create, truncate, append

# Per machine: its number for filters; the calls that open a file, each with the place of its flags; the calls that make
# files, names, sockets or programs, or reach other processes.
# x86_64: creat, rename, mkdir, rmdir, link, unlink, symlink, chmod, fchmod, chown, fchown, lchown, truncate, mknod, the
# same with `at`; socket, connect, bind, socketpair; execve, execveat; kill, ptrace, process_vm_writev; openat2,
# io_uring_setup.
# fmt: off
SYSTEMS = {
    "x86_64": (
        0xC000003E,
        ((2, 24), (257, 32)),
        (85, 82, 83, 84, 86, 87, 88, 90, 91, 92, 93, 94, 76, 133, 258, 259, 260, 263, 264, 265, 266, 268, 316,
         41, 42, 49, 53, 59, 322, 62, 101, 311, 437, 425),
    ),
    "aarch64": (
        0xC00000B7,
        ((56, 32),),
        (33, 34, 35, 36, 37, 38, 45, 52, 53, 54, 55, 276, 198, 199, 200, 203, 221, 281, 129, 117, 271, 437, 425),
    ),
}
# fmt: on


def end_with(parent: int) -> None:
    """End this process when its parent ends, however that comes about."""
    if sys.platform == "linux":
        _prctl(SET_PDEATHSIG, KILL_SIGNAL)
        if os.getppid() != parent:  # it has ended already
            os._exit(1)


def limit_memory(size: int) -> None:
    """Let data take no more than so many bytes, and leave no picture of a crash on the disk."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if sys.platform == "linux":  # elsewhere the limit does not count what is mapped
            soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
            most = [size, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)]
            resource.setrlimit(resource.RLIMIT_DATA, (min(most), hard))


def reserved() -> int:
    """Return the bytes of data that this process has; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[5]) * PAGE
    except (OSError, ValueError):
        return 0


class UnwalledError(BaseException):
    """A bug that nothing may catch as if it were an error of a script."""


_walls = {"needed": False, "there": False}  # around strangers' scripts, in this process


def need_walls() -> None:
    """Let no script of a stranger run from now on in a process without walls, as it would in that of a command."""
    _walls["needed"] = hasattr(os, "fork")


def require_walls() -> None:
    """Raise UnwalledError where a script is about to run without the walls that it needs."""
    if _walls["needed"] and not _walls["there"]:
        raise UnwalledError("a script was to run in a process without limits")


def forbid_writing() -> None:
    """Refuse files to write, names to change, sockets and other programs from now on, where the system can."""
    _walls["there"] = True
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    import platform

    if sys.platform == "linux" and platform.machine() in SYSTEMS and sys.maxsize > 2**32:
        _filter(*SYSTEMS[platform.machine()])


def _filter(architecture: int, opening: tuple[tuple[int, int], ...], refused: tuple[int, ...]) -> None:
    """Install a filter on system calls; a system without filters goes on without one."""
    import ctypes

    code = [
        (LOAD, 0, 0, ARCHITECTURE),
        (IS_EQUAL, 1, 0, architecture),
        ALLOW,
        (LOAD, 0, 0, NUMBER),
    ]
    for number, flags in opening:
        code += [(IS_EQUAL, 0, 4, number), (LOAD, 0, 0, flags), (HAS_BITS, 1, 0, WRITING), ALLOW, REFUSE]
    for number in refused:
        code += [(IS_EQUAL, 0, 1, number), REFUSE]
    code.append(ALLOW)
    text = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *line) for line in code))
    program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(text)))
    if _prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        _prctl(SET_SECCOMP, FILTER, ctypes.c_void_p(ctypes.addressof(program)))


def _prctl(*arguments: Any) -> int:
    import ctypes

    return int(ctypes.CDLL(None).prctl(*arguments))
