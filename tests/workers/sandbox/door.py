"""A door for attackers: any Python and any machine code runs in a process that has locked itself."""

from __future__ import annotations

import ctypes
import mmap
import os
import pickle
from collections.abc import Callable
from typing import Any

from gradcli.workers.confinement import data_size, forbid_writing, limit_memory

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long


def inside(attack: Callable[[], Any], memory: int = 2**50) -> Any:
    """Return what an attack in a locked process comes to: its result, its exception, or minus the signal of its end.

    The process may take so many bytes of memory beyond what it has.
    """
    end, start = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for standard in (0, 1, 2):
                os.dup2(nowhere, standard)
            limit_memory(data_size() + memory)
            forbid_writing([start])
            try:
                result = attack()
            except Exception as error:
                result = type(error)(*error.args)
            os.write(start, pickle.dumps(result))
        finally:
            os._exit(0)
    os.close(start)
    with os.fdopen(end, "rb") as stream:
        data = stream.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return pickle.loads(data) if data else code


def system_call(number: int, *arguments: Any) -> Any:
    """Ask the system, past Python and the C library; OSError where it refuses."""
    ctypes.set_errno(0)
    found = LIBC.syscall(*(ctypes.c_long(one) if isinstance(one, int) else one for one in (number, *arguments)))
    if found == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return found


def machine_code(code: bytes) -> Callable[[], int]:
    """Return a function of machine code, in memory that was made before the process locks itself."""
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
    function.memory = memory  # type: ignore[attr-defined]  # which lives as long
    return function
