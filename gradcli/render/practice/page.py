"""Exercises as text: the question, the verdict on an answer and the hints about it, the score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gradcli.homework.answer_file import answer
from gradcli.homework.assignment.assignments import Assignment, Question
from gradcli.homework.model import VERDICTS, Marked
from gradcli.homework.practice.session import VALUE, VERDICT, Exercise, Score, Told
from gradcli.render.check.marking import ASCII, SENTENCE, Saying, clipped, expected, mark, points, sayings
from gradcli.render.check.page import KINDS
from gradcli.render.text.layout import Row, Section, lay_out
from gradcli.render.text.looks import Looks
from gradcli.source import visible

HOW = "? is a hint, for half the points; Enter alone gives up; Ctrl-C ends."
TENSORS = "Tensors are typed as lists: [[1, 2], [3, 4]]."
NOTHING = "no known mistake gives this; ? once more shows what is right"


def topics_page(topics: Iterable[tuple[str, Assignment]], looks: Looks) -> str:
    """The topics that can be practised, and how to begin."""
    rows = [Row((f"{name} ", plain(assignment.title, looks))) for name, assignment in topics]
    hint = Row(
        ("gradcli practice chain begins one; gradcli practice week1.toml is about an assignment of your own.",), "aside"
    )
    return lay_out([Section("Topics", rows), Section("", [hint])], looks)


def opening_page(assignment: Assignment, count: int, looks: Looks) -> str:
    """The title, the number of quantities, and how to answer."""
    title = f"{plain(assignment.title or assignment.file, looks)}   {count} to answer"
    has_tensors = any(np.ndim(value) for question in assignment.questions for value in question.at.values())
    how = [Row((line,), "aside") for line in (HOW, *([TENSORS] if has_tensors else ()))]
    return lay_out([Section("", [Row((title,), "title"), *how])], looks)


def question_page(question: Question, looks: Looks) -> str:
    """The text of a question, its program, and the values of its variables."""
    rows = [Row((f"  {plain(line, looks)}",)) for line in question.source.text.strip("\n").splitlines()]
    values = [f"{name} = {answer(value)}" for name, value in question.at.items()]
    if any(np.ndim(value) for value in question.at.values()):
        rows += [Row((f"at {value}" if place == 0 else f"   {value}",), "note") for place, value in enumerate(values)]
    elif values:
        rows.append(Row((f"at {', '.join(values)}",), "note"))
    return "\n" + lay_out([Section(plain(" ".join(question.text.split()) or question.id, looks), rows)], looks)


def choices_page(exercise: Exercise, looks: Looks) -> str:
    """The choices that there are for an answer, "" for any other."""
    rows = [Row((f"{number}", plain(text, looks))) for number, text in enumerate(exercise.ask.words.choices, 1)]
    return lay_out([Section(" ", rows)], looks).partition("\n")[2] + "\n" if rows else ""


def prompt(exercise: Exercise, looks: Looks) -> str:
    """The line that waits for an answer."""
    kind = "a formula for " if exercise.ask.form == "expression" else ""
    printing = exercise.question.printing(exercise.ask)
    asked = ", by ".join(filter(None, (exercise.ask.written, printing)))
    return f"[{exercise.number}/{exercise.count}] {kind}{plain(asked, looks)} = "


def told_page(shown: Told, looks: Looks) -> str:
    """The verdict on an answer, or a hint about it."""
    return lay_out([Section(" ", list(_told(shown, looks)))], looks).partition("\n")[2]


def below(text: str, looks: Looks) -> str:
    """A line of explanation: a hint, or a derivation."""
    return lay_out([Section(" ", [Row(("   ", plain(text, looks)), "below")])], looks).partition("\n")[2] + "\n"


def _told(shown: Told, looks: Looks) -> Iterator[Row]:
    marked = shown.answer
    if shown.level == VERDICT:
        again = "" if shown.is_over else _again(marked)
        verdict = f"{mark(marked.verdict, looks)} {VERDICTS[marked.verdict]}{';' * bool(again)}"
        yield Row((verdict, again), KINDS.get(marked.verdict, "wrong"))
        lines = [f"read as {clipped(marked.read_as, SENTENCE, looks)}"] if marked.read_as else []
        if marked.remark:
            lines.append(clipped(marked.remark, SENTENCE, looks))
    else:
        lines = [] if marked.given is None else [whole(saying) for saying in sayings(marked, looks)]
        if shown.level == VALUE:
            yield Row((f"right is {expected(marked, looks) or answer(marked.expected)}",), "result")
        elif not lines:
            lines = [NOTHING]
    yield from (Row(("   ", line), "below") for line in lines)


def whole(saying: Saying) -> str:
    return f"{saying.text}; the rule: {saying.rule}" if saying.rule else saying.text


def _again(marked: Marked) -> str:
    again = {"unreadable": "type it once more", "precision": "type more of them"}
    return again.get(marked.verdict, "another try, or ? for more")


def score_page(score: Score, seed: int, looks: Looks) -> str:
    """The score so far."""
    if not score.asked:
        return lay_out([Section("", [Row(("nothing finished",), "title")])], looks)
    total = Row((f"{points(score.points, score.max_points)} points",), "title")
    counts = [
        f"{count} {what}"
        for count, what in (
            (score.at_once, "right at once"),
            (score.with_help, "right with help, for half the points"),
            (score.given_up, "given up"),
        )
        if count
    ]
    again = Row((f"--seed {seed} asks the same questions again",), "aside")
    return lay_out([Section("", [total, Row((", ".join(counts),)), again])], looks)


def plain(text: str, looks: Looks) -> str:
    """Write a text of an assignment so that none of its characters acts on the terminal."""
    shown = visible(text)
    return shown.translate(ASCII) if looks.ascii else shown
