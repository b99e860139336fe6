"""Files of columns to write: Parquet, Arrow's files, CSV, and Arrow's streams on standard output."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from gradcli.errors import EvaluationError, GradcliError
from gradcli.source import visible
from gradcli.stream.arrow.library import pyarrow

GROUP = 2**18  # rows of a group, which wait until they are written together


@contextmanager
def writing() -> Iterator[None]:
    """Turn what pyarrow raises of columns that a format does not hold into an EvaluationError."""
    try:
        yield
    except (GradcliError, OSError, MemoryError):
        raise
    except Exception as error:  # of pyarrow's own kinds
        reason = visible(str(error).partition("\n")[0])
        raise EvaluationError(
            "E232", f"the format does not hold these columns: {reason}", help="write the other one, .parquet or .arrow"
        ) from None


class Sink:
    """A file that is written from its beginning to its end, and its checksum; after an error nothing is written."""

    def __init__(self, file: Any, *, is_hashed: bool) -> None:
        self.file = file
        self.hash = hashlib.sha256() if is_hashed else None
        self.closed = self.is_broken = False

    def write(self, data: Any) -> int:
        if not self.is_broken and not self.file.closed:
            self.is_broken = True
            self.file.write(data)
            self.is_broken = False
            if self.hash is not None:
                self.hash.update(data)
        return len(data)

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def flush(self) -> None:
        if not self.is_broken:
            self.file.flush()

    def close(self) -> None:
        """Leave the file to its owner."""


class Writer:
    """Writes batches of one schema; `kind` is `parquet`, `arrow` (a file), `csv` or `stream`.

    The columns `repeating` are written with a dictionary, where the format has one. If it `is_beside`, a thread writes
    one group of rows while the next is computed.
    """

    def __init__(
        self,
        file: Any,
        kind: str,
        schema: Any,
        repeating: Sequence[str],
        *,
        is_hashed: bool = False,
        is_beside: bool = False,
    ) -> None:
        self.sink = Sink(file, is_hashed=is_hashed)
        self.thread = ThreadPoolExecutor(1) if is_beside and kind == "parquet" else None
        self.written: Future[None] | None = None
        self.kind, self.schema = kind, schema
        self.waiting: list[Any] = []
        self.rows = self.count = 0
        with writing():
            self.writer = self._opened(repeating)

    def _opened(self, repeating: Sequence[str]) -> Any:
        file = pyarrow().PythonFile(self.sink, "w")
        if self.kind == "parquet":
            # Numbers that differ from row to row take no dictionary: looking for one doubles the time of writing.
            return pyarrow("parquet").ParquetWriter(file, self.schema, use_dictionary=list(repeating) or False)
        if self.kind == "csv":
            return pyarrow("csv").CSVWriter(file, self.schema)
        ipc = pyarrow("ipc")
        return (ipc.new_file if self.kind == "arrow" else ipc.new_stream)(file, self.schema)

    def write(self, batch: Any) -> None:
        """Take a batch; a stream gives it on at once. EvaluationError where the format cannot hold it."""
        self.count += len(batch)
        if self.kind != "parquet":
            with writing():
                self.writer.write_batch(batch)
            self.sink.flush()
            return
        self.waiting.append(batch)
        self.rows += len(batch)
        if self.rows >= GROUP:
            self._write_group()

    def _write_group(self) -> None:
        if self.waiting:
            table = pyarrow().Table.from_batches(self.waiting, self.schema)
            self.waiting, self.rows = [], 0
            self._settle()
            if self.thread is not None:
                self.written = self.thread.submit(self.writer.write_table, table)
                return
            with writing():
                self.writer.write_table(table)

    def _settle(self) -> None:
        """Wait until the thread has written its group; its error is raised here."""
        if self.written is not None:
            with writing():
                self.written.result()

    def close(self) -> None:
        """Write the rest and the end of the file."""
        if self.kind == "parquet":
            self._write_group()
            self._settle()
        self.writer.close()
        self.sink.flush()
        self.end_thread()

    def abandon(self) -> None:
        """Write nothing any more."""
        self.sink.is_broken = True
        self.end_thread()
        with suppress(Exception):
            self.writer.close()

    def end_thread(self) -> None:
        """Write without a thread from now on: a process that is forked may have none beside it."""
        if self.thread is not None:
            self.thread.shutdown()
            self.thread = None

    @property
    def checksum(self) -> str:
        assert self.sink.hash is not None
        return f"sha256:{self.sink.hash.hexdigest()}"


def standard_output() -> Any:
    sys.stdout.flush()
    return sys.stdout.buffer
