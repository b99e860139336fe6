"""An exception that a snippet did not catch, as an error with its place and a line of advice."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from gradcli.errors import EvaluationError, GradcliError, ProgramSyntaxError
from gradcli.script.advice import BY_KIND, advice
from gradcli.script.errors import ExitError, LimitError, UnsupportedError, python_class
from gradcli.script.python.members.absence import known_names
from gradcli.script.python.text.formatting import text
from gradcli.script.python.values.places import PLACES, Place
from gradcli.source import did_you_mean

CALLS = 3  # the most calls that an error lists
MESSAGE = "gradcli_message"  # the attribute of an exception that holds its message


def failure(error: Exception, names: Iterable[str] = ()) -> GradcliError:
    """Return an error for the command line: kind and message, line with caret, advice.

    `names` are the names that the snippet knows, for one that is misspelt.
    """
    if isinstance(error, ProgramSyntaxError):
        return error
    places: list[Place] = error.__dict__.get(PLACES, [])
    if isinstance(error, LimitError | UnsupportedError | ExitError):
        result: GradcliError = error
    else:
        kind = python_class(error).__name__
        message = error.__dict__[MESSAGE] if MESSAGE in error.__dict__ else message_of(error)
        own_help = error.help if isinstance(error, GradcliError) else ""
        seen = advice_at(message, places[0].node) if places else ""
        result = EvaluationError(
            error.code if isinstance(error, GradcliError) else "E402",
            f"{kind}: {message}" if message else kind,
            help=near(error, names) or seen or advice(message) or own_help or BY_KIND.get(kind, ""),
        )
        if places and isinstance(places[0].node, ast.Raise):
            result.help = ""  # the snippet raised it, with a message of its own
    if result.code == "E210":
        result.help = "try it at a smaller size, or allow more with --max-elements N"
    if places:
        result.at(places[0].span, places[0].source)
        result.help = "\n".join(filter(None, [result.help, called_from(places)]))
    return result


def message_of(error: Exception) -> str:
    """Return the message of an exception."""
    return error.message if isinstance(error, GradcliError) else text(error)


def near(error: BaseException, names: Iterable[str] = ()) -> str:
    """Return a question after the known name that is closest to a misspelt one."""
    if isinstance(error, AttributeError):
        names = known_names(error.obj)
    elif not isinstance(error, NameError):
        return ""
    close = did_you_mean(error.name, names) if isinstance(error.name, str) else ""
    return f"did you mean {close}?" if close else ""


def advice_at(message: str, node: ast.AST) -> str:
    """Return advice that follows from the expression at the place; empty where there is none."""
    if "'NoneType'" in message:
        return advice_on_none(message, node)
    if "Boolean value of Tensor" in message and isinstance(node, ast.Call):
        loss = ast.unparse(node.func)
        return f"make the loss first, and give it the tensors then: {loss}()(...)" if loss.endswith("Loss") else ""
    return ""


def advice_on_none(message: str, node: ast.AST) -> str:
    """Name the part of an expression that is None, and say why it may be."""
    attribute = re.search(r"has no attribute '(\w+)'", message)
    parts = [part for part in ast.walk(node) if isinstance(part, ast.Attribute)]
    if attribute:
        owners = [part.value for part in parts if part.attr == attribute[1]]
    else:
        owners = [part for part in parts if part.attr == "grad"]
    if not owners:
        return ""
    name = ast.unparse(owners[0])
    if not name.endswith(".grad"):
        return f"{name} is None here: what assigned it, or what was called, returned nothing"
    leaf = name.removesuffix(".grad")
    return f"{name} is None here: backward() fills it where {leaf} is a leaf that it reaches (--explain says why)"


def called_from(places: list[Place]) -> str:
    """Name the lines whose calls led to the error, the nearest first."""
    lines = [place for place in places[1:] if (place.source, place.line) != (places[0].source, places[0].line)]
    calls = list(dict.fromkeys(line_text(place, places[0]) for place in lines))
    if not calls:
        return ""
    return f"called from {', from '.join(calls[:CALLS])}{', ...' if len(calls) > CALLS else ''}"


def line_text(place: Place, first: Place) -> str:
    """Return `line 3`, with its cell where that is another one."""
    cell = place.source.name.rpartition(" cell ")[2]
    elsewhere = place.source is not first.source and cell != place.source.name
    return f"line {place.line}{f' of cell {cell}' if elsewhere else ''}"
