"""Files of columns to read: Parquet, Arrow's files and streams, CSV, in groups of rows and, of each, in batches."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gradcli.errors import EvaluationError, GradcliError, UsageError
from gradcli.source import visible
from gradcli.stream.arrow import tabular
from gradcli.stream.arrow.library import pyarrow
from gradcli.stream.inputs import ending

ROWS = 2**16  # of a batch
ENDINGS = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}
BUFFER = 2**20  # bytes of each column that are read ahead: a group of rows may be larger than the memory
MAGIC = b"ARROW1"  # with which a file of Arrow begins, but not a stream
Batches = Iterator[tuple[int, Any]]  # the number of the group, and a batch of its rows


def format_of(path: str) -> str | None:
    """Return the format of columns that a file's name ends in."""
    return ENDINGS.get(Path(path).suffix.lower())


def readable(path: str) -> str | None:
    """Return the format that a file's name ends in, if its records can be read as columns."""
    return format_of(path) or ("csv" if ending(path) == "csv" else None)


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn what pyarrow raises of a file into an EvaluationError."""
    try:
        yield
    except (GradcliError, MemoryError):
        raise
    except FileNotFoundError:
        raise UsageError("E003", f"cannot read {name}: no such file", help="check the path after -i") from None
    except Exception as error:  # which of its own kinds pyarrow raises depends on where a file is damaged
        reason = str(getattr(error, "strerror", None) or error).partition("\n")[0] or type(error).__name__
        begin = reason[:1] if reason[1:2].isupper() else reason[:1].lower()
        message = f"cannot read {name}: {visible(begin + reason[1:])}"
        raise EvaluationError("E227", message, help="make or fetch the file again") from None


class Source:
    """A file of columns, or standard input; `groups` is the number of its groups, None of a stream and of CSV.

    The columns of CSV are texts, but for the `numbers`.
    """

    def __init__(self, path: str, format: str, numbers: Sequence[str] = ()) -> None:
        self.name = "standard input" if path == "-" else visible(path)
        pa = pyarrow()
        self.path, self.format = path, format
        self.sizes: Any = None  # the same file without most of its columns
        self.rows: int | None = None
        self.groups: int | None = None
        with reading(self.name):
            if format == "parquet":
                self.file = pyarrow("parquet").ParquetFile(path, pre_buffer=False, buffer_size=BUFFER)
                self.schema = self.file.schema_arrow
                self.groups, self.rows = self.file.num_row_groups, self.file.metadata.num_rows
            elif format == "csv":
                self.file = tabular.Table(path, numbers)
                self.schema = self.file.schema
            elif path != "-" and is_file(path):
                self.file = self._opened(path)
                self.schema, self.groups = self.file.schema, self.file.num_record_batches
            else:
                self.file = pyarrow("ipc").open_stream(standard_input() if path == "-" else pa.OSFile(path))
                self.schema = self.file.schema
            if not self.schema.names:  # which are read here, for they may be damaged, too
                raise EvaluationError("E228", f"{self.name} has no columns", help="give it a column for each variable")
            tabular.refuse_many(self.name, len(self.schema))

    @staticmethod
    def _opened(path: str, **options: Any) -> Any:
        """Open a file of Arrow, not as memory: whoever cuts it short then would end the process."""
        ipc = pyarrow("ipc")
        return ipc.open_file(pyarrow().OSFile(path), options=ipc.IpcReadOptions(**options))

    def batches(self, groups: Sequence[int] | None = None) -> Batches:
        """Yield the batches of some groups, or of all; EvaluationError where the file is damaged."""
        with reading(self.name):
            for group in self._numbers() if groups is None else groups:
                for batch in self._of(group):
                    batch.validate(full=self.format == "arrow")  # whose bytes are taken as they come
                    for start in range(0, len(batch), ROWS):
                        yield group, batch.slice(start, ROWS)

    def _numbers(self) -> Sequence[int]:
        return range(1 if self.groups is None else self.groups)

    def _of(self, group: int) -> Iterator[Any]:
        if self.format == "parquet":
            yield from self.file.iter_batches(ROWS, row_groups=[group], use_threads=False)
        elif self.groups is None:
            yield from self.file
        else:
            yield self.file.get_batch(group)

    def rows_of(self, group: int) -> int:
        """Return the number of rows of a group."""
        if self.format == "parquet":
            return int(self.file.metadata.row_group(group).num_rows)
        self.sizes = self.sizes or self._opened(self.path, included_fields=[0])
        return len(self.sizes.get_batch(group))

    def repeating(self) -> list[str]:
        """Return the columns that a dictionary makes shorter: those of numbers only where it has done so here."""
        types = pyarrow("types")
        names = [field.name for field in self.schema if not types.is_floating(field.type)]
        if self.format == "parquet" and self.groups and len(self.file.schema) == len(self.schema):
            group = self.file.metadata.row_group(0)
            chunks = map(group.column, range(group.num_columns))
            names += [
                chunk.path_in_schema
                for field, chunk in zip(self.schema, chunks, strict=True)
                if types.is_floating(field.type)
                and 2 * chunk.total_uncompressed_size < chunk.num_values * field.type.bit_width // 8
            ]
        return names

    def close(self) -> None:
        close = getattr(self.file, "close", None)
        if close is not None:
            close()


def is_file(path: str) -> bool:
    """Return whether a file of Arrow has places to jump to; a stream has not."""
    with Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def standard_input() -> Any:
    if sys.stdin is None:
        raise UsageError("E003", "cannot read standard input: it is closed", help="check the path after -i")
    return sys.stdin.buffer
