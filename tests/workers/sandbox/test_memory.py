"""A locked process takes no more memory than it may have, in whatever way it asks for it."""

from __future__ import annotations

import errno

import pytest

from gradcli.workers.sandbox import lock
from tests.workers.sandbox.door import inside, system_call

pytestmark = pytest.mark.skipif(not all(lock.walls().values()), reason="the system has not all walls")
MAPPING, MOVING, GROWING = 9, 25, 12  # mmap, mremap, brk
READ, WRITE = 1, 2
SHARED, PRIVATE, ANONYMOUS, GROWS_DOWN, NO_RESERVE = 1, 2, 0x20, 0x100, 0x4000
ALLOWED, LARGE = 2**26, 2**29  # bytes that it may have, and that it asks for


@pytest.mark.parametrize(
    ("protection", "flags"),
    [
        (READ | WRITE, PRIVATE | ANONYMOUS),
        (READ | WRITE, SHARED | ANONYMOUS),
        (READ | WRITE, PRIVATE | ANONYMOUS | GROWS_DOWN),
        (READ | WRITE, PRIVATE | ANONYMOUS | NO_RESERVE),
        (READ, PRIVATE | ANONYMOUS),  # tables of pages take memory, too
        (0, PRIVATE | ANONYMOUS),
    ],
)
def test_no_kind_of_memory_is_without_a_limit(protection: int, flags: int) -> None:
    found = inside(lambda: system_call(MAPPING, 0, LARGE, protection, flags, -1, 0), ALLOWED)
    assert isinstance(found, OSError)
    assert found.errno in (errno.ENOMEM, errno.EPERM)


def test_memory_does_not_grow_past_its_limit() -> None:
    def moved() -> int:
        return int(
            system_call(MOVING, system_call(MAPPING, 0, 4096, READ | WRITE, PRIVATE | ANONYMOUS, -1, 0), 4096, LARGE, 1)
        )

    assert inside(moved, ALLOWED).errno == errno.ENOMEM
    assert isinstance(inside(lambda: bytearray(LARGE), ALLOWED), MemoryError)


def test_what_is_allowed_is_there() -> None:
    assert inside(lambda: len(bytearray(ALLOWED // 2)), ALLOWED) == ALLOWED // 2
