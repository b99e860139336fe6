"""The system calls that a locked process may make, as a seccomp filter; all others are refused.

A call by the numbers of another architecture, or of x32, ends the process: no program of ours makes one.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from itertools import chain
from typing import Any

LOAD, IS_EQUAL, IS_AT_LEAST, HAS_BITS, ANSWER = 0x20, 0x15, 0x35, 0x45, 0x06  # instructions of a filter
ALLOW, REFUSE, KILL = (ANSWER, 0, 0, 0x7FFF0000), (ANSWER, 0, 0, 0x00050001), (ANSWER, 0, 0, 0x80000000)  # EPERM
NUMBER, ARCHITECTURE = 0, 4  # places in the data of a call
ARGUMENTS = 16  # the same, eight bytes each, the lower half first
X32 = 0x40000000  # begins the numbers of x32
SET_FILTER, ALL_THREADS, IS_ANSWER = 1, 1, 2  # of seccomp
CHANGING = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o10000000  # flags of open: write, create, truncate, append, path
EXECUTABLE = 4  # of mappings of memory
OF_OTHERS = 1 << 31  # of clocks: those of other processes and of files

Instruction = tuple[int, int, int, int]

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # the place of its numbers, its own for filters
SECCOMP = 317, 277

# The calls that are allowed whatever they ask, with their numbers; those that are asked for most come first.
# fmt: off
ALLOWED = {
    "read": (0, 63), "write": (1, 64), "futex": (202, 98), "munmap": (11, 215), "brk": (12, 214), "madvise": (28, 233),
    "mremap": (25, 216), "fstat": (5, 80), "lseek": (8, 62), "pread64": (17, 67), "getdents64": (217, 61),
    "close": (3, 57), "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72),
    "rt_sigreturn": (15, 139), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "setitimer": (38, 103),
    "nanosleep": (35, 101), "restart_syscall": (219, 128), "sched_yield": (24, 124), "getpid": (39, 172),
    "getcwd": (79, 17), "gettid": (186, 178), "getrusage": (98, 165), "times": (100, 153),
    "getrandom": (318, 278), "exit": (60, 93), "exit_group": (231, 94),
}
OPENING = ((257, 56), 2), ((2, None), 1)  # openat, open: each with the place of its flags
MAPPING = (9, 222), (10, 226)  # mmap, mprotect
CLOCKS = (228, 113), (229, 114), (230, 115)  # clock_gettime, clock_getres, clock_nanosleep
# fmt: on


def are_at_hand(machine: str) -> bool:
    """Return whether the system can restrict calls."""
    answer = ctypes.byref(ctypes.c_uint32(KILL[-1]))
    return machine in MACHINES and _seccomp(machine, IS_ANSWER, 0, answer)


def restrict_calls(machine: str, *, opens: bool) -> bool:
    """Refuse all other calls from now on, in all threads; return whether the system does so.

    Unless the process still `opens` files, the calls that do so are refused, too. None asks about a file by its path.
    """
    if machine not in MACHINES:
        return False
    code = instructions(*MACHINES[machine], opens=opens)
    text = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *line) for line in code))
    program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(text)))
    return _seccomp(machine, SET_FILTER, ALL_THREADS, program)


def _seccomp(machine: str, *arguments: Any) -> bool:
    return bool(ctypes.CDLL(None).syscall(SECCOMP[MACHINES[machine][0]], *arguments) == 0)


def instructions(place: int, architecture: int, *, opens: bool = True) -> list[Instruction]:
    """Return the program of the filter for a machine."""
    always = [numbers[place] for numbers in ALLOWED.values()]
    opening = [(numbers[place], flags) for numbers, flags in OPENING if opens]
    return [
        (LOAD, 0, 0, ARCHITECTURE),
        (IS_EQUAL, 1, 0, architecture),
        KILL,
        (LOAD, 0, 0, NUMBER),
        (IS_AT_LEAST, 0, 1, X32),
        KILL,
        *chain.from_iterable(on(number, ALLOW) for number in always if number is not None),
        *chain.from_iterable(
            on(number, *refusing(flags, CHANGING), ALLOW) for number, flags in opening if number is not None
        ),
        # No memory becomes code, be it from a file, for what is no module of Python is loaded before.
        *chain.from_iterable(on(numbers[place], *refusing(2, EXECUTABLE), ALLOW) for numbers in MAPPING),
        *chain.from_iterable(on(numbers[place], *refusing(0, OF_OTHERS), ALLOW) for numbers in CLOCKS),
        REFUSE,
    ]


def refusing(argument: int, bits: int) -> Sequence[Instruction]:
    """Return instructions that refuse a call one of whose arguments has any of the bits, and go on for others."""
    return (LOAD, 0, 0, ARGUMENTS + 8 * argument), (HAS_BITS, 0, 1, bits), REFUSE


def on(number: int, *instructions: Instruction) -> Sequence[Instruction]:
    """Return instructions for one call, which end in an answer; others are passed over."""
    return (IS_EQUAL, 0, len(instructions), number), *instructions
