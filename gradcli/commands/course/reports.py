"""The formats of other tools that `gradcli check` writes, and how much they tell."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from gradcli.commands.options import ItemLimited, Reported
from gradcli.render.check.reports.registry import REPORTS

if TYPE_CHECKING:
    from gradcli.homework.assignment.assignments import Assignment


class Reveal(StrEnum):
    verdict = "verdict"
    node = "node"
    rule = "rule"
    value = "value"


def usual_level(report: str | None, *, is_folder: bool) -> str:
    """Return how much is told where nobody says it: less where students read it."""
    if report is None:
        return "rule" if is_folder else "value"
    return REPORTS[report].reveal


def print_questions(assignment: Assignment, name: str, level: str | None, page: Reported, limits: ItemLimited) -> int:
    """Write the questions of an assignment for another tool."""
    from gradcli.render.check.reports.writing import write_questions

    write_questions(name, page.destination, assignment, level or "rule", limits.of_item)
    return 0
