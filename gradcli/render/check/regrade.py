"""Changes by grading again, student by student."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.homework.course.overrides import Answered, Changed, Difference
from gradcli.render.check.marking import NAME, clipped, exact
from gradcli.render.text.layout import Row, Section, lay_out
from gradcli.render.text.looks import Looks


def regrade_text(found: Sequence[Difference], students: int, looks: Looks) -> str:
    """Write the students who change, each with the answers that do."""
    count = f"{len(found)} of {students} students" if found else f"none of {students} students"
    head = Section("", [Row((f"Grading again changes {count}",), "title")])
    return lay_out([head, *(section(one, looks) for one in found)], looks)


def section(one: Difference, looks: Looks) -> Section:
    """Return a student with the score then and now, and a row an answer."""
    arrow = "->" if looks.ascii else "→"
    then, now = ("nothing" if score is None else exact(score) for score in (one.before, one.after))
    title = f"{clipped(one.student, NAME, looks)}   {then} {arrow} {now} points"
    return Section(title, list(rows(one.changes, arrow, looks)), ("answer", "verdict", "points"))


def rows(changes: Sequence[Changed], arrow: str, looks: Looks) -> Iterator[Row]:
    for one in changes:
        verdicts, points = ([told(side, what) for side in (one.before, one.after)] for what in ("verdict", "points"))
        gain = (one.after.points if one.after else 0) - (one.before.points if one.before else 0)
        kind = "right" if gain > 0 else "wrong" if gain < 0 else "aside"
        place = f"{clipped(one.question, NAME // 2, looks)}: {clipped(one.quantity, NAME // 2, looks)}"
        yield Row((place, *(changed(pair, arrow) for pair in (verdicts, points))), kind)


def told(side: Answered | None, what: str) -> str:
    none = {"verdict": "nothing", "points": "0"}
    return none[what] if side is None else side.verdict if what == "verdict" else exact(side.points)


def changed(pair: Sequence[str], arrow: str) -> str:
    return pair[0] if pair[0] == pair[1] else f" {arrow} ".join(pair)
