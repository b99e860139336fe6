"""Files of columns to read: Parquet, Arrow's files and streams, CSV, in groups of rows and, of each, in batches."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from gradcli.errors import EvaluationError, GradcliError, UsageError
from gradcli.source import visible
from gradcli.stream.arrow import casting, tabular
from gradcli.stream.arrow.library import pyarrow
from gradcli.stream.inputs import ending

ROWS = 2**16  # of a batch
ENDINGS = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}
BUFFER = 2**20  # bytes of each column that are read ahead: a group of rows may be larger than the memory
MAGIC = b"ARROW1"  # with which a file of Arrow begins, but not a stream
PLAIN = {  # what pyarrow says of files that are damaged, or of another kind, in other words
    "Tried reading schema message": "it is empty",
    "Expected to read": "it is cut short, or no stream of Arrow",
    "Not an Arrow file": "its end is not there: it is cut short",
    "Parquet magic bytes not found": "it does not end as Parquet does: it is cut short, or no Parquet",
    "Parquet file size is 0 bytes": "it is empty",
    "Exceeded size limit": "it is damaged, or has more than 1,000,000 columns",
    "deserialize thrift": "it is damaged",
}
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
        reason = next((explanation for pattern, explanation in PLAIN.items() if pattern in reason), reason)
        begin = reason[:1] if reason[1:2].isupper() else reason[:1].lower()
        message = f"cannot read {name}: {visible(begin + reason[1:])}"
        raise EvaluationError("E227", message, help="make or fetch the file again") from None


class Source:
    """A file of columns, or standard input; `groups` is the number of its groups, None of a stream and of CSV.

    The columns of CSV are texts, but for the `numbers`; its `dialect`, if somebody names it, is what stands between
    cells and before decimals. If it `is_cast`, those of the `numbers` that are decimals or lists of any length are
    cast.
    """

    def __init__(
        self,
        path: str,
        format: str,
        numbers: Sequence[str] = (),
        dialect: tuple[str | None, ...] = (),
        *,
        is_cast: bool = False,
    ) -> None:
        self.name = display_name(path)
        self.path, self.format = path, format
        self.sizes: Any = None  # the same file without most of its columns
        self.rows: int | None = None
        self.groups: int | None = None
        self.file: Any = None
        self.stream: Any = None  # of the bytes of a stream, which may go on after its end
        self.ahead: list[Any] = []  # batches of a stream that were read to see what they are
        self.is_cast = is_cast
        self.schema: Any  # of pyarrow
        with ExitStack() as unfinished, reading(self.name):
            unfinished.callback(self.close)
            self._open(numbers, dialect)
            if not self.schema.names:  # which are read here, for they may be damaged, too
                raise EvaluationError("E228", f"{self.name} has no columns", help="give it a column for each variable")
            tabular.refuse_many(self.name, len(self.schema))
            if is_cast:
                self.schema = casting.cast_schema(self.schema, numbers, self._first())
            unfinished.pop_all()

    def _open(self, numbers: Sequence[str], dialect: tuple[str | None, ...]) -> None:
        if is_pipe(self.path) and self.format != "arrow":
            message = f"{self.name} is no file, and through pipes go streams of Arrow alone"
            raise UsageError("E014", message, help="write it to a file first, or add --format arrow")
        if self.format == "parquet":
            self.file = pyarrow("parquet").ParquetFile(self.path, pre_buffer=False, buffer_size=BUFFER)
            self.schema = self.file.schema_arrow
            self.groups, self.rows = self.file.num_row_groups, self.file.metadata.num_rows
        elif self.format == "csv":
            self.file = tabular.Table(self.path, numbers, *dialect)
            self.schema = self.file.schema
        elif self.format == "jsonl":
            self.file = tabular.Records(self.path)
            self.schema = self.file.schema
        elif not is_pipe(self.path) and is_file(self.path):
            self.file = self._opened(self.path)
            self.schema, self.groups = self.file.schema, self.file.num_record_batches
        else:
            self.stream = standard_input() if self.path == "-" else Path(self.path).open("rb")  # noqa: SIM115
            head = self.stream.peek(len(MAGIC))[: len(MAGIC)]
            is_whole, is_text = head.startswith((MAGIC, b"PAR1")), re.match(rb"[\n\r\t -~]{4}", head)
            if is_whole or (is_text and is_pipe(self.path)):
                kind = "a whole file" if is_whole else "text"
                message = f"{self.name} has {kind}, and through pipes go streams of Arrow alone"
                raise UsageError("E014", message, help="give the path of a file after -i")
            self.file = pyarrow("ipc").open_stream(self.stream)
            self.schema = self.file.schema

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
                    if self.is_cast:
                        batch = casting.cast_batch(batch, self.schema)
                    for start in range(0, len(batch), ROWS):
                        yield group, batch.slice(start, ROWS)

    def refuse_rest(self, rows: int) -> None:
        """Refuse what follows a stream that ended after so many rows, for nobody would read it; EvaluationError."""
        with reading(self.name):
            if self.stream is not None and self.stream.read(1):
                message = f"{self.name} goes on after row {rows:,}, where its stream has ended"
                raise EvaluationError("E227", message, help="give each stream alone, or join them as one")

    def _numbers(self) -> Sequence[int]:
        return range(1 if self.groups is None else self.groups)

    def _of(self, group: int) -> Iterator[Any]:
        if self.format == "parquet":
            yield from self.file.iter_batches(ROWS, row_groups=[group], use_threads=False)
        elif self.groups is None:
            yield from chain(self.ahead, self.file)
        else:
            yield self.file.get_batch(group)

    def _first(self) -> Any:
        """Return the first batch that has rows; None where there is none."""
        if self.groups is not None:
            return next((batch for group in self._numbers() for batch in self._of(group) if len(batch)), None)
        for batch in self.file:
            self.ahead.append(batch)
            if len(batch):
                return batch
        return None

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
        for stream in (self.file, None if self.path == "-" else self.stream):
            close = getattr(stream, "close", None)
            if close is not None:
                close()


def display_name(path: str) -> str:
    """Return what messages call a path."""
    return "standard input" if path == "-" else visible(path)


def is_pipe(path: str) -> bool:
    """Return whether a path is that of a pipe or a device, whose bytes come once."""
    return path == "-" or (Path(path).exists() and not Path(path).is_file())


def is_file(path: str) -> bool:
    """Return whether a file of Arrow has places to jump to; a stream has not."""
    with Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def standard_input() -> Any:
    if sys.stdin is None:
        raise UsageError("E003", "cannot read standard input: it is closed", help="check the path after -i")
    return sys.stdin.buffer
