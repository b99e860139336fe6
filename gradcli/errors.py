"""Every error that a user can meet, as one tree of exceptions.

    GradcliError
    ├── UsageError           exit 2   options, files and bindings          E0xx
    ├── ProgramSyntaxError   exit 2   the text cannot be read              E1xx
    ├── EvaluationError      exit 3   the program cannot be evaluated      E2xx
    │   └── AutogradError    exit 3   torch refuses it, in torch's words   E3xx (also a RuntimeError)
    │       ├── ShapeError            sizes do not go together             E301
    │       └── UnsupportedHere       torch can do it, gradcli cannot      E401
    └── InternalError        exit 70  a bug in gradcli                     E900

`CODES` has each code once, with what it is about; `gradcli help E301` prints that.

An error has a `message`, a place (`span` in `source`, with a `label` beside the caret) and a text to type instead
(`help`). A caller that knows the place adds it on the way up with `at`; the first place given wins, as the closest.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from gradcli.source import Source, Span

CODES = {
    "E001": "an option, a command or its form cannot be used as it is typed",
    "E002": "no program, or no command, was given",
    "E003": "a file, a folder or standard input cannot be read",
    "E004": "an argument is no NAME=VALUE, or gives a shape where a value is needed",
    "E005": "a name is given twice",
    "E006": "a value is given to a name that the program computes or does not take",
    "E007": "--wrt names something that is no variable of the program",
    "E008": "an argument names a report, a tensor or a form that does not exist",
    "E009": "a value from a file (NAME=@FILE) cannot be read, or torch is missing",
    "E010": "--of names something that the program does not compute",
    "E011": "the output cannot be written",
    "E012": "a notebook or a Markdown page cannot be read, or holds no code",
    "E013": "the output would overwrite an input",
    "E014": "options or forms of `batch` do not go together",
    "E015": "an optimizer does not take these options",
    "E016": "the range, the start or the steps of a plot cannot be used",
    "E017": "a library that this form needs is not installed",
    "E020": "an assignment file is not valid TOML",
    "E021": "an assignment file has a key or a value that is not known",
    "E022": "a question of an assignment cannot be solved or asked as it is written",
    "E023": "a report cannot be written in this way",
    "E024": "the values of an assignment differ from student to student, and something that decides them is missing",
    "E025": "the roster cannot be used",
    "E026": "the overrides cannot be used",
    "E027": "the earlier results cannot be compared with, or scores would fall",
    "E028": "a line typed in `practice` is no answer and no move",
    "E029": "a sheet with a column a question cannot be attributed",
    "E100": "a character or a word cannot stand where it stands",
    "E101": "a bracket is never closed, or the nesting is too deep",
    "E102": "a bracket closes nothing",
    "E103": "a bracket closes one of another kind",
    "E104": "a value or a name is missing beside an operator",
    "E105": "an operator, a comma or a semicolon is missing between two values",
    "E106": "'=' stands where it cannot",
    "E107": "a reserved word of Python is used as a name",
    "E108": "a name begins with, or contains, what no name can",
    "E109": "a number is not written as numbers are",
    "E110": "a string is never closed",
    "E111": "comparisons are chained",
    "E112": "an operator of another language is used",
    "E113": "nothing, or only a comma, stands between brackets",
    "E114": "braces, which the language does not have",
    "E115": "a comma or a colon stands outside of brackets, as a decimal comma does",
    "E116": "there is no expression",
    "E117": "a value is more than one expression",
    "E201": "values, columns or sizes are missing or too many",
    "E202": "a name is used before the program computes it",
    "E203": "a function does not take these arguments",
    "E204": "an argument has a value that the function cannot use",
    "E206": "the output is several tensors, and one is needed",
    "E207": "a value is not made of numbers",
    "E208": "there is no function of this name",
    "E209": "there is no attribute or method of this name",
    "E210": "the system or a size gives out: memory, files, dimensions",
    "E211": "an index is not one that can be used",
    "E212": "a whole number is too large for 64 bits",
    "E213": "the output is not a scalar, and an upstream gradient is needed",
    "E214": "numpy cannot compute this",
    "E215": "sizes with names cannot be used in this way",
    "E216": "the snippet runs no backward pass, so there is nothing to draw",
    "E220": "a line is not JSON",
    "E221": "a key comes twice in a record",
    "E222": "a record lacks its program or its values",
    "E223": "a number of a record is not finite or too large",
    "E224": "a line is too long",
    "E225": "the input is not UTF-8",
    "E226": "a row of CSV, or a column, has another length",
    "E227": "the input is no stream of records",
    "E228": "the header or the columns of the input cannot be used",
    "E229": "some records failed, and the others are written",
    "E230": "a row has another form than the rows before it",
    "E231": "parts of a result do not fit together or have changed",
    "E232": "the format cannot hold these columns",
    "E300": "torch refuses this, in torch's words",
    "E301": "shapes, sizes or types do not fit an operation, in torch's words",
    "E302": "the graph was freed by an earlier backward pass",
    "E303": "a tensor that backward needs was changed in place, or is outside the graph",
    "E304": "a leaf or a view cannot be changed in place here",
    "E401": "a name of torch or Python, or a case of it, that gradcli does not have",
    "E402": "the snippet raised an exception",
    "E403": "a limit was reached: time, memory or output",
    "E404": "the process of an item ended without an answer",
    "E405": "the walls that --require-sandbox asks for are not there",
    "E900": "a bug in gradcli",
}


class GradcliWarning(UserWarning):
    """What gradcli warns its caller of, as of a value that a program does not use."""


def warn(message: str) -> None:
    """Warn at the line that called gradcli from outside."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "gradcli":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, GradcliWarning, stacklevel=level)


