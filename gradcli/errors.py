"""Every error that a user can meet, as one tree of exceptions.

    GradcliError
    ├── UsageError           exit 2   options, files and bindings          E0xx
    ├── ProgramSyntaxError   exit 2   the text cannot be read              E1xx
    ├── EvaluationError      exit 3   the program cannot be evaluated      E2xx
    │   └── AutogradError    exit 3   torch refuses it, in torch's words   E3xx (also a RuntimeError)
    │       ├── ShapeError            sizes do not go together             E301
    │       └── UnsupportedHere       torch can do it, gradcli cannot      E401
    └── InternalError        exit 70  a bug in gradcli                     E900

An error has a `message`, a place (`span` in `source`, with a `label` beside the caret) and a text to type instead
(`help`). A caller that knows the place adds it on the way up with `at`; the first place given wins, as the closest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from gradcli.source import Source, Span

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
        """Fill in the place where the error happened, unless a closer one is known."""
        if self.span is None:
            self.span = span
        if self.source is None:
            self.source = source
        return self

    def facts(self) -> dict[str, Any]:
        """Return the error as it is told, its texts cut; lines and columns count from 1, offsets from 0."""
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
