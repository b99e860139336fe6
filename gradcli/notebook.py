"""Facts that display themselves in notebooks, and the magics `%gradcli` and `%%gradcli`.

IPython is needed only where the extension is loaded.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.engine.modes import ENGINE
from gradcli.errors import UsageError
from gradcli.explanation.model import Explanation, Local, Why
from gradcli.facts import dataclass
from gradcli.findings.finding import Finding
from gradcli.language.unparser import unparse
from gradcli.workers.apart import fresh

if TYPE_CHECKING:
    from gradcli.homework.assignment.assignments import Assignment
    from gradcli.homework.model import Result

Bundle = dict[str, str]

PICTURED = ("svg", "dot", "mermaid")  # forms of the graph alone
PICTURES = ("graph", "plot")  # commands whose usual form here is a picture


class Displayed(ABC):
    """A fact in several forms, of which a notebook shows the one that it likes best."""

    __slots__ = ()

    @abstractmethod
    def _forms(self) -> dict[str, Callable[[], str]]:
        """Return the function that makes each form, by MIME type."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        """Return the forms by MIME type; IPython says which it wants, and which not."""
        makers = {kind: make for kind, make in self._forms().items() if not include or kind in include}
        return {kind: make() for kind, make in makers.items() if not exclude or kind not in exclude}


def number(value: Any) -> Any:
    """Return a float for a scalar, an array as it is."""
    return value.item() if value is not None and np.ndim(value) == 0 and hasattr(value, "item") else value


class Findings(tuple[Finding, ...]):
    """Findings about a live graph, which display themselves."""

    __slots__ = ()

    def __repr__(self) -> str:
        from gradcli.findings.examination import Examination
        from gradcli.render.findings.text import findings_text
        from gradcli.render.text.looks import Looks

        return findings_text(Examination("this graph", {}, tuple(self), "all that it holds"), Looks())


@dataclass(frozen=True, slots=True, eq=False)
class Shown(Explanation, Displayed):
    """An explanation that displays itself; it equals no other explanation."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @classmethod
    def of(cls, explanation: Explanation) -> Shown:
        return cls(**{field.name: getattr(explanation, field.name) for field in fields(explanation)})

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the reasons why rules hold, and not the functions that find them."""
        with ENGINE:
            nodes = tuple(
                replace(x, locals=freeze(x.locals), whole=x.whole and replace(x.whole, locals=freeze(x.whole.locals)))
                for x in self.nodes
            )
        return restored, ({field.name: getattr(self, field.name) for field in fields(self)} | {"nodes": nodes},)

    @property
    def gradients(self) -> dict[str, Any]:
        """The gradient by variable, a float for a scalar; None where the output does not depend on it."""
        return {leaf.name: number(leaf.gradient) for leaf in self.leaves}

    @property
    def formulas(self) -> dict[str, str | None]:
        """The gradient by variable as a formula, perhaps in the names of `intermediates`; None where it is too long."""
        return {x.name: None if x.formula is None else unparse(x.formula) for x in self.leaves}

    def to_dict(self) -> dict[str, Any]:
        """Return the document of `gradcli eval --json`: strict JSON, schema `gradcli.explanation/1`."""
        from gradcli.render.documents.explanation import explanation_document

        with ENGINE:
            return explanation_document(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the document as a text."""
        return json.dumps(self.to_dict(), allow_nan=False, ensure_ascii=False, indent=indent)

    def to_text(self, *, all: bool = False, why: bool = False, precision: int = 6, ascii: bool = False) -> str:
        """Return the lesson as `gradcli eval` prints it: with every row, and with why each rule holds, if asked for."""
        from gradcli.explanation.folding import folded
        from gradcli.render.lesson.page import page
        from gradcli.render.text.looks import Looks

        with ENGINE:
            return page(folded(self), Looks(precision=precision, ascii=ascii), all=all, why=why)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        """Return one line: the program, its value and its gradients, of tensors the shape."""
        numbers = {"value": self.value, **{f"d_{leaf.name}": leaf.gradient for leaf in self.leaves}}
        parts = (f"{name}={x!s}" if np.ndim(x) == 0 else f"{name}:{list(np.shape(x))}" for name, x in numbers.items())
        return f"<Explanation of {self.program!r:.60}: {', '.join(islice(parts, 8))}>"

    def steps_page(self, height: int = 640) -> FramedPage:
        """Return the page to step through, in a frame."""
        from gradcli.render.page.program import program_page
        from gradcli.render.text.looks import Looks

        return FramedPage(program_page(self, Looks()), height)

    def save(self, path: str) -> None:
        """Write the file that its ending stands for, as `gradcli eval -o` and, for pictures, `gradcli graph -o` do.

        Raises UsageError for an ending that stands for no form, OSError where the file cannot be written.
        """
        from gradcli.commands.forms import WHOLE, chosen, forms, renderer
        from gradcli.explanation.folding import folded
        from gradcli.render.text.looks import Looks, asked

        ending = Path(path).suffix.lower()
        command = "graph" if any(ending in forms("graph")[name].endings for name in PICTURED) else "eval"
        name = chosen(command, None, path)
        if name in ("json", "text"):
            text = self.to_json() if name == "json" else self.to_text()
        else:
            with ENGINE:
                text = renderer(command, name)(self if name in WHOLE else folded(self), asked(Looks()))
        Path(path).write_text(text.rstrip("\n") + "\n", encoding="utf-8")

    def graph(self) -> GraphPicture:
        """Return the graph, as a picture."""
        return GraphPicture(self)

    def _forms(self) -> dict[str, Callable[[], str]]:
        from gradcli.explanation.folding import folded
        from gradcli.render.latex.pages import lesson
        from gradcli.render.lesson.page import sections
        from gradcli.render.output.tables import tables
        from gradcli.render.text.looks import Looks

        lesson_facts = folded(self)
        return {
            "text/plain": self.to_text,
            "text/html": lambda: tables(sections(lesson_facts, Looks(), all=False, why=False)),
            "text/latex": lambda: lesson(lesson_facts),
        }


