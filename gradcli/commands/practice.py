"""`gradcli practice`: exercises, one quantity at a time."""

from __future__ import annotations

import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gradcli.commands.options import Console
from gradcli.errors import UsageError
from gradcli.source import visible
from gradcli.workers.interruption import INTERRUPTED

if TYPE_CHECKING:
    from gradcli.homework.assignment.assignments import Assignment
    from gradcli.homework.practice.session import Exercise, Session, Told
    from gradcli.render.text.looks import Looks

LONGEST = 100_000  # characters of a line that is read
HINTS = ("?", "hint")
GOES_ON = "... "


def completed(incomplete: str) -> list[str]:
    """The topics that a shell may complete a beginning to."""
    from gradcli.homework.practice.topics import ORDER

    return [name for name in ORDER if name.startswith(incomplete)]


def command(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="[ASSIGNMENT|TOPIC]",
            help="A .toml file, or a topic; without it, the topics.",
            autocompletion=completed,
        ),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option("--count", min=1, max=10_000, metavar="N", help="Quantities. [default: each of them once]"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, metavar="N", help="The same values again. [default: new ones]")
    ] = None,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="Records in and out, one a line, for other front ends: see gradcli schema practice."
        ),
    ] = False,
    *,
    console: Console,
) -> int:
    """Practise: answer one quantity after another, each question with fresh values.

    After a wrong answer ? tells more: where to look, then the mistake, then the right answer. Enter alone gives up.
    Ctrl-C ends it with the score so far.

    \b
    Examples:
      gradcli practice
      gradcli practice chain
      gradcli practice week1.toml --count 5
      gradcli practice softmax --seed 7
    """
    from gradcli.homework.practice.session import Session
    from gradcli.homework.practice.topics import ORDER
    from gradcli.homework.practice.topics import topic as assignment_of

    if topic is None:
        show_topics([(name, assignment_of(name)) for name in ORDER], console.looks, is_json=json)
        return 0
    assignment = assignment_of(topic) if topic in ORDER else own(topic, ORDER)
    session = Session(assignment, new_seed() if seed is None else seed, count)
    if isinstance(sys.stdin, TextIOWrapper):  # bytes that are no text are an answer that cannot be read
        sys.stdin.reconfigure(errors="backslashreplace")
    front: Records | Page = Records(session) if json else Page(session, console.looks)
    try:
        front.begin()
        for exercise in session:
            if not practised(exercise, front):
                break
    except KeyboardInterrupt:
        front.end(is_complete=False)
        return INTERRUPTED
    front.end(is_complete=session.score.asked == session.count)
    return 0


def own(path: str, topics: tuple[str, ...]) -> Assignment:
    """Return the assignment of a file. Raises UsageError, which names a topic of nearly this name, where it is none."""
    from pathlib import Path

    from gradcli.commands.inputs.programs import read_source
    from gradcli.homework.assignment.assignments import read_assignment
    from gradcli.source import did_you_mean

    if path == "-":
        raise UsageError("E014", "answers are read from standard input", help="give the assignment as a file")
    close = did_you_mean(path, topics)
    help = f"did you mean {close}?" if close else f"the topics are {', '.join(topics)}"
    if not Path(path).exists() and not path.endswith(".toml"):
        raise UsageError("E008", f"there is no topic {path!r}, and no such file", help=help)
    return read_assignment(read_source(path, help=f"give the path of an assignment, or a topic: {', '.join(topics)}"))


def new_seed() -> int:
    from random import SystemRandom

    return SystemRandom().randrange(10**6)


def show_topics(topics: list[tuple[str, Assignment]], looks: Looks, *, is_json: bool) -> None:
    from gradcli.render.practice.page import topics_page
    from gradcli.render.practice.records import topics as record
    from gradcli.render.text.streams import print_document, print_text

    if is_json:
        print_document(record(topics))
    else:
        print_text(topics_page(topics, looks))


