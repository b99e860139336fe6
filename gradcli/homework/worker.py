"""Work on an assignment in a process of its own, within the limits of an item: its scripts are a stranger's."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

from gradcli.errors import EvaluationError, GradcliError, InternalError
from gradcli.homework.assignment.assignments import ANSWERS, Assignment
from gradcli.workers.limits import Limits, size_text
from gradcli.workers.notes import MARK
from gradcli.workers.pool import Failed, Lost, map_items

Item = TypeVar("Item")
PARTS = 2**8  # of work on a question: as many values are tried for one


def in_worker(
    work: Callable[[Item], Any], items: Iterable[Item], assignment: Assignment, limits: Limits, kind: Any = str
) -> Generator[Any]:
    """Yield what `work` returns for each item, in order, from one process; answers are of a `kind`, as a type says.

    Raises the errors of the work, and one for an item that exceeds its limits.
    """

    def lost(item: Item, loss: Lost) -> list[Failed]:
        return [Failed(unanswered(assignment, loss, limits))]

    return map_items(work, items, 1, limits, lost, kind=kind, parts=lambda item: PARTS * len(assignment.questions))


def unanswered(assignment: Assignment, loss: Lost, limits: Limits) -> GradcliError:
    """Return the error of a question whose answers cannot be computed, within the limits or at all."""
    if loss.error is not None:
        return loss.error
    reasons = {
        "time": f"it takes more than {limits.seconds:g} s; --item-timeout SECONDS allows more",
        "memory": f"it takes more than {size_text(limits.memory)} of memory; --item-memory SIZE allows more",
    }
    why = reasons.get(loss.reason, f"it crashes ({loss.detail})")
    for question in assignment.questions:
        if loss.at.partition(MARK)[0] == f"{ANSWERS}{question.id}":
            return question.refused(question.span, f"computing its answers: {why}", "make it smaller")
    if loss.reason == "bug":
        return InternalError(loss.detail)
    return EvaluationError("E210", f"the answers cannot be computed: {why}")
