"""The numbers of the calls, as the kernel's own headers have them: a machine that no test runs on is held to them."""

from __future__ import annotations

import struct

import pytest

from gradcli.workers.sandbox import calls, files, lock, modules

# Copied from Linux 6.1: `asm-generic/unistd.h`, which is the table of aarch64, and `asm/unistd_64.h` of x86-64, which
# alone has the calls for which there is no other number.
# fmt: off
X86_64 = {
    "read": 0, "write": 1, "open": 2, "close": 3, "fstat": 5, "poll": 7, "lseek": 8, "mmap": 9, "mprotect": 10,
    "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "pread64": 17, "select": 23,
    "sched_yield": 24, "mremap": 25, "madvise": 28, "nanosleep": 35, "setitimer": 38, "getpid": 39, "exit": 60,
    "getcwd": 79, "getrusage": 98, "times": 100, "capset": 126, "gettid": 186, "futex": 202, "getdents64": 217,
    "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230, "exit_group": 231,
    "openat": 257, "pselect6": 270, "ppoll": 271, "seccomp": 317, "getrandom": 318, "landlock_create_ruleset": 444,
    "landlock_add_rule": 445, "landlock_restrict_self": 446,
}
AARCH64 = {
    "getcwd": 17, "openat": 56, "close": 57, "getdents64": 61, "lseek": 62, "read": 63, "write": 64, "pread64": 67,
    "pselect6": 72, "ppoll": 73, "fstat": 80, "capset": 91, "exit": 93, "exit_group": 94, "futex": 98, "nanosleep": 101,
    "setitimer": 103, "clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115, "sched_yield": 124,
    "restart_syscall": 128, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139, "times": 153,
    "getrusage": 165, "getpid": 172, "gettid": 178, "brk": 214, "munmap": 215, "mremap": 216, "mmap": 222,
    "mprotect": 226, "madvise": 233, "seccomp": 277, "getrandom": 278, "landlock_create_ruleset": 444,
    "landlock_add_rule": 445, "landlock_restrict_self": 446,
}
# fmt: on
TABLES = {"x86_64": X86_64, "aarch64": AARCH64}
ELF = {"x86_64": 62, "aarch64": 183}  # EM_X86_64 and EM_AARCH64 of `linux/elf-em.h`
BITS_64, LITTLE_ENDIAN = 0x80000000, 0x40000000  # of `linux/audit.h`: both are added to the number of the machine
NAMED = {
    **calls.ALLOWED,
    **dict(zip(("openat", "open"), (numbers for numbers, _ in calls.OPENING), strict=True)),
    **dict(zip(("mmap", "mprotect"), calls.MAPPING, strict=True)),
    **dict(zip(("clock_gettime", "clock_getres", "clock_nanosleep"), calls.CLOCKS, strict=True)),
    "seccomp": calls.SECCOMP,
    "fstat": tuple(modules.FSTAT[machine] for machine in calls.MACHINES),
    "capset": tuple(lock.SET_CAPABILITIES[machine] for machine in calls.MACHINES),
    "landlock_create_ruleset": (files.CREATE, files.CREATE),
    "landlock_add_rule": (files.ADD, files.ADD),
    "landlock_restrict_self": (files.RESTRICT, files.RESTRICT),
}


@pytest.mark.parametrize("machine", calls.MACHINES)
def test_numbers_are_those_of_the_kernel(machine: str) -> None:
    place, architecture = calls.MACHINES[machine]
    ours = {name: numbers[place] for name, numbers in NAMED.items() if numbers[place] is not None}
    assert ours == TABLES[machine]
    assert architecture == ELF[machine] | BITS_64 | LITTLE_ENDIAN


def answer_to(program: list[calls.Instruction], data: bytes) -> int:
    """Return what a filter answers to a call, as the kernel runs it."""
    place, loaded = 0, 0
    while True:
        kind, yes, no, value = program[place]
        place += 1
        if kind == calls.ANSWER:
            return value
        if kind == calls.LOAD:
            (loaded,) = struct.unpack_from("<I", data, value)
            continue
        holds = {
            calls.IS_EQUAL: loaded == value,
            calls.IS_AT_LEAST: loaded >= value,
            calls.HAS_BITS: bool(loaded & value),
        }[kind]
        place += yes if holds else no


ALL_BITS = 2**64 - 1


@pytest.mark.parametrize("machine", calls.MACHINES)
def test_a_filter_answers_by_the_table_of_its_machine(machine: str) -> None:
    """Whatever a call asks for, none passes but those of the table, and these only where they ask for no danger."""
    _, architecture = calls.MACHINES[machine]
    program = calls.instructions(*calls.MACHINES[machine])

    def passing(argument: int, architecture: int = architecture) -> set[int]:
        asked = {number: struct.pack("<IIQ6Q", number, architecture, 0, *[argument] * 6) for number in range(1000)}
        return {number for number, data in asked.items() if answer_to(program, data) == calls.ALLOW[-1]}

    always = {numbers[calls.MACHINES[machine][0]] for numbers in calls.ALLOWED.values()} - {None}
    at_times = {"open", "openat", "mmap", "mprotect", "clock_gettime", "clock_getres", "clock_nanosleep"}
    assert passing(ALL_BITS) == always
    assert passing(0) - always == {TABLES[machine][name] for name in at_times & TABLES[machine].keys()}
    for other in ELF.values():
        assert passing(0, other | BITS_64 | LITTLE_ENDIAN) == (passing(0) if other == ELF[machine] else set())
