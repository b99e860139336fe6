"""Changes by grading again, student by student."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.homework.course.overrides import Answered, Changed, Difference
from gradcli.render.check.marking import NAME, clipped, exact
from gradcli.render.text.layout import Row, Section, lay_out
from gradcli.render.text.looks import Looks


def regrade_text(differences: Sequence[Difference], students: int, looks: Looks) -> str:
    """Write the students who change, each with the answers that do."""
    count = f"{len(differences)} of {students} students" if differences else f"none of {students} students"
    head = Section("", [Row((f"Grading again changes {count}",), "title")])
    return lay_out([head, *(section(difference, looks) for difference in differences)], looks)


def section(difference: Difference, looks: Looks) -> Section:
    """Return a student with the score then and now, and a row an answer."""
    arrow = "->" if looks.ascii else "→"
    then, now = ("nothing" if score is None else exact(score) for score in (difference.before, difference.after))
    title = f"{clipped(difference.student, NAME, looks)}   {then} {arrow} {now} points"
    return Section(title, list(rows(difference.changes, arrow, looks)), ("answer", "verdict", "points"))


def rows(changes: Sequence[Changed], arrow: str, looks: Looks) -> Iterator[Row]:
    for change in changes:
        verdicts, points = (
            [side_text(side, what) for side in (change.before, change.after)] for what in ("verdict", "points")
        )
        gain = (change.after.points if change.after else 0) - (change.before.points if change.before else 0)
        kind = "right" if gain > 0 else "wrong" if gain < 0 else "aside"
        place = f"{clipped(change.question, NAME // 2, looks)}: {clipped(change.quantity, NAME // 2, looks)}"
        yield Row((place, *(changed(pair, arrow) for pair in (verdicts, points))), kind)


def side_text(side: Answered | None, what: str) -> str:
    none = {"verdict": "nothing", "points": "0"}
    return none[what] if side is None else side.verdict if what == "verdict" else exact(side.points)


def changed(pair: Sequence[str], arrow: str) -> str:
    return pair[0] if pair[0] == pair[1] else f" {arrow} ".join(pair)
