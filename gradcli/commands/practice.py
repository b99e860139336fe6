"""`gradcli practice`: exercises, one quantity at a time."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Annotated

from gradcli.commands.declared import Argument, Option
from gradcli.commands.options import Console, ItemLimited
from gradcli.errors import EvaluationError, GradcliError, UsageError
from gradcli.source import visible
from gradcli.workers.interruption import INTERRUPTED

if TYPE_CHECKING:
    from gradcli.homework.assignment.assignments import Assignment
    from gradcli.render.practice.turns import Move, Turn, Turns
    from gradcli.render.text.looks import Looks
    from gradcli.workers.limits import Limits

LONGEST = 100_000  # characters of a line that is read
HINTS = ("?", "hint")
GOES_ON = "... "
TOO_LONG = "it takes too long, or too much memory, to judge this: type it in another way"
MOST = 1000  # moves about one quantity, and lines that are none


def read_line() -> str:
    """Return the beginning of a line of standard input, "" at its end. Raises UsageError for a line without an end."""
    line = tail = sys.stdin.readline(LONGEST)
    for _ in range(MOST):
        if len(tail) < LONGEST or tail.endswith("\n"):
            return line
        tail = sys.stdin.readline(LONGEST)
    raise UsageError("E028", "a line has no end", help="type shorter answers")


def completed(incomplete: str) -> list[str]:
    """The topics that a shell may complete a beginning to."""
    from gradcli.homework.practice.topics import ORDER

    return [name for name in ORDER if name.startswith(incomplete)]


def command(
    topic: Annotated[
        str | None,
        Argument(
            metavar="[ASSIGNMENT|TOPIC]",
            help="A .toml file, or a topic; without it, the topics.",
            autocompletion=completed,
        ),
    ] = None,
    count: Annotated[
        int | None,
        Option("--count", min=1, max=10_000, metavar="N", help="Quantities. [default: each of them once]"),
    ] = None,
    seed: Annotated[
        int | None, Option("--seed", min=0, metavar="N", help="The same values again. [default: new ones]")
    ] = None,
    json: Annotated[
        bool,
        Option("--json", help="Records in and out, one a line, for other front ends: see gradcli schema practice."),
    ] = False,
    destination: Annotated[
        str, Option("-o", "--output", metavar="FILE", help="A page (.html) with the exercises, offline.")
    ] = "-",
    *,
    console: Console,
    limits: ItemLimited,
) -> int:
    """Practise: answer one quantity after another, each question with fresh values.

    ? gives a hint: the rule, then the symbols, then the numbers. After a wrong answer it tells where to look, then the
    mistake, then the right answer. Each answer ends with its derivation. Enter alone gives up.
    Ctrl-C ends it with the score so far.

    \b
    Examples:
      gradcli practice
      gradcli practice chain
      gradcli practice week1.toml --count 5
      gradcli practice softmax --seed 7
      gradcli practice chain -o practice.html
    """
    from gradcli.homework.practice.topics import ORDER
    from gradcli.homework.practice.topics import topic as assignment_of
    from gradcli.homework.solve.runs.scripts import WORK
    from gradcli.render.practice.turns import Turns
    from gradcli.workers.zygote import zygote_waiting

    if topic is None:
        show_topics([(name, assignment_of(name)) for name in ORDER], console.looks, is_json=json)
        return 0
    with zygote_waiting(WORK):
        assignment = assignment_of(topic) if topic in ORDER else assignment_in_file(topic, ORDER)
        if destination != "-":
            write_page(assignment, new_seed() if seed is None else seed, destination, console.looks, limits.of_item)
            return 0
        turns = Turns(assignment, new_seed() if seed is None else seed, count, None if json else console.looks)
        if isinstance(sys.stdin, TextIOWrapper):  # bytes that are no text are an answer that cannot be read
            sys.stdin.reconfigure(errors="backslashreplace")
        front = Records() if json else Page()
        try:
            practise(turns, assignment, front, limits.of_item)
        except KeyboardInterrupt:
            front.end()
            return INTERRUPTED
        front.end()
    return 0


def write_page(assignment: Assignment, seed: int, destination: str, looks: Looks, limits: Limits) -> None:
    """Write the exercises as a page, which a process of its own makes. Raises UsageError for another ending."""
    from functools import partial

    from gradcli.homework.worker import in_worker
    from gradcli.render.practice.web import practice_page
    from gradcli.render.text.streams import print_text
    from gradcli.workers.child import output_to

    if not destination.endswith((".html", ".htm")):
        raise UsageError(
            "E001", f"{destination} is no page", help="exercises are written to a file such as practice.html"
        )
    with output_to(destination):
        (page,) = in_worker(partial(practice_page, assignment, looks=looks), [seed], assignment, limits)
        print_text(page)


def assignment_in_file(path: str, topics: tuple[str, ...]) -> Assignment:
    """Return the assignment of a file. Raises UsageError, which names a topic of nearly this name, where it is none."""
    from pathlib import Path

    from gradcli.commands.inputs.programs import read_source
    from gradcli.homework.assignment.assignments import read_assignment
    from gradcli.source import did_you_mean

    if path == "-":
        raise UsageError("E014", "answers are read from standard input", help="give the assignment as a file")
    help = f"did you mean {close}?" if (close := did_you_mean(path, topics)) else f"the topics are {', '.join(topics)}"
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


def practise(turns: Turns, assignment: Assignment, front: Front, limits: Limits) -> None:
    """Ask for one quantity after the other, while something is typed; a process of its own makes the turns.

    An answer that cannot be judged within the limits is told, and counts as not given.
    """
    from gradcli.homework.worker import unanswered
    from gradcli.render.practice.turns import JUDGING
    from gradcli.workers.notes import MARK
    from gradcli.workers.pool import Answered, Lost, map_items

    def lost(moves: Sequence[Move], loss: Lost) -> list[Answered]:
        if loss.reason in ("bug", "error") or loss.at.partition(MARK)[0] != JUDGING:
            raise unanswered(assignment, loss, limits)
        return [Answered(None)]

    turns_of = map_items(
        turns, front.moves(), 1, limits, lost, kind=tuple[str, str, bool, str],
        parts=lambda moves: len(moves) + len(assignment.questions),
    )  # fmt: skip
    for turn in turns_of:
        front.take(turn)


class Front(ABC):
    """Talks with the student, or with another program: it shows turns, and reads moves."""

    def __init__(self) -> None:
        self.moves_made: list[Move] = []
        self.turn: Turn | None = None
        self.tries = 0  # moves about the quantity that is asked for

    def moves(self) -> Iterator[Sequence[Move] | None]:
        """Yield all moves so far, after each one; the pause behind it waits for its turn."""
        while (move := self.next_move()) is not None:
            self.moves_made.append(move)
            yield tuple(self.moves_made)
            yield None

    def next_move(self) -> Move | None:
        """Return the next move, None where the session is over."""
        from gradcli.render.practice.turns import NEXT

        if self.turn is None or not (self.turn.prompt or self.turn.is_complete):
            self.tries = 0
            return NEXT
        self.tries += 1
        if self.tries > MOST:
            raise UsageError("E028", f"{MOST:,} lines are no answer to this", help="answer what is asked")
        return None if self.turn.is_complete else self.move(self.turn.prompt)

    def take(self, turn: tuple[str, str, bool, str] | None) -> None:
        """Show a turn; None stands for a move that could not be made."""
        from gradcli.render.practice.turns import Turn

        if turn is None:
            self.moves_made.pop()
            self.write(self.unmade())
        else:
            self.turn = Turn(*turn)
            self.write(self.turn.shown)

    def end(self) -> None:
        if self.turn is not None:
            self.write(self.turn.score)

    def write(self, text: str) -> None:
        from gradcli.render.text.streams import encodable

        sys.stdout.write(encodable(text, sys.stdout))
        sys.stdout.flush()

    @abstractmethod
    def move(self, prompt: str) -> Move | None:
        """Read a move; None where no more is typed."""

    @abstractmethod
    def unmade(self) -> str:
        """Return what to show after a move that could not be made."""


class Page(Front):
    """The front end at a terminal: text, and a line that waits for an answer."""

    def move(self, prompt: str) -> Move | None:
        from gradcli.homework.submission.labels import open_brackets

        line = self.line(prompt)
        if line is None:
            return None
        text = line.strip()
        while text and open_brackets(text) > 0 and len(text) < LONGEST:  # a matrix of several lines
            continuation = (self.line(GOES_ON) or "").strip()
            if not continuation:
                break
            text = f"{text}\n{continuation}"
        return ("hint", "") if text.lower() in HINTS else ("answer", text) if text else ("give_up", "")

    def line(self, prompt: str) -> str | None:
        """Ask for one line; None at the end of what is typed. At a terminal the line can be edited."""
        if sys.stdin.isatty() and sys.stdout.isatty():
            from gradcli.render.text.streams import encodable

            with suppress(ImportError):
                import readline

                readline.parse_and_bind("set enable-bracketed-paste off")
            try:
                return input(encodable(prompt, sys.stdout))[:LONGEST]
            except EOFError:
                self.write("\n")
                return None
        self.write(prompt)
        line = read_line()
        if line and not sys.stdin.isatty():  # where nobody sees what was typed
            self.write(visible(line.rstrip("\n")) + "\n")
        return line or None

    def unmade(self) -> str:
        return f"    {TOO_LONG}\n"


class Records(Front):
    """The front end of other programs: one JSON record a line, in and out."""

    def move(self, prompt: str) -> Move | None:
        from gradcli.render.practice.records import read_move

        for _ in range(MOST):
            line = read_line()
            if not line:
                return None
            try:
                return read_move(line)
            except UsageError as error:
                self.write(self.failure_record(error))
        raise UsageError("E028", f"{MOST:,} lines are no moves", help='write {"answer": "26"}')

    def unmade(self) -> str:
        return self.failure_record(EvaluationError("E403", TOO_LONG))

    def failure_record(self, error: GradcliError) -> str:
        from gradcli.render.practice.turns import failed

        return failed(error)
