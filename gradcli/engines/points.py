"""Batches of points to batches of results; rows that are computed one by one are walled, each for itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import cached_property
from typing import Any

from gradcli.facts import dataclass
from gradcli.stream.arrow.conversion import Conversion
from gradcli.stream.arrow.library import pyarrow
from gradcli.stream.arrow.tables import Columns, is_at_once, planned
from gradcli.stream.plan import Task
from gradcli.workers.apart import Apart
from gradcli.workers.limits import Limits

ITEM = Limits(10.0)  # of a row that is computed alone, in CPU seconds


@dataclass(frozen=True)
class Points:
    """The work of a task: a function from an iterator of batches to the same with results."""

    columns: Columns

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        with ExitStack() as stack:
            processes: Apart | None = None
            for batch in batches:
                if is_at_once(self.columns.computation, batch.schema):
                    yield self.columns.record_batch(batch)
                elif len(batch):
                    processes = processes or stack.enter_context(Apart(OneByOne(self.columns.task)))
                    for data in processes(batch):
                        yield from pyarrow("ipc").open_stream(data)


@dataclass(frozen=True)
class OneByOne:
    """A batch to smaller ones with results, computed in processes that are replaced where a row ends one."""

    task: Task

    @cached_property
    def columns(self) -> Columns:
        return Columns(self.task)

    def __call__(self, batch: Any) -> list[bytes]:
        """Return streams of batches."""
        computation, bugs = self.columns.computation, list[str]()
        schema, forms = planned(computation, batch.schema)
        convert = Conversion(computation, schema, forms, 1, ITEM, bugs, before_processes=lambda: None)
        return [stream_of(results) for results, _ in convert.converted([batch])]


def stream_of(batch: Any) -> bytes:
    sink = pyarrow().BufferOutputStream()
    with pyarrow("ipc").new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())
