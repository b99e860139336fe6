"""Values from the command line: `NAME=VALUE`, where VALUE is a constant expression or `@file`."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Sequence
from keyword import iskeyword
from pathlib import Path
from typing import Any

from gradcli.errors import GradcliError, UsageError
from gradcli.explanation.sizes.merging import Dims
from gradcli.language.names import read_name
from gradcli.source import Source

# Files of values that the command line names: read before the work begins, for then no file can be opened.


LARGEST = 2**26  # bytes of a file with values
LARGER = f"larger than {LARGEST // 2**20} MB"

_held: dict[str, bytes | OSError | str] = {}


def hold(values: Iterable[str]) -> None:
    """Read the files among values (`@data.npy`); the error of a file is raised when its value is read."""
    for value in values:
        text = value.strip()
        if text.startswith("@"):
            _held[text[1:]] = content(text[1:])


def held(path: str) -> bytes | OSError | str:
    """Return what a file holds, or the reason for which it cannot be read."""
    return _held[path] if path in _held else content(path)


def content(path: str) -> bytes | OSError | str:
    try:
        facts = Path(path).stat()
        if not stat.S_ISREG(facts.st_mode):
            return "not a file"
        return LARGER if facts.st_size > LARGEST else Path(path).read_bytes()
    except OSError as error:
        return error
    except ValueError:
        return "not a file"


SHAPE = re.compile(r"([^\W\d]\w*)\s*:\s*((?:\w+\s*(?:,\s*\w+\s*)*,?)?)$")  # `X:n,d`


def read_bindings(arguments: Sequence[str], program: Source) -> dict[str, Any]:
    """Return the values by name; every argument must be NAME=VALUE, and each name may come once."""
    values: dict[str, Any] = {}
    for argument in arguments:
        if shape := SHAPE.match(argument.strip()):
            variable = read_name(shape[1]) or shape[1]
            if variable in values:
                raise UsageError("E005", f"{variable} is given twice", help=f"keep one {variable}:...")
            values[variable] = read_shape(shape[2])
            continue
        target, equals, text = argument.partition("=")
        name = read_name(target.strip())
        if equals and iskeyword(target.strip()):
            raise UsageError("E004", f"{target.strip()} cannot be the name of a variable", help="choose another name")
        if not equals or name is None:
            spaces = "quote the program if it has spaces"
            file = f"the program is read from {program.name}"
            raise UsageError(
                "E004",
                f"'{argument}' is not NAME=VALUE",
                help=f"give each variable a value, such as x=2; {spaces if program.name == 'expression' else file}",
            )
        if name in values:
            raise UsageError("E005", f"{name} is given twice", help=f"keep one {name}=...")
        values[name] = read_value(name, text)
    return values


def read_shape(text: str) -> Dims:
    """Return the shape that is written `n,d` or `n,3`; nothing is the shape of a number."""
    sizes = [size.strip() for size in text.split(",") if size.strip()]
    return Dims(tuple(int(size) if size.isdigit() else size for size in sizes))


def read_value(name: str, text: str) -> Any:
    """Return a number, nested lists or an array from a constant expression or a file."""
    from gradcli.explanation.values import constant
    from gradcli.language.parser import parse_expression

    text = text.strip()
    if text.startswith("@"):
        return read_array(name, text[1:])
    source = Source(text, f"value of {name}")
    return constant(parse_expression(source), source)


def read_array(name: str, path: str) -> Any:
    """Return the numbers in a `.npy`, `.csv` or `.json` file."""
    suffix = Path(path).suffix.lower()
    if suffix not in READERS:
        raise UsageError(
            "E009", f"{name}=@{path}: the kind of file is not known", help="use a .npy, .csv or .json file"
        )
    data = held(path)
    if isinstance(data, OSError):
        raise UsageError("E009", f"{name}=@{path}: {data.strerror}", help="check the path after @")
    if isinstance(data, str):
        help = "use a smaller sample" if data == LARGER else "give the path of a .npy, .csv or .json file"
        raise UsageError("E009", f"{name}=@{path}: {data}", help=help)
    try:
        return READERS[suffix](data)
    except GradcliError as error:
        raise UsageError("E009", f"{name}=@{path}: {error.message}", help=error.help) from None
    except Exception:  # the errors of readers on other kinds of files have no common base
        raise UsageError(
            "E009",
            f"{name}=@{path}: no table of numbers",
            help="rows of equal length with numbers; a .csv file may begin with the names of the columns",
        ) from None


def _npy(data: bytes) -> Any:
    import io

    import numpy as np

    from gradcli.engine.checks.shapes import check_size

    array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    if array.dtype.kind not in "fiub":
        raise ValueError(array.dtype)
    if not array.size:  # which says nothing of its rows
        check_size(array.shape)
    return array


def _csv(data: bytes) -> Any:
    import csv

    import numpy as np

    from gradcli.dialects import SEPARATED, Dialect, decoded

    text = decoded(data)
    dialect = Dialect.of(text)
    lines = [line for line in SEPARATED.sub("", text).splitlines() if line.strip()]
    rows = list(csv.reader(lines, delimiter=dialect.delimiter))
    if not rows:
        raise ValueError("no rows")
    is_headed = len(rows) > 1 and any(cell.strip() for cell in rows[0]) and not any(map(dialect.is_number, rows[0]))
    for cell in (cell for row in rows[is_headed:] for cell in row):
        if dialect.is_grouped(cell):
            raise dialect.refusal("a cell", cell)
    reading: dict[str, Any] = {"converters": dialect.number, "encoding": None} if dialect.points else {}
    return np.loadtxt(lines[is_headed:], delimiter=dialect.delimiter, ndmin=1, comments=None, quotechar='"', **reading)


def _json(data: bytes) -> Any:
    import json

    import numpy as np

    array = np.array(json.loads(data.decode("utf-8")))
    if array.dtype.kind not in "fiub":
        raise ValueError(array.dtype)
    return array


READERS = {".npy": _npy, ".csv": _csv, ".json": _json}
