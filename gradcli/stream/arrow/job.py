"""A job: one program at every row of files of columns, whole files of results."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from gradcli.errors import FailedRecordsError, InternalError, UsageError
from gradcli.facts import dataclass
from gradcli.source import visible
from gradcli.stream.arrow.computation import Computation
from gradcli.stream.arrow.conversion import Conversion
from gradcli.stream.arrow.merge import Part, Share, listed, refuse_file, shares
from gradcli.stream.arrow.sinks import Manifest, Writer, facts_of_maker, identity_of, standard_output
from gradcli.stream.arrow.sources import Source, format_of, is_pipe, readable, reading
from gradcli.stream.arrow.tables import ERROR, planned
from gradcli.stream.batches import is_exceeded, too_many
from gradcli.stream.inputs import ending
from gradcli.stream.plan import Task
from gradcli.workers.files import is_folder, refuse_unwritable, unwritten, written
from gradcli.workers.limits import Limits

Advance = Callable[[int], None]


@dataclass
class Job:
    """A task with its inputs and its output, which are paths, or `-` for the standard streams.

    `watch` gets the number of rows, None where it is not known, and gives a function that is told of rows as they are
    done. `shard` is such as (3, 16).
    """

    task: Task
    inputs: list[str]
    output: str
    format: str | None
    shard: tuple[int, int] | None
    jobs: int
    limits: Limits
    most_failures: int | None
    watch: Callable[[int | None], Advance]
    dialect: tuple[str | None, ...] = ()  # what stands between cells of CSV, and before decimals
    count: int = 0
    failed: int = 0
    first_failure: str = ""
    bugs: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Convert everything, until more than `most_failures` rows have failed; EvaluationError where one has."""
        self.computation = Computation(self.task)
        if self.shard is None and len(self.inputs) == 1 and not Path(self.inputs[0]).is_dir():
            self.convert_one(self.inputs[0])
        else:
            self.convert_parts()
        if self.bugs:
            raise InternalError(self.bugs[0])
        if self.failed:
            raise FailedRecordsError("E229", self.summary(), help="the column error says why")

    def convert_one(self, path: str) -> None:
        """Convert a file or a stream to another one."""
        if self.output.lower().endswith(".gz"):
            raise UsageError("E014", f"{visible(self.output)} would be compressed text", help="write .csv or .parquet")
        target = Path(self.output, Path(path).name) if is_folder(self.output) else Path(self.output)
        reading = (
            readable(path)
            or ending(path)
            or self.format
            or ("arrow" if is_pipe(path) else format_of(target.name) or "parquet")
        )
        writing = readable(target.name) or self.format or ("arrow" if is_pipe(self.output) else reading)
        if writing == "jsonl":
            message = f"{visible(str(target))} would have no columns"
            raise UsageError("E014", message, help="JSON Lines go to one file: -o results.jsonl")
        if "parquet" in (reading if path == "-" else "", writing if self.output == "-" else ""):
            raise UsageError("E014", "Parquet goes to and from files, not through pipes", help="add --format arrow")
        if path != "-" and self.output != "-" and target.exists() and Path(path).exists() and target.samefile(path):
            raise UsageError("E013", f"{visible(str(target))} is the input, too", help="write to another file")
        if self.output != "-":
            refuse_unwritable(str(target))
        kind = "stream" if writing == "arrow" and is_pipe(self.output) else writing
        with closing(Source(path, reading, self.computation.plan.names, self.dialect)) as source:
            schema, _ = planned(self.computation, source.schema)
            advance = self.watch(source.rows)
            if self.output == "-":
                self.write(source, None, Writer(standard_output(), kind, schema, []), advance)
                return
            with written(str(target)) as file:
                self.write(source, None, self.writer(file, kind, source, is_hashed=False), advance)

    def writer(self, file: Any, format: str, source: Source, *, is_hashed: bool) -> Writer:
        schema, _ = planned(self.computation, source.schema)
        repeating = [*source.repeating(), ERROR]
        return Writer(file, format, schema, repeating, is_hashed=is_hashed, is_beside=self.computation.plan.is_columnar)

    def convert_parts(self) -> None:
        """Convert the share of this run in each part to a file in the output folder; what is done is left as it is."""
        if self.output == "-":
            refuse_file(self.output)
        refuse_text(*self.inputs)
        parts = listed(self.inputs, self.format, self.dialect)
        refuse_file(self.output)
        folder = Path(self.output)
        for path in map(Path, self.inputs):
            output_path = folder.resolve()
            if output_path.is_relative_to(path.resolve()) if path.is_dir() else output_path == path.resolve().parent:
                message = f"the results would stand among the inputs in {visible(str(folder))}"
                raise UsageError("E013", message, help="write to another folder")
        own_shares, total, schema = shares(parts, self.shard, self.computation.plan.names)
        planned(self.computation, schema)
        made_by = facts_of_maker(self.task)
        is_known = not any(share.is_whole for share in own_shares)
        advance = self.watch(sum(group.rows for share in own_shares for group in share.groups) if is_known else None)
        for share in own_shares:
            with reading(visible(str(share.part.path))):
                input_facts = identity_of(share.part.path, share.part.format)
                manifest = Manifest(made_by, share.part.name, input_facts)
            if self.shard is not None:
                manifest = replace(manifest, shard="{}/{}".format(*self.shard), groups=share.groups, total=total)
            target = folder / name_of(share.part, self.shard)
            if manifest.is_done(target):
                advance(sum(group.rows for group in share.groups))
                continue
            self.convert_share(share, manifest, target, advance)

    def convert_share(self, share: Share, manifest: Manifest, target: Path, advance: Advance) -> None:
        """Convert some groups of a part, and write the manifest when they are there."""
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritten(str(target.parent), error.strerror) from None
        count, failed = self.count, self.failed
        with closing(share.part.opened(self.computation.plan.names)) as source, written(str(target)) as file:
            writer = self.writer(file, share.part.format, source, is_hashed=True)
            groups = None if share.is_whole else [group.group for group in share.groups]
            self.write(source, groups, writer, advance)
        manifest = replace(manifest, rows=self.count - count, failed=self.failed - failed, checksum=writer.checksum)
        manifest.write(target)

    def write(self, source: Source, groups: list[int] | None, writer: Writer, advance: Advance) -> None:
        """Compute some groups, or all, and write the results."""
        schema, forms = planned(self.computation, source.schema)
        convert = Conversion(
            self.computation,
            schema,
            forms,
            self.jobs,
            self.limits,
            self.bugs,
            before_processes=writer.end_thread,
            is_prompt=source.groups is None,
        )
        gc.collect()
        gc.freeze()  # as `Batch.convert` does
        is_whole = False
        try:
            with closing(convert.converted(batches(source, groups))) as results:
                for batch, computed in results:
                    if computed.errors and not self.first_failure:
                        self.first_failure = f"row {writer.count + min(computed.errors) + 1:,} of {source.name}"
                    self.count += computed.count
                    self.failed += len(computed.errors)
                    if is_exceeded(self.most_failures, self.failed):
                        raise too_many(self.summary())
                    writer.write(batch)
                    advance(computed.count)
            writer.close()
            is_whole = True
            source.refuse_rest(writer.count)  # when the results are there, for more may never come
        finally:
            if not is_whole:
                writer.abandon()

    def summary(self) -> str:
        return f"{self.failed:,} of {self.count:,} records failed, the first in {self.first_failure}"


def batches(source: Source, groups: Iterable[int] | None) -> Iterator[Any]:
    return (batch for _, batch in source.batches(None if groups is None else list(groups)))


def refuse_text(*paths: str) -> None:
    """Refuse a file of records that have no columns among files of columns, and compressed results; UsageError."""
    for path in paths:
        if ending(path) == "jsonl":
            raise UsageError(
                "E014", f"{visible(path)} has no columns", help="JSON Lines go to one file: -o results.jsonl"
            )


def name_of(source_part: Part, shard: tuple[int, int] | None) -> str:
    """Return the name of the results of a part: its own, or that of the shard."""
    if shard is None:
        return source_part.name
    path = Path(source_part.name)
    return str(path.with_name(f"{path.stem}.{shard[0]}-of-{shard[1]}{path.suffix}"))
