"""An exception that a snippet did not catch, as an error with its place and a line of advice."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.errors import EvaluationError, GradcliError, ProgramSyntaxError
from gradcli.script.advice import advice
from gradcli.script.errors import LimitError, UnsupportedError, python_class
from gradcli.script.python.formatting import text
from gradcli.script.python.places import PLACES, Place
from gradcli.source import did_you_mean

CALLS = 3  # calls that an error tells it came through


def failure(error: Exception, names: Iterable[str] = ()) -> GradcliError:
    """The error as the command line tells it: kind and message, line with caret, what to do.

    `names` are those that the snippet knows, for one that is misspelt.
    """
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
            help=known or near(error, names) or advice(kind, message),
        )
    if told.code == "E210":
        told.help = "try it at a smaller size, or allow more with --max-elements N"
    if places:
        told.at(places[0].span, places[0].source)
        told.help = "\n".join(filter(None, [told.help, *called_from(places)]))
    return told


def near(error: Exception, names: Iterable[str]) -> str:
    """The name that a misspelt one is closest to."""
    close = did_you_mean(error.name or "", names) if isinstance(error, NameError) else ""
    return f"did you mean {close}?" if close else ""


def called_from(places: list[Place]) -> list[str]:
    """The lines whose calls led there, the nearest first."""
    lines = [place.line for place in places[1:] if place.line != places[0].line]
    lines = list(dict.fromkeys(lines))
    if not lines:
        return []
    shown = ", ".join(str(line) for line in lines[:CALLS]) + (", ..." if len(lines) > CALLS else "")
    return [f"called from line {shown}"]
