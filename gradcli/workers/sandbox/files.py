"""The files that a locked process may open: read alone, and none but those of some folders, by Landlock."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from contextlib import suppress

CREATE, ADD, RESTRICT = 444, 445, 446  # the numbers of the calls, on every machine
VERSION = 1  # the flag of CREATE that asks for the version
BENEATH = 1  # the kind of a rule
READ_FILE, READ_FOLDER = 1 << 2, 1 << 3
ACCESSES = {1: 13, 2: 14, 3: 15, 5: 16}  # by version, the number of accesses to files that it knows
NETWORK, SCOPES = (4, 0b11), (6, 0b11)  # since which version: TCP; abstract sockets, signals


def version() -> int:
    """Return the version of Landlock; less than 1 where there is none."""
    return int(ctypes.CDLL(None).syscall(CREATE, None, ctypes.c_size_t(0), VERSION))


def restrict_files(folders: Iterable[str]) -> bool:
    """Let this thread read these files, and files below these folders, from now on and no others; return if so.

    It must have given up new privileges.
    """
    libc, abi = ctypes.CDLL(None), version()
    if abi < 1:
        return False
    accesses = (1 << max(count for since, count in ACCESSES.items() if since <= abi)) - 1
    rules = struct.pack("<QQQ", accesses, *(bits if abi >= since else 0 for since, bits in (NETWORK, SCOPES)))
    size = 24 if abi >= SCOPES[0] else 16 if abi >= NETWORK[0] else 8
    ruleset = libc.syscall(CREATE, rules, ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return False
    for folder in folders:
        with suppress(OSError):  # there is none
            at = os.open(folder, os.O_PATH | os.O_CLOEXEC)
            readable = READ_FILE | READ_FOLDER if stat.S_ISDIR(os.fstat(at).st_mode) else READ_FILE
            libc.syscall(ADD, ruleset, BENEATH, struct.pack("<Qi", readable, at), 0)
            os.close(at)
    is_held = libc.syscall(RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return bool(is_held)
