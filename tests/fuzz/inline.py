"""The pool of `check` and `batch` without its processes: items are done here, as a process of the pool does them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from mmap import mmap
from typing import Any

from gradcli.homework import grading
from gradcli.stream import batches
from gradcli.workers import notes, pool, worker
from gradcli.workers.limits import Limits
from gradcli.workers.notes import NOTE, Note
from gradcli.workers.pool import Again, Answered, Failed, Losing, Lost


def install() -> None:
    """Let the commands do their items in this process, unless they are told to use several: a fork costs as ten do."""
    note = Note(mmap(-1, NOTE))
    notes.take(note, None)

    def mapped(
        work: Any,
        items: Iterable[Any],
        jobs: int,
        limits: Limits,
        lost: Losing,
        *,
        kind: Any = Any,
        parts: Callable[[Any], int] = lambda item: 0,
        fits: Callable[[Any, Any], bool] = lambda item, answer: True,
        is_quick: bool = False,
    ) -> Iterator[Any]:
        if jobs > 1:
            return pool.map_items(work, items, jobs, limits, lost, kind=kind, parts=parts, fits=fits, is_quick=is_quick)
        return answers(work, items, limits, lost, note)

    grading.map_items = batches.map_items = mapped  # type: ignore[attr-defined]


def answers(work: Any, items: Iterable[Any], limits: Limits, lost: Losing, note: Note) -> Iterator[Any]:
    """Yield the answers to all items; what takes too long ends this process."""
    for item in items:
        waiting = deque([item])
        while waiting:
            one = waiting.popleft()
            if isinstance(one, Failed):
                raise one.error
            if isinstance(one, Answered):
                yield one.answer
            elif one is not None:
                note.begin()
                kind, found = worker.answer_to(work, one, limits)
                if kind == "answer":
                    yield found
                else:
                    error = found if kind == "error" else None
                    instead = lost(one, Lost(kind, note.text, str(found), error))
                    waiting.extendleft(reversed([new.item if isinstance(new, Again) else new for new in instead]))
