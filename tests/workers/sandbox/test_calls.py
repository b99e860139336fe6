"""A locked process asks for every system call by its number: the list of those that pass is here."""

from __future__ import annotations

import errno
import os
import platform
import signal
from typing import Any

import pytest

from gradcli.workers.sandbox import lock
from tests.workers.sandbox.door import inside, machine_code, system_call

pytestmark = [
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86-64"),
    pytest.mark.skipif(not lock.walls()["calls"], reason="the system has no filter of calls"),
]
OF_PROBES = (335, 336)  # of the kernel's own tracing: without a filter, and of no use to anybody else
NUMBERS = [number for number in range(470) if number not in OF_PROBES]
# read, write, close, fstat, poll, lseek, munmap, brk, rt_sigaction, rt_sigprocmask, rt_sigreturn, pread64,
# select, sched_yield, mremap, madvise, nanosleep, setitimer, getpid, exit, getcwd, getrusage, times, gettid, futex,
# getdents64, restart_syscall, exit_group, pselect6, ppoll, getrandom
PASSING = (
    0, 1, 3, 5, 7, 8, 11, 12, 13, 14, 15, 17, 23, 24, 25, 28, 35, 38, 39, 60, 79, 98, 100, 186, 202, 217, 219, 231,
    270, 271, 318,
)  # fmt: skip
# Of the others, open, mmap, mprotect, clock_gettime, clock_getres, clock_nanosleep and openat pass where they ask for
# nothing that is dangerous.
NOWHERE = -1  # no pointer, descriptor or process
GETPID_OF_32_BITS = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, 20; int 0x80; ret
X32 = 0x40000000


def refusals(numbers: list[int]) -> list[int]:
    """The calls that the filter refuses, among those that may be tried one after the other."""
    found = []
    for number in numbers:
        try:
            system_call(number, *[NOWHERE] * 6)
        except OSError as error:
            if error.errno == errno.EPERM:
                found.append(number)
    return found


def test_no_other_call_passes() -> None:
    others = [number for number in NUMBERS if number not in PASSING]
    assert inside(lambda: refusals(others)) == others


@pytest.mark.parametrize("number", PASSING)
def test_calls_that_pass(number: int) -> None:
    found = inside(lambda: system_call(number, *[NOWHERE] * 6))
    assert getattr(found, "errno", 0) != errno.EPERM
    assert found != -signal.SIGSYS


@pytest.mark.parametrize("number", NUMBERS[::67])
def test_calls_of_other_architectures_end_the_process(number: int) -> None:
    assert inside(lambda: system_call(X32 + number)) == -signal.SIGSYS


def test_calls_of_32_bits_end_the_process() -> None:
    code = machine_code(GETPID_OF_32_BITS)
    assert code() == os.getpid()
    assert inside(code) == -signal.SIGSYS


READ, WRITE, EXECUTE = 1, 2, 4
PRIVATE, ANONYMOUS = 2, 0x20


@pytest.mark.parametrize(
    ("protection", "flags", "passes"),
    [
        (READ | WRITE, PRIVATE | ANONYMOUS, True),
        (READ | EXECUTE, PRIVATE | ANONYMOUS, False),
        (READ | WRITE | EXECUTE, PRIVATE | ANONYMOUS, False),
        (READ | EXECUTE, PRIVATE, False),
        (READ | WRITE, PRIVATE, True),
        (READ | WRITE | EXECUTE, PRIVATE, False),
    ],
)
def test_no_memory_becomes_code(protection: int, flags: int, passes: bool) -> None:
    def attack() -> Any:
        at = -1 if flags & ANONYMOUS else os.open(os.__file__, os.O_RDONLY)
        return system_call(9, 0, 4096, protection, flags, at, 0) != 0

    found = inside(attack)
    assert found is True if passes else found.errno == errno.EPERM
    made = inside(lambda: system_call(10, system_call(9, 0, 4096, READ, PRIVATE | ANONYMOUS, -1, 0), 4096, protection))
    assert getattr(made, "errno", 0) == (errno.EPERM if protection & EXECUTE else 0)