def practised(exercise: Exercise, front: Records | Page) -> bool:
    """Ask for one quantity until it is over; False where no more is typed."""
    front.ask(exercise)
    while not exercise.is_over:
        move = front.move(exercise)
        if move is None:
            return False
        kind, text = move
        told = exercise.answer(text) if kind == "answer" else exercise.hint() if kind == "hint" else exercise.give_up()
        front.tell(told)
    return True


class Page:
    """The front end at a terminal: text, and a line that waits for an answer."""

    def __init__(self, session: Session, looks: Looks) -> None:
        self.session, self.looks = session, looks

    def begin(self) -> None:
        from gradcli.render.practice.page import opening_page

        self.write(opening_page(self.session.assignment, self.session.count, self.looks))

    def ask(self, exercise: Exercise) -> None:
        from gradcli.render.practice.page import choices_page, question_page

        if exercise.is_new:
            self.write(question_page(exercise.question, self.looks) + "\n")
        self.write(choices_page(exercise, self.looks), end="")

    def move(self, exercise: Exercise) -> tuple[str, str] | None:
        from gradcli.homework.submission.marks import open_brackets
        from gradcli.render.practice.page import prompt

        line = self.line(prompt(exercise, self.looks))
        if line is None:
            return None
        text = line.strip()
        while text and open_brackets(text) > 0 and len(text) < LONGEST:  # a matrix of several lines
            more = (self.line(GOES_ON) or "").strip()
            if not more:
                break
            text = f"{text}\n{more}"
        return ("hint", "") if text.lower() in HINTS else ("answer", text) if text else ("give_up", "")

    def line(self, asked: str) -> str | None:
        """Ask for one line; None at the end of what is typed. At a terminal the line can be edited."""
        if sys.stdin.isatty() and sys.stdout.isatty():
            from gradcli.render.text.streams import encodable

            with suppress(ImportError):
                import readline

                readline.parse_and_bind("set enable-bracketed-paste off")
            try:
                return input(encodable(asked, sys.stdout))[:LONGEST]
            except EOFError:
                self.write("")
                return None
        self.write(asked, end="")
        line = sys.stdin.readline(LONGEST)
        if line and not sys.stdin.isatty():  # where nobody sees what was typed
            self.write(visible(line.rstrip("\n")))
        return line or None

    def tell(self, told: Told | None) -> None:
        from gradcli.render.practice.page import told_page

        self.write(told_page(told, self.looks))

    def end(self, *, is_complete: bool) -> None:
        from gradcli.render.practice.page import score_page

        self.write(("" if is_complete else "\n") + "\n" + score_page(self.session.score, self.session.seed, self.looks))

    def write(self, text: str, end: str = "\n") -> None:
        from gradcli.render.text.streams import encodable

        sys.stdout.write(encodable(text + end, sys.stdout))
        sys.stdout.flush()


class Records:
    """The front end of other programs: one JSON record a line, in and out."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def begin(self) -> None:
        """Say nothing: the first record is a question."""

    def ask(self, exercise: Exercise) -> None:
        from gradcli.render.practice import records

        if exercise.is_new:
            self.write(records.question(exercise.question))
        self.write(records.ask(exercise))

    def move(self, exercise: Exercise) -> tuple[str, str] | None:
        from gradcli.render.practice.records import read_move
        from gradcli.render.text.error import error_document

        while line := sys.stdin.readline(LONGEST):
            try:
                return read_move(line)
            except UsageError as error:
                self.write(error_document(error.facts()))
        return None

    def tell(self, told: Told | None) -> None:
        from gradcli.render.practice import records

        self.write(records.nothing() if told is None else records.told(told))

    def end(self, *, is_complete: bool) -> None:
        from gradcli.render.practice import records

        self.write(records.score(self.session.score, self.session.seed, is_complete=is_complete))

    def write(self, document: dict[str, Any]) -> None:
        from gradcli.stream.values import dump

        sys.stdout.write(dump(document, ascii=True) + "\n")
        sys.stdout.flush()
