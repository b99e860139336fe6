"""The formats of `gradcli check --report`: to add one, write its file beside this one and a line in `REPORTS`.

Nothing is imported before a report is asked for: this list is read whenever `gradcli check` starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gradcli.facts import dataclass

if TYPE_CHECKING:
    from gradcli.homework.assignment.assignments import Assignment
    from gradcli.homework.expected_answers import Foreseen
    from gradcli.homework.model import Result
    from gradcli.render.documents.explanation import Document

    Writer = Callable[[Assignment, Iterable[Result]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Report:
    """One format. `write` yields the text in parts, as results come in. If `in_lines`, each line is of use by itself;
    else the text is a document, which is written whole or not at all.

    `reveal` is the level shown unless another is asked for. A report `per_student` holds one submission, and `write`
    raises ValueError for none or several.
    """

    write: Writer
    suffix: str
    reveal: str = "value"
    per_student: bool = False
    in_lines: bool = False


def function(place: str) -> Callable[..., Any]:
    """Return a function of a module beside this one, which is imported when it is called."""
    module, _, name = place.partition(":")

    def called(*given: Any) -> Any:
        return getattr(import_module(f"gradcli.render.check.reports.{module}"), name)(*given)

    return called


def for_student(document: Callable[[Assignment, Result], Document]) -> Report:
    """A report that students read: the document of one submission, as JSON."""

    def write(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
        from gradcli.stream.values import dump

        (result,) = results
        yield dump(document(assignment, result), indent=2, ascii=True) + "\n"

    return Report(write, ".json", "rule", per_student=True)


REPORTS = {
    "gradescope": for_student(function("autograders:gradescope")),
    "check50": for_student(function("autograders:check50")),
    "prairielearn": for_student(function("autograders:prairielearn")),
    "junit": Report(function("autograders:junit"), ".xml"),
    "csv": Report(function("gradebook:write"), ".csv", in_lines=True),
    "canvas": Report(function("gradebook:write_canvas"), ".csv", in_lines=True),
    "mistakes": Report(function("gradebook:write_mistakes"), ".csv", in_lines=True),
    "items": Report(function("gradebook:write_items"), ".csv", in_lines=True),
    "similar": Report(function("gradebook:write_similar"), ".csv", in_lines=True),
}

# Questions for other tools, made from an assignment alone; no submission is graded for them.
QUESTIONS: dict[str, Callable[[Assignment, Iterable[Foreseen]], Iterator[str]]] = {
    "moodle": function("moodle:write"),
    "gift": function("gift:write"),
}


def known(name: str) -> str:
    """Return the name of a report. Raises UsageError for any other, with one of nearly this name."""
    from gradcli.errors import UsageError
    from gradcli.source import did_you_mean

    names = (*REPORTS, *QUESTIONS)
    if name not in names:
        close = did_you_mean(name, names)
        help = f"did you mean {close}?" if close else f"the reports are {', '.join(names)}"
        raise UsageError("E008", f"there is no report {name!r:.60}", help=help)
    return name
