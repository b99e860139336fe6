"""Rows of columns as JSON Lines, for what reads lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from gradcli.stream.arrow.sources import Source, format_of
from gradcli.stream.values import dump, plain

ROWS = 2**13  # that are written as lines at a time


class Lines:
    """A file of columns as an input of JSON Lines; what JSON has no form for, such as a date, is a string.

    So are decimals, which are numbers if it `is_cast`.
    """

    def __init__(self, path: str, *, is_cast: bool) -> None:
        self.source = Source(path, format_of(path) or "parquet")
        self.decimals = float if is_cast else str
        self.name, self.size = path, None

    def pieces(self) -> Iterator[bytes]:
        for _, batch in self.source.batches():
            for start in range(0, len(batch), ROWS):
                rows = batch.slice(start, ROWS).to_pylist()
                yield "".join(f"{dump(jsonable(row, self.decimals))}\n" for row in rows).encode()

    def close(self) -> None:
        self.source.close()


def jsonable(value: Any, decimals: Callable[[Any], Any] = str) -> Any:
    """Return a value of Arrow as JSON has it; as deep as its type."""
    if isinstance(value, dict):
        return {str(name): jsonable(entry, decimals) for name, entry in value.items()}
    if isinstance(value, list):
        return [jsonable(entry, decimals) for entry in value]
    if isinstance(value, Decimal):
        return decimals(value)
    return plain(value) if value is None or isinstance(value, str | int | float) else str(value)
