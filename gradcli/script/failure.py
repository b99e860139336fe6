"""An exception that a snippet did not catch, as an error with its place and a line of advice."""

from __future__ import annotations

from gradcli.errors import EvaluationError, GradcliError, ProgramSyntaxError
from gradcli.script.advice import advice
from gradcli.script.errors import LimitError, UnsupportedError, python_class
from gradcli.script.python.formatting import text
from gradcli.script.python.places import PLACES, Place

CALLS = 3  # calls that an error tells it came through


def failure(error: Exception) -> GradcliError:
    """The error as the command line tells it: kind and message, line with caret, what to do."""
    if isinstance(error, ProgramSyntaxError):
        return error
    places: list[Place] = getattr(error, PLACES, [])
    if isinstance(error, LimitError | UnsupportedError):
        told: GradcliError = error
    else:
        kind = python_class(error).__name__
        message = error.message if isinstance(error, GradcliError) else text(error)
        known = error.help if isinstance(error, GradcliError) else ""
        told = EvaluationError(
            error.code if isinstance(error, GradcliError) else "E402",
            f"{kind}: {message}" if message else kind,
            help=known or advice(kind, message),
        )
    if places:
        told.at(places[0].span, places[0].source)
        told.help = "\n".join(filter(None, [told.help, *called_from(places)]))
    return told


def called_from(places: list[Place]) -> list[str]:
    """The lines whose calls led there, the nearest first."""
    lines = [place.line for place in places[1:] if place.line != places[0].line]
    lines = list(dict.fromkeys(lines))
    if not lines:
        return []
    shown = ", ".join(str(line) for line in lines[:CALLS]) + (", ..." if len(lines) > CALLS else "")
    return [f"called from line {shown}"]
