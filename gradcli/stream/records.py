"""A record that was read: the values of its variables, its other fields, or its error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from gradcli.errors import EvaluationError, GradcliError, UsageError
from gradcli.facts import dataclass


@dataclass
class Record:
    """One record; `line` is where it starts, from 1.

    `values` are numbers and arrays by variable, `rest` the other fields, `text` the row of a table as it was written.
    """

    line: int
    values: dict[str, Any] = field(default_factory=dict)
    rest: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    program: str = ""
    error: GradcliError | None = None
    facts: dict[str, Any] | None = None  # of the error, when it has been written
    column: int | None = None

    def fail(self, error: GradcliError) -> None:
        """Keep an error without the frames in which it arose, or they would keep each other."""
        self.error = error.with_traceback(None)
        error.__cause__ = error.__context__ = None


@dataclass(frozen=True)
class Columns:
    """Many records of numbers alone: an array of doubles a variable, and the rest of each record."""

    count: int
    values: Mapping[str, Any]
    rests: Sequence[Mapping[str, Any]] | None = None
    texts: Sequence[bytes] = ()


NONFINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}  # as results have them


def number(name: str, value: Any) -> Any:
    """Return a value as a double, a boolean or an array; EvaluationError where it is none of these."""
    if type(value) is bool:
        return value
    if type(value) is str and value in NONFINITE:
        return NONFINITE[value]
    if type(value) is int or type(value) is float:
        return finite(name, value)
    if type(value) is not list:
        raise not_numbers(name, value)
    try:
        array = np.asarray(value)
        if array.dtype.kind == "U":
            array = np.asarray(with_nonfinite(value))
    except ValueError:  # rows of different lengths, or more than 64 dimensions
        raise not_numbers(name, value) from None
    if array.dtype.kind not in "fiub":
        array = _doubles(name, array)
    return array


def with_nonfinite(value: Any) -> Any:
    """Return nested lists with the numbers that results write as strings; no more than 64 deep, as arrays are."""
    if isinstance(value, list):
        return [with_nonfinite(entry) for entry in value]
    return NONFINITE.get(value, value) if type(value) is str else value


def finite(name: str, value: float) -> float:
    try:
        double = float(value)
    except OverflowError:
        double = math.inf
    if not math.isfinite(double):
        raise not_finite(name)
    return double


def _doubles(name: str, array: Any) -> Any:
    """Whole numbers of more than 64 bits, which numpy leaves to Python."""
    if array.dtype.kind != "O" or not all(type(entry) in (int, float) for entry in array.flat):
        raise not_numbers(name, array.tolist())
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise not_finite(name) from None


def not_finite(name: str) -> EvaluationError:
    return EvaluationError(
        "E223", f"the value of {name} is beyond all numbers", help="a value is a finite number, below 1.8e308"
    )


def not_numbers(name: str, value: Any) -> EvaluationError:
    kinds = {str: "a string", dict: "an object", type(None): "null", list: "a list with other things than numbers"}
    kind = kinds.get(type(value), "no number")
    if isinstance(value, list) and _only_numbers(value):
        kind = "a list with rows of different lengths"
    return EvaluationError(
        "E207",
        f"the value of {name} is {kind}, neither a number nor a list of numbers with rows of one length",
        help="write a value such as 2 or [[1, 2], [3, 4]]",
    )


def _only_numbers(value: list[Any]) -> bool:
    waiting: list[Any] = list(value)
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, list):
            waiting.extend(entry)
        elif type(entry) not in (int, float, bool):
            return False
    return True


def not_text(line: bytes) -> EvaluationError | None:
    """Return the error of a line that is no text; None where it is."""
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return EvaluationError("E225", f"not UTF-8 text (byte {error.start})", help="save the file as UTF-8")
    return None


def fixed_twice(name: str, kind: str) -> UsageError:
    """Return the error of a value that is given for all records, and by a column or a field of them, too."""
    help = f"leave out the {kind} {name}, or {name}=... on the command line"
    return UsageError("E006", f"{name} has one value for all records, and a {kind} of its name", help=help)


def too_long(limit: int) -> EvaluationError:
    return EvaluationError("E224", f"the line is longer than {limit // 2**20} MB", help="give large data in parts")
