"""An exception that a snippet did not catch, as an error with its place and a line of advice."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.errors import EvaluationError, GradcliError, ProgramSyntaxError
from gradcli.script.advice import advice
from gradcli.script.errors import ExitError, LimitError, UnsupportedError, python_class
from gradcli.script.machine import running
from gradcli.script.python.formatting import text
from gradcli.script.python.kinds import Facade, Namespace
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
    if isinstance(error, LimitError | UnsupportedError | ExitError):
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


def near(error: BaseException, names: Iterable[str] = ()) -> str:
    """The name that a misspelt one is closest to."""
    if isinstance(error, AttributeError):
        names = known_to(error.obj)
    elif isinstance(error, ImportError):
        if error.__cause__ is not None:
            return near(error.__cause__)
        names = known_to(running.machine.modules)
    elif not isinstance(error, NameError):
        return ""
    close = did_you_mean(error.name or "", names)
    if isinstance(error, ImportError) and not close:
        return f"there are {', '.join(sorted(names))}"
    return f"did you mean {close}?" if close else ""


def known_to(value: object) -> list[str]:
    """The attributes that a module has, or an object of the snippet."""
    if isinstance(value, Namespace):
        return list(value.names)
    return [name for name in dir(value) if not name.startswith("_")] if isinstance(value, Facade) else []


def called_from(places: list[Place]) -> list[str]:
    """The lines whose calls led there, the nearest first."""
    lines = [place.line for place in places[1:] if place.line != places[0].line]
    lines = list(dict.fromkeys(lines))
    if not lines:
        return []
    shown = ", ".join(str(line) for line in lines[:CALLS]) + (", ..." if len(lines) > CALLS else "")
    return [f"called from line {shown}"]
