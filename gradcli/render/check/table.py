"""The table of `gradcli check` for a class: one row a student, then the mistakes and the questions."""

from __future__ import annotations

from gradcli.homework.totals import ClassTotals, Elsewhere, Mistake, Share, Student, Ungraded
from gradcli.homework.wording import listed
from gradcli.render.check.marking import NAME, SENTENCE, clipped, percent, points
from gradcli.render.text.layout import Row, Section, lay_out
from gradcli.render.text.looks import Looks

QUESTIONS = 3  # of one mistake
STUDENT = ("student", "name", "points", "share", "wrong", "unreadable", "missing", "remarks", "mistake")
ELSEWHERE = ("student", "answers", "on the sheets of")
UNGRADED = ("student", "place", "why")
MISTAKE = ("code", "mistake", "students", "answers", "questions")
SHARE = ("question", "right", "answers", "points")


def check_table(totals: ClassTotals, looks: Looks) -> str:
    """The whole table as text."""
    head = Section("", [Row((title(totals, looks),), "title")])
    return lay_out([head, *class_sections(totals, looks)], looks)


def class_sections(totals: ClassTotals, looks: Looks) -> list[Section]:
    """Return the sections below the title."""
    sections = [
        Section("Students", [student(row, looks) for row in totals.students], STUDENT),
        Section("Not graded", [ungraded(failure, looks) for failure in totals.ungraded], UNGRADED),
        Section("Right on the sheets of others", [copied(copy, looks) for copy in totals.elsewhere], ELSEWHERE),
        Section("Mistakes, those of most students first", [mistake(row, looks) for row in totals.mistakes], MISTAKE),
        Section("Questions", [share(counts, looks) for counts in totals.shares.values() if counts.answers], SHARE),
    ]
    return [section for section in sections if section.rows]


def title(totals: ClassTotals, looks: Looks) -> str:
    """The assignment, the number of students, and the mean of those who handed in."""
    count = len(totals.students)
    name = clipped(totals.assignment.title or totals.assignment.file, NAME, looks)
    if not count:
        return f"{name}   no submissions"
    present = [row for row in totals.students if row.is_counted] or totals.students
    scored, of = (sum(values) / len(present) for values in zip(*((s.score, s.max_score) for s in present), strict=True))
    share = percent(scored, of)
    mean = points(round(scored, 2), round(of, 2))
    mean = f", mean {mean} points{f' ({share})' if share else ''}" if mean else ""
    return f"{name}   {counted(count, 'student')}{mean}"


def student(row: Student, looks: Looks) -> Row:
    """One student; each cell is labelled, for a narrow terminal shows cells one below the other."""
    kind = "right" if row.is_right else "wrong"
    return Row(
        (
            clipped(row.name, NAME, looks),
            clipped(row.called, NAME, looks),
            points(row.score, row.max_score),
            percent(row.score, row.max_score),
            f"{row.wrong} wrong" if row.wrong else "",
            f"{row.unreadable} unreadable" if row.unreadable else "",
            f"{row.missing} missing" if row.missing else "",
            counted(row.remarks, "remark") if row.remarks else "",
            row.mistake,
        ),
        kind,
    )


def ungraded(failure: Ungraded, looks: Looks) -> Row:
    """One item that was not graded, and why."""
    cells = (clipped(text, NAME, looks) for text in (failure.student, place(failure)))
    return Row((*cells, clipped(failure.message, SENTENCE, looks)), "wrong")


def copied(copy: Elsewhere, looks: Looks) -> Row:
    """One student with wrong answers that are right on other sheets, and whose these are."""
    sheets = (f"{clipped(sheet.student, NAME // 2, looks)} ({sheet.answers})" for sheet in copy.sheets)
    return Row((clipped(copy.student, NAME, looks), counted(copy.answers, "answer"), f"on that of {', '.join(sheets)}"))


def not_graded(totals: ClassTotals) -> str:
    """Write the first items that were not graded as a sentence, for reports that have no place for them."""
    items = [
        f"{' in '.join(clipped(part, NAME) for part in (failure.student, place(failure)) if part)} "
        f"({clipped(failure.message, SENTENCE)})"
        for failure in totals.ungraded
    ]
    return f"not graded: {listed(items)}"


def place(failure: Ungraded) -> str:
    """The file of a submission, or the question and the quantity of an answer."""
    return failure.file if failure.question is None else f"{failure.question}: {failure.quantity}"


def mistake(row: Mistake, looks: Looks) -> Row:
    """One mistake: how often, and where most."""
    most = [f"{clipped(question, NAME // 2, looks)} ({count})" for question, count in row.questions[:QUESTIONS]]
    if len(row.questions) > QUESTIONS:
        most.append(f"{len(row.questions) - QUESTIONS} more")
    return Row(
        (row.code, row.title, counted(row.students, "student"), counted(row.answers, "answer"), f"in {', '.join(most)}")
    )


def share(counts: Share, looks: Looks) -> Row:
    """One question: the share of its answers that are right, and of its points."""
    return Row(
        (
            clipped(counts.question, NAME, looks),
            f"{percent(counts.right, counts.answers)} right",
            f"{counts.right:,} of {counted(counts.answers, 'answer')}",
            f"{percent(counts.points, counts.max_points)} of the points" if counts.max_points else "",
        )
    )


def counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' * (count != 1)}"
