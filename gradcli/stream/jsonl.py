"""JSON Lines: one object a line, whose fields are the variables and anything else besides."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import repeat
from json import JSONDecodeError
from operator import itemgetter
from string import whitespace
from typing import Any

import numpy as np

from gradcli.errors import EvaluationError, GradcliError
from gradcli.stream import digits
from gradcli.stream.records import PLAIN, Block, Columns, Record, fixed_twice, not_text, number

DEEPEST = 200  # lists and objects in each other
MARK = "\x1f"
SPELLED_MARK = ',"\\u001f",'
# In a field that is passed on: a number that may be infinite, or a whole one that orjson may make a float of.
UNSURE = re.compile(rb"(?<![\d.])\d{20}|-\d{19}|\d[eE]\+?\d{3}")
ALIKE = bytes.maketrans(b"123456789E", b"000000000e")
HINTS = (b"0" * 20, b"-" + b"0" * 19, b"0e000")  # what the pattern finds, in digits that are all alike: far quicker


class JsonLines:
    """Reads points of the variables `names`, of which a record has those that are `required`.

    A record has no value that is `fixed` for all. `keeps_values` keeps the variables among its other fields.
    """

    def __init__(
        self,
        names: Sequence[str],
        required: Sequence[str],
        fixed: Collection[str] = (),
        *,
        is_each: bool = False,
        keeps_values: bool = False,
    ) -> None:
        self.names = list(names)
        self.required = set(required)
        self.fixed = set(fixed)
        self.is_each, self.keeps_values = is_each, keeps_values

    def columns(self, block: Block) -> Columns | None:
        """Read all records at once; None where one has a variable without a number, or a variable that others lack."""
        if self.is_each or block.problem:
            return None
        try:
            text = block.data.decode()
            lines = [line for line in text.split("\n") if line.strip(whitespace)]
            objects = parse(text, lines)
            if set(map(type, objects)) - {dict} or not has_single_keys(lines, objects):
                return None
            if self.fixed and not all(map(self.fixed.isdisjoint, objects)):
                return None
            values = {}
            for name in self.names:
                has_name = [name in x for x in objects] if name not in self.required else [True]
                if all(has_name):
                    values[name] = column(list(map(itemgetter(name), objects)))
                elif any(has_name):
                    return None
        except (ValueError, KeyError, OverflowError, RecursionError):
            return None
        if not self.keeps_values and sum(map(len, objects)) == len(values) * len(objects):
            return Columns(len(objects), values)
        if is_unsure(block.data) or any(map(is_deep, lines, objects)):
            return None
        if self.keeps_values:
            return Columns(len(objects), values, objects)
        names = set(values)
        return Columns(len(objects), values, [{k: v for k, v in d.items() if k not in names} for d in objects])

    def records(self, block: Block) -> list[Record]:
        """Read each record alone; blank lines are none."""
        if block.problem:
            return [Record(block.first, error=block.problem)]
        return [self.record(row, at) for row, at in self.rows(block)]

    def rows(self, block: Block) -> list[tuple[bytes, int]]:
        """Return the lines that are not blank, with their numbers."""
        return [(line, at) for at, line in enumerate(block.data.split(b"\n"), block.first) if line.strip()]

    def kind(self, row: bytes) -> str | None:
        """Return what a line is: `PLAIN`, or None for any other."""
        return PLAIN if self.is_plain(row) else None

    def is_plain(self, row: bytes) -> bool:
        """Return whether a line can be one of many in `columns`: an object with a finite number for each variable."""
        try:
            fields = digits.read_json(row.decode()) if digits.orjson is None else digits.orjson.loads(row)
            if type(fields) is not dict:
                return False
            if row.count(b":") != len(fields):
                digits.read_json(row.decode())
        except (ValueError, RecursionError):
            return False
        if not self.fixed.isdisjoint(fields):
            return False
        count = 0
        for name in self.names:
            if name in fields:
                value = fields[name]
                if (type(value) is not float and type(value) is not int) or not -math.inf < value < math.inf:
                    return False
                count += 1
            elif name in self.required:
                return False
        return (len(fields) == count and not self.keeps_values) or not (is_unsure(row) or is_deep(row, fields))

    def record(self, line: bytes, at: int) -> Record:
        record = Record(at)
        try:
            if problem := not_text(line):
                raise problem
            fields = parse_line(line.decode())
            self._program_and_point(record, fields) if self.is_each else self._point(record, fields)
        except GradcliError as error:
            if isinstance(error.__cause__, JSONDecodeError):
                record.column = error.__cause__.colno
            record.fail(error)
        return record

    def _point(self, record: Record, fields: Mapping[str, Any]) -> None:
        names = () if self.keeps_values else set(self.names)
        record.rest = {name: value for name, value in fields.items() if name not in names}
        for name in self.fixed.intersection(fields):
            raise fixed_twice(name, "field")
        record.values = {name: number(name, fields[name]) for name in self.names if name in fields}

    def _program_and_point(self, record: Record, fields: Mapping[str, Any]) -> None:
        own_fields = () if self.keeps_values else ("program", "at")
        record.rest = {name: value for name, value in fields.items() if name not in own_fields}
        program, values = fields.get("program"), fields.get("at", {})
        if not isinstance(program, str):
            raise EvaluationError("E222", "the record has no program", help='write {"program": "x**2", "at": {"x": 3}}')
        if not isinstance(values, dict):
            raise EvaluationError("E222", "at is no object", help='name each value: "at": {"x": 3}')
        record.program = program
        record.values = {name: number(name, value) for name, value in values.items()}


def parse(text: str, lines: Sequence[str]) -> Any:
    """The values of lines of JSON; ValueError where one is not as it should be.

    Without orjson the lines are read as one list with a mark between each two. No line spells the mark, so when all
    marks come back, at every other place of the list, each line has given exactly one element.
    """
    if digits.orjson is not None:
        return list(map(digits.orjson.loads, lines))
    if "\\u001" in text or not lines:
        return list(map(digits.read_json, lines))
    values = digits.read_list(f"[{SPELLED_MARK.join(lines)}]")
    if len(values) != 2 * len(lines) - 1 or values[1::2].count(MARK) != len(lines) - 1:
        raise ValueError("a line is no value by itself")
    return values[::2]


def has_single_keys(lines: Sequence[str], objects: Sequence[Mapping[str, Any]]) -> bool:
    """Return True where no object has a key twice, else raise ValueError; in `objects` the last of two keys has won.

    A line with as many colons as its object has keys has no two; the others are read again.
    """
    colons = map(str.count, lines, repeat(":"))
    doubtful = [line for line, count, size in zip(lines, colons, map(len, objects), strict=True) if count != size]
    for line in doubtful:
        digits.read_json(line)
    return True


def is_unsure(data: bytes) -> bool:
    """Return whether a text may have a number that cannot be passed on as it is read."""
    alike = data.translate(ALIKE, b"+")
    return any(hint in alike for hint in HINTS) and UNSURE.search(data) is not None


def is_deep(text: str | bytes, value: Any) -> bool:
    """Return whether a value is nested deeper than can be written again."""
    opened = text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")
    if opened <= DEEPEST:
        return False
    level = [value]
    for _ in range(DEEPEST):
        level = [x for outer in level for x in (outer.values() if isinstance(outer, dict) else outer)]
        level = [x for x in level if isinstance(x, list | dict)]
        if not level:
            return False
    return True


def column(values: Sequence[Any]) -> Any:
    """Numbers as an array; ValueError where one is no number, or not finite."""
    if not digits.are_numbers(values):
        raise ValueError("not numbers")
    array = np.array(values, np.float64)
    if not np.isfinite(array).all():
        raise ValueError("not finite")
    return array


def parse_line(text: str) -> dict[str, Any]:
    """Return the object of a line; EvaluationError where it is none."""
    try:
        value = digits.read_json(text)
    except digits.TwiceError as error:
        raise EvaluationError("E221", f"the key {error} comes twice", help="keep one of the two") from None
    except digits.NotFiniteError as error:
        message, help = error.args
        raise EvaluationError("E223", message, help=help) from None
    except JSONDecodeError as error:
        message = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]} at column {error.colno}"
        raise EvaluationError("E220", message, help='each line is one object, such as {"x": 1, "y": 2}') from error
    except RecursionError:
        raise EvaluationError("E220", "not JSON that can be read: it is nested too deeply") from None
    except ValueError:  # Python reads no whole number of more than some thousand digits
        raise EvaluationError("E223", "a whole number has too many digits", help="write it as 1e300") from None
    if is_deep(text, value):
        raise EvaluationError("E220", f"nested more than {DEEPEST} deep", help="pass on flatter fields")
    if not isinstance(value, dict):
        help = 'each line is one object, such as {"x": 1, "y": 2}'
        if isinstance(value, list):
            help += "; jq -c '.[]' makes lines of an array"
        raise EvaluationError("E222", "the record is no object", help=help)
    return value
