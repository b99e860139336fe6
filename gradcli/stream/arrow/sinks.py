"""Files of columns to write: Parquet, Arrow's files, CSV, and Arrow's streams on standard output."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, astuple, dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from gradcli import __version__
from gradcli.errors import EvaluationError, GradcliError
from gradcli.source import visible
from gradcli.stream.arrow.library import pyarrow
from gradcli.stream.plan import Task
from gradcli.stream.values import dump, plain
from gradcli.workers.files import open_text_output

# Manifests: beside each file of results, what it was made of and by, so that a run can go on and shards can meet.


SCHEMA = "gradcli.manifest/1"
END = 2**16  # bytes at the end of an input by which it is known: the footer of Parquet, with all its places
CHUNK = 2**20
SHARD = re.compile(r"([1-9]\d*/[1-9]\d*)?")


@dataclass(frozen=True, order=True)
class Group:
    """A group of rows: its number among all of the run, that in its file, and its rows."""

    number: int
    group: int
    rows: int


@dataclass(frozen=True)
class Manifest:
    """The facts of a file of results; `checksum` is that of the file.

    `made` says by what: the program, the versions of gradcli and numpy, the features of the processor. `of` is the
    part of the input. Of a shard, such as `3/16`, are the groups of rows, and `total` the number of all in the run.
    """

    made: Mapping[str, Any]
    part: str
    of: Mapping[str, Any]
    shard: str = ""
    groups: tuple[Group, ...] = ()
    total: int = 0
    rows: int = 0
    failed: int = 0
    checksum: str = ""

    def write(self, path: Path) -> None:
        """Write the manifest of the file at a path."""
        with open_text_output(str(manifest_path(path))) as file:
            file.write(dump({"schema": SCHEMA, **asdict(self)}, indent=2) + "\n")

    def is_done(self, path: Path) -> bool:
        """Return whether a file at the path was made of and by the same, and is whole."""
        with suppress(EvaluationError, OSError):
            old = read_manifest(manifest_of(path))
            plan = Manifest(old.made, old.part, old.of, old.shard, old.groups, old.total)
            return plan == self and checksum(path) == old.checksum
        return False


def manifest_path(path: Path) -> Path:
    """Return the path of the manifest of a file, with a name that engines leave out when they read a folder."""
    return path.with_name(f"_{path.name}.json")


def manifest_of(path: Path) -> Path:
    """Return the path of a manifest that is there, perhaps by the name that it had before."""
    before = path.with_name(f"{path.name}.json")
    return before if before.exists() and not manifest_path(path).exists() else manifest_path(path)


def read_manifest(path: Path) -> Manifest:
    """Read a manifest; EvaluationError where it is none."""
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        if facts.pop("schema") != SCHEMA:
            raise ValueError
        facts["groups"] = tuple(Group(**group) for group in facts["groups"])
        manifest = Manifest(**facts)
        if not is_sound(manifest):
            raise ValueError
        return manifest
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise EvaluationError("E231", f"{path} is no manifest of gradcli", help="make the part again") from None


def is_sound(manifest: Manifest) -> bool:
    """Return whether a manifest has facts of the right kinds, whoever wrote it, and stays in its folder."""
    kinds = {"made": dict, "part": str, "of": dict, "shard": str, "total": int, "rows": int, "checksum": str}
    counts = [manifest.total, manifest.rows, manifest.failed, *chain.from_iterable(map(astuple, manifest.groups))]
    return (
        all(type(getattr(manifest, name)) is kind for name, kind in kinds.items())
        and all(type(count) is int and count >= 0 for count in counts)
        and bool(SHARD.fullmatch(manifest.shard))
        and (not manifest.shard or sum(group.rows for group in manifest.groups) == manifest.rows)
        and not Path(manifest.part).is_absolute()
        and ".." not in Path(manifest.part).parts
    )


def facts_of_maker(task: Task) -> dict[str, Any]:
    """Return by what results are made: the same gives the same bits."""
    facts = {
        "program": task.program,
        "fixed": {name: plain(np.asarray(value)) for name, value in task.fixed.items()},
        "wrt": None if task.wrt is None else list(task.wrt),
        "of": task.of,
        "upstream": None if task.upstream is None else plain(np.asarray(task.upstream)),
        "dtype": task.dtype,
        "forward_only": task.is_forward_only,
        "prefix": task.prefix,
        "nonfinite": task.nonfinite,
        "cast": task.is_cast,
        "gradcli": __version__,
        "numpy": np.__version__,
        "cpu": features(),
    }
    as_read: dict[str, Any] = json.loads(json.dumps(facts))
    return as_read


def features() -> list[str]:
    """Return the features of the processor that numpy uses, by which the last digit of a function may differ."""
    flags = getattr(import_module("numpy._core._multiarray_umath"), "__cpu_features__", {})
    return sorted(name for name, is_there in flags.items() if is_there)


def identity_of(path: Path, format: str) -> dict[str, Any]:
    """Return the facts by which an input is known again: its size, and the checksum of its end, or of all of it.

    The end of Parquet has the sizes and the bounds of all columns; that of the others says nothing of their beginning.
    """
    if format != "parquet":
        return {"bytes": path.stat().st_size, "end": checksum(path)}
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - END))
        return {"bytes": size, "end": f"sha256:{hashlib.sha256(file.read()).hexdigest()}"}


def checksum(path: Path) -> str:
    """Return the checksum of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while data := file.read(CHUNK):
            digest.update(data)
    return f"sha256:{digest.hexdigest()}"


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
