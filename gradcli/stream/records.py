"""A record that was read: the values of its variables, its other fields, or its error."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, NamedTuple

import numpy as np

from gradcli.errors import EvaluationError, GradcliError, UsageError
from gradcli.facts import dataclass

PLAIN, VOID = "plain", "void"  # kinds of rows: nothing but numbers for the variables, and without some of these


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


# Input as blocks of whole lines: the lines that have arrived, and never more than fit into a little memory.


(LINE_FEED,) = b"\n"
ENDLESS = 2**29  # bytes of a line that is skipped, after which no end is waited for
BLANK = 2**26  # bytes of blank lines that follow each other, of which a row may hold
IN_A_ROW = 2**20  # so many
LONGEST = 2**23  # bytes of a line, whose numbers take ten times that; a longer one is skipped without being held


class Block(NamedTuple):
    """Whole lines; `first` is the number of the first, from 1.

    With a `problem` it stands for one line that is not held: too long, or the one in which the input breaks off.
    """

    first: int
    data: bytes
    problem: EvaluationError | None = None


def read_blocks(pieces: Iterable[bytes | None]) -> Iterator[Block | None]:
    """The lines in the pieces of an input, which are shorter than a line may be; None, a pause, stays one.

    The EvaluationError with which an input breaks off takes the place of its last line, and is raised behind it.
    """
    line, size, blank, skipped = 1, 0, 0, 0
    unfinished: list[bytes] = []
    is_skipping = False
    try:
        for piece in pieces:
            if piece is None:
                yield None
                continue
            head = piece.find(b"\n")
            if not is_skipping and size + (len(piece) if head < 0 else head) > LONGEST:
                yield Block(line, b"", too_long(LONGEST))
                unfinished, size, is_skipping = [], 0, True
            blank = blank + len(piece) if piece.isspace() else 0
            if is_skipping:
                skipped += len(piece) if head < 0 else head
                if skipped > ENDLESS:
                    raise endless(f"line {line} has no end in {ENDLESS >> 20} MB")
                if head < 0:
                    continue
                line, is_skipping, skipped = line + 1, False, 0
                piece = piece[head + 1 :]
            if blank > BLANK:
                raise endless(f"after line {line} there are more than {BLANK >> 20} MB of blank lines")
            end = piece.rfind(b"\n") + 1
            if end:
                data = b"".join([*unfinished, piece[:end]])
                if blank <= IN_A_ROW:
                    yield Block(line, data)
                line += int(np.count_nonzero(np.frombuffer(data, np.uint8) == LINE_FEED))  # thrice as quick as count
                unfinished, size = [], 0
            if end < len(piece):
                unfinished.append(piece[end:])
                size += len(piece) - end
    except EvaluationError as error:
        if not is_skipping:
            yield Block(line, b"", error)
        raise
    if unfinished:
        yield Block(line, b"".join(unfinished))


def endless(reason: str) -> EvaluationError:
    """Return the error of an input that gives nothing to read."""
    return EvaluationError("E227", f"the input is no list of records: {reason}", help="check what -i names")