LONGEST = 2000  # characters of a message, which may repeat what somebody has written


class GradcliError(Exception):
    """The base: catch this to catch everything that gradcli refuses."""

    exit_code = 2

    def __init__(
        self,
        code: str,
        message: str,
        *,
        span: Span | None = None,
        label: str = "",
        help: str = "",
        source: Source | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.label = label
        self.help = help
        self.source = source

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (type(self), self.args, self.__dict__)

    def at(self, span: Span | None = None, source: Source | None = None) -> Self:
        """Fill in the place where the error happened, unless it has a place, which is closer."""
        if self.span is None:
            self.span = span
        if self.source is None:
            self.source = source
        return self

    def facts(self) -> dict[str, Any]:
        """Return the error's fields as documents have them, texts cut; lines and columns from 1, offsets from 0."""
        place = None if self.span is None or self.source is None else self.source.position(self.span.start)
        return {
            "code": self.code,
            "message": shortened(self.message),
            "line": None if place is None else place.line,
            "column": None if place is None else place.column,
            "start": None if self.span is None else self.span.start,
            "end": None if self.span is None else self.span.end,
            "help": shortened(self.help) or None,
        }


def restored(kind: type[GradcliError], arguments: tuple[Any, ...], facts: dict[str, Any]) -> GradcliError:
    """Return an error that came from another process."""
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    error.__dict__.update(facts)
    return error


def shortened(text: str) -> str:
    """Return the text of a message, cut where it is too long to read."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ... ({len(text) - LONGEST:,} characters more)"


class UsageError(GradcliError):
    """An option, a file or a binding that cannot be used."""


class ProgramSyntaxError(GradcliError):
    """A program, a value or an answer that cannot be read."""


class EvaluationError(GradcliError):
    """A program that reads well and cannot be evaluated: a missing value, shapes, a domain."""

    exit_code = 3


class FailedRecordsError(EvaluationError):
    """Some records failed; every record has its result or its error, and the output is whole."""

    exit_code = 4


class AutogradError(EvaluationError, RuntimeError):
    """A refusal of torch, in torch's words."""

    def __init__(self, message: str, *, code: str = "E300", help: str = "") -> None:
        super().__init__(code, message, help=help)

    @classmethod
    def when(cls, condition: object, message: str, **facts: str) -> None:
        """Raise the error where a condition holds; the facts are its code and its help."""
        if condition:
            raise cls(message, **facts)


class ShapeError(AutogradError):
    """Sizes or numbers of dimensions that do not go together."""

    def __init__(self, message: str, *, code: str = "E301", help: str = "") -> None:
        super().__init__(message, code=code, help=help)


class UnsupportedHere(AutogradError):  # noqa: N818 - it reads as what is said
    """What torch can do and gradcli cannot."""

    def __init__(self, message: str, *, code: str = "E401", help: str = "") -> None:
        super().__init__(message, code=code, help=help)


class InternalError(GradcliError):
    """A bug in gradcli: `detail` is the exception with the function in which it arose."""

    exit_code = 70

    def __init__(self, detail: str) -> None:
        super().__init__("E900", f"a bug in gradcli: {detail}", help="run again with --debug and report the traceback")