def restored(facts: dict[str, Any]) -> Shown:
    """Return an explanation that came from another process."""
    return Shown(**facts)


@dataclass(frozen=True)
class KnownReason:
    """A reason that was computed, in place of the function that computes it."""

    why: Why | None

    def __call__(self) -> Why | None:
        return self.why


def freeze(locals: Iterable[Local]) -> tuple[Local, ...]:
    return tuple(local if local.reason is None else replace(local, reason=KnownReason(local.why)) for local in locals)


@dataclass(frozen=True, slots=True)
class GraphPicture(Displayed):
    """The graph of an explanation, which displays itself."""

    explanation: Explanation

    def _forms(self) -> dict[str, Callable[[], str]]:
        from gradcli.render.graph.svg import svg
        from gradcli.render.graph.tree import tree
        from gradcli.render.latex.slides import graph_page
        from gradcli.render.output.tables import image
        from gradcli.render.text.looks import Looks, asked

        looks = asked(Looks())
        return {
            "text/plain": lambda: tree(self.explanation, looks),
            "text/html": lambda: image(svg(self.explanation, looks), tree(self.explanation, looks)),
            "text/latex": lambda: graph_page(self.explanation, looks),
        }


@dataclass(frozen=True, slots=True)
class Graded(Displayed):
    """A graded submission, which displays itself."""

    result: Result
    assignment: Assignment

    def _forms(self) -> dict[str, Callable[[], str]]:
        from gradcli.render.check.page import check_page
        from gradcli.render.output.tables import lines
        from gradcli.render.text.looks import Looks

        def text() -> str:
            return check_page(self.result, Looks(), assignment=self.assignment)

        return {"text/plain": text, "text/html": lambda: lines(text())}


@dataclass(frozen=True, slots=True)
class FramedPage(Displayed):
    """A page in a frame of so many pixels."""

    page: str
    height: int = 640

    def _forms(self) -> dict[str, Callable[[], str]]:
        from gradcli.render.output.tables import framed

        return {"text/plain": lambda: "a page to step through", "text/html": lambda: framed(self.page, self.height)}


def grade(assignment: str, answers: str) -> Graded:
    """Grade the text of a submission for the text of an assignment; raises gradcli.errors.GradcliError.

    It runs in this process, where the limits of `gradcli check` do not hold.
    """
    from gradcli.homework.assignment.assignments import read_assignment
    from gradcli.homework.grading import Grader
    from gradcli.homework.submission.submissions import read_text
    from gradcli.source import Source

    questions = read_assignment(Source(assignment, "assignment"))
    return Graded(Grader(questions).grade(read_text("answers", "you", answers)), questions)


def load_ipython_extension(shell: Any) -> None:
    """Give a notebook `%gradcli COMMAND ...` and, with a program or a snippet as the cell, `%%gradcli COMMAND ...`."""
    shell.register_magic_function(magic, magic_kind="line_cell", magic_name="gradcli")


def magic(line: str, cell: str | None = None) -> None:
    """Run a command as on the command line; the cell is what it reads on standard input."""
    ipython: Any = import_module("IPython.display")
    arguments = shlex.split(line)
    if not arguments:
        raise UsageError("E002", "there is no command", help='write one, such as %gradcli eval "x**2" x=3')
    if cell is not None:
        arguments.insert(1, "-")
    name = form(arguments)
    if name == "svg" and not asks_for_a_form(arguments):
        arguments += ["--format", "svg"]
    process = run(arguments, cell)
    if process.stderr:
        sys.stderr.write(process.stderr)
    if name == "html" and process.returncode == 0:
        ipython.display(FramedPage(process.stdout))
    elif name in ("svg", "markdown") and process.returncode == 0:
        ipython.display({"svg": ipython.SVG, "markdown": ipython.Markdown}[name](process.stdout))
    else:
        sys.stdout.write(process.stdout)


def asks_for_a_form(arguments: Sequence[str]) -> bool:
    return any(word.split("=")[0] in ("--format", "--json", "-o", "--output", "-h", "--help") for word in arguments)


def form(arguments: Sequence[str]) -> str:
    """Return the form that a command writes here: the named form, else a picture where the command has one."""
    for word, after in zip(arguments, [*arguments[1:], ""], strict=True):
        if word == "--format" or word.startswith("--format="):
            return after if word == "--format" else word.partition("=")[2]
    return "svg" if arguments[0] in PICTURES and not asks_for_a_form(arguments) else "text"


def run(arguments: Sequence[str], text: str | None) -> subprocess.CompletedProcess[str]:
    """Run gradcli in a process of its own, under its own limits."""
    python = fresh("-X", "utf8", "-m", "gradcli", *arguments)
    return subprocess.run(**python, input=text or "", capture_output=True, encoding="utf-8", check=False)
