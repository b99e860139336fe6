"""The table: how often the verdicts are those of the key, and how often the diagnoses name the mistake."""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.diagnose.ordering import in_class_order
from gradcli.homework.grading import Grader
from gradcli.homework.model import CREDITED, Marked, Result
from gradcli.homework.submission.classes import of_student
from gradcli.homework.submission.labels import Labels
from gradcli.homework.submission.lines import read_lines
from gradcli.homework.submission.submissions import Submission, read_json
from gradcli.source import Source
from tests.homework.klass.model import OUTSIDE, Asked
from tests.homework.klass.students import Answer, Student


def plainly(answer: Answer) -> str:
    """Type an answer as a careful student does."""
    if isinstance(answer.value, bool | str):
        return str(answer.value)
    return entry(answer.value, answer.digits)


def entry(value: Any, digits: int) -> str:
    if np.ndim(value):
        return f"[{', '.join(entry(one, digits) for one in value)}]"
    return f"{float(value):#.{digits}g}".rstrip(".")


def sheet(student: Student) -> str:
    """Write the hand-in of a student."""
    lines, last = [], ""
    for answer in student.answers:
        if answer.question != last:
            lines.append(f"[{answer.question}]")
            last = answer.question
        lines.append(f"{answer.quantity} = {'' if answer.value is None else plainly(answer)}")
    return "\n".join(lines) + "\n"


@dataclass
class Tally:
    """Counts of one class, and examples of every miss."""

    counts: Counter[str] = field(default_factory=Counter)
    misses: dict[str, Counter[str]] = field(default_factory=dict)

    def count(self, what: str, is_so: bool, example: str) -> None:
        self.counts[f"{what} of"] += 1
        self.counts[what] += is_so
        if not is_so:
            self.misses.setdefault(what, Counter())[example] += 1

    def share(self, what: str) -> float:
        return self.counts[what] / max(self.counts[f"{what} of"], 1)

    def add(self, answer: Answer, marked: Marked) -> None:
        found = marked.diagnoses
        codes = [one.code for one in found]
        place = f"{answer.question} {answer.quantity} {answer.mistake}"
        said = f"{place} -> {marked.verdict} {codes[:3]}"
        self.count("verdict", marked.verdict in answer.verdicts, f"{said} key {'/'.join(answer.verdicts)}")
        credited = marked.verdict in CREDITED and not answer.verdicts & CREDITED
        self.count("not wrongly credited", not credited, said)
        if not answer.mistake or answer.code == "word" or marked.verdict in CREDITED:
            return
        certain = bool(found) and found[0].certain
        if answer.code == OUTSIDE:
            self.count("outside not certain", not certain, said)
        else:
            self.count("among", is_named(answer.code, codes), said)
            self.count("first", is_named(answer.code, codes[:1]), said)
            self.count("something said", bool(codes), said)
            self.count("stated as certain", certain, said)
        if certain:
            self.count("certain is true", is_named(answer.code, codes[:1]), said)


def is_named(code: str, codes: Sequence[str]) -> bool:
    """Whether a mistake is among those found: `a-or-b` has two names, and `a-and-b` is both at once."""
    found = [set(map(kin, one.split(" + "))) for one in codes]
    return any(set(map(kin, name.split("-and-"))) in found for name in code.split("-or-"))


def kin(code: str) -> str:
    """Return one code for the mistakes that are the same: a path left out is a branch overwritten, where two meet."""
    return "fanout-overwrite" if code == "path-missed" else code


@dataclass(frozen=True)
class Measured:
    """A class with its counts, the seconds of grading it, and the peak of memory in MB."""

    tally: Tally
    answers: int
    kinds: int
    seconds: float
    memory: float


def measured(questions: Sequence[Asked], made: Sequence[Student], typist: Callable[[Student], str] = sheet) -> Measured:
    """Grade a class and compare it with its key."""
    source = Source("".join(map(Asked.toml, questions)), "class.toml")
    sheets = [typist(student) for student in made]
    begun = time.process_time()
    grader = Grader(read_assignment(source))
    graded = (
        grader.grade(opened(student.name, text, grader.labels)) for student, text in zip(made, sheets, strict=True)
    )
    results: list[Result] = list(in_class_order(graded))
    seconds = time.process_time() - begun
    tally, kinds, answers = Tally(), set(), 0
    for student, result in zip(made, results, strict=True):
        by_place = {(one.question, one.quantity): one for one in result.answers}
        for answer in student.answers:
            answers += 1
            kinds.add(f"{answer.question} {answer.mistake}" if answer.mistake else "")
            tally.add(answer, by_place[answer.question, answer.quantity])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measured(tally, answers, len({one.partition(" ")[2] for one in kinds} - {""}), seconds, peak)


def opened(student: str, text: str, labels: Labels) -> Submission:
    """Read a hand-in as the kind of file that it is."""
    if text.startswith("{"):
        return read_json(f"{student}.json", student, text)
    if text.startswith("question,"):
        return of_student(f"{student}.csv", student, text)
    return read_lines(f"{student}.txt", student, text, labels)


def table(measure: Measured) -> str:
    """Write the table in Markdown."""
    tally = measure.tally
    percent = {what: f"{100 * tally.share(what):.1f} %" for what in tally.counts if f"{what} of" in tally.counts}
    credited = tally.counts["not wrongly credited of"] - tally.counts["not wrongly credited"]
    rows = [
        (f"verdict as in the key, {measure.answers:,} answers, {measure.kinds} kinds of mistake", percent["verdict"]),
        ("wrongly credited answers", f"{credited}"),
        ("known mistake among the diagnoses", percent["among"]),
        ("known mistake first", percent["first"]),
        ("a certain diagnosis is the true one", percent.get("certain is true", "-")),
        ("known mistakes that are stated as certain", percent["stated as certain"]),
        ("certain diagnosis for a mistake outside the catalogue",
         f"{100 - 100 * tally.share('outside not certain'):.1f} %"),
        ("nothing said for a known mistake", f"{100 - 100 * tally.share('something said'):.1f} %"),
        ("seconds of CPU, one core", f"{measure.seconds:.1f}"),
        ("peak memory", f"{measure.memory:.0f} MB"),
    ]  # fmt: skip
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def examples(tally: Tally, what: str, most: int) -> str:
    """List the commonest misses of one row."""
    return "\n".join(f"{count:5} {text}" for text, count in tally.misses.get(what, Counter()).most_common(most))
