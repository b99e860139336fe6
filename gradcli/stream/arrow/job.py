"""A job: one program at every row of files of columns, whole files of results."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from gradcli.errors import EvaluationError, FailedRecordsError, InternalError, UsageError
from gradcli.facts import dataclass
from gradcli.source import visible
from gradcli.stream.arrow.computation import Computation
from gradcli.stream.arrow.conversion import Conversion
from gradcli.stream.arrow.sinks import (
    Group,
    Manifest,
    Writer,
    checksum,
    facts_of_maker,
    identity_of,
    manifest_of,
    read_manifest,
    standard_output,
)
from gradcli.stream.arrow.sources import ENDINGS, Source, display_name, format_of, is_pipe, readable, reading
from gradcli.stream.arrow.tables import ERROR, planned
from gradcli.stream.batches import is_exceeded, too_many
from gradcli.stream.inputs import ending
from gradcli.stream.plan import Task
from gradcli.workers.files import is_folder, open_output, refuse_unwritable, unwritten_error
from gradcli.workers.limits import Limits

# Shards put together: the groups of each part in their order, as one run would have written them.


# The parts of a run: the files of columns that are named, and in folders; the share of a shard.


@dataclass(frozen=True)
class Part:
    """A file of columns; `name` is the path of its results in the output folder."""

    name: str
    path: Path
    format: str
    dialect: tuple[str | None, ...] = ()
    is_cast: bool = False

    def opened(self, numbers: Sequence[str]) -> Source:
        return Source(str(self.path), self.format, numbers, self.dialect, is_cast=self.is_cast)


@dataclass(frozen=True)
class Share:
    """The groups of a part that are to be computed; `is_whole` where it has none, and all of it is."""

    part: Part
    groups: tuple[Group, ...]
    is_whole: bool = False


def listed(
    inputs: Sequence[str], format: str | None, dialect: tuple[str | None, ...] = (), *, is_cast: bool = False
) -> list[Part]:
    """Return the parts, sorted by name; UsageError where there are none, or two of one name."""
    parts: list[Part] = []
    for name in inputs:
        path = Path(name)
        if path.is_dir():
            inner = [Part(str(f.relative_to(path)), f, readable(f.name) or "", dialect, is_cast) for f in files(path)]
            if not inner:
                endings = ", ".join([*ENDINGS, ".csv"])
                raise UsageError(
                    "E003", f"no file in {visible(name)} ends in {endings}", help="check the path after -i"
                )
            parts += inner
        else:
            parts.append(Part(path.name, path, format or readable(name) or "parquet", dialect, is_cast))
    for p in parts:
        if is_pipe(str(p.path)):
            message = f"{display_name(str(p.path))} is no file, and parts are read twice"
            raise UsageError("E014", message, help="write it to a file first, or convert it alone")
    parts.sort(key=lambda p: p.name)
    for f, next_part in pairwise(parts):
        if f.name == next_part.name:
            raise UsageError(
                "E013",
                f"{f.path} and {next_part.path} have the same name, and so would their results",
                help="write them to two folders",
            )
    return parts


def files(folder: Path) -> list[Path]:
    """Return the files of columns in a folder and those below it, without hidden and temporary ones.

    Where there are none, these are the files of CSV.
    """
    paths = []
    for folder_here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        paths += [Path(folder_here, name) for name in names if readable(name) and not name.startswith((".", "_"))]
    return [path for path in paths if format_of(path.name)] or paths


def shares(
    parts: Sequence[Part], shard: tuple[int, int] | None, numbers: Sequence[str]
) -> tuple[list[Share], int, Any]:
    """Return the share of a shard in each part, the number of all groups, and the schema of all parts.

    The groups of all parts, sorted, are dealt round robin. EvaluationError where a part has another schema.
    """
    place, of = shard or (1, 1)
    own_shares: list[Share] = []
    total, schema, first = 0, None, None
    for part in parts:
        with closing(part.opened(numbers)) as source:
            if schema is None:
                schema, first = source.schema, part
            elif not source.schema.equals(schema):
                assert first is not None
                raise unlike(first, schema, part, source.schema)
            if source.groups is None and shard is None:
                own_shares.append(Share(part, (), is_whole=True))
                continue
            if source.groups is None:
                kind = "CSV" if part.format == "csv" else "a stream of Arrow"
                raise UsageError(
                    "E014",
                    f"{source.name} is {kind}, which has no places to jump to",
                    help="write it as a file of Parquet or Arrow first, or leave out --shard",
                )
            mine = [group for group in range(source.groups) if (total + group) % of == place - 1]
            is_mine = bool(mine) if source.groups else total % of == place - 1  # one without groups has results, too
            groups = tuple(Group(total + group, group, source.rows_of(group)) for group in mine)
            total += source.groups
        if is_mine:
            own_shares.append(Share(part, groups))
    return own_shares, total, schema


def unlike(first: Part, schema: Any, second: Part, second_schema: Any) -> EvaluationError:
    """Return the error of two parts with different schemas, which names a column in which they differ."""
    for name in dict.fromkeys([*schema.names, *second_schema.names]):
        a, b = (types_of(fields, name) for fields in (schema, second_schema))
        if a != b:
            message = f"{visible(name)} is {a} in {first.path.name} and {b} in {second.path.name}"
            break
    else:
        message = f"the columns of {second.path.name} stand in another order than those of {first.path.name}"
    return EvaluationError("E228", f"two parts have different columns: {message}", help="give all parts one schema")


def types_of(schema: Any, name: str) -> str:
    """Return the types of all columns of a name, in words."""
    fields = [schema.field(place) for place in schema.get_all_field_indices(name)]
    kinds = [f"{field.type}{'' if field.nullable else ' without nulls'}" for field in fields]
    return " and ".join(kinds) or "missing"


def refuse_file(output: str) -> None:
    """Refuse standard output, and what looks like a file, for the results of several parts; UsageError."""
    if output == "-" or (readable(output) and not is_folder(output)):
        raise UsageError("E014", "several parts need a folder for their results", help="add -o FOLDER/")


Shard = tuple[Path, Manifest]


def merged(folders: Sequence[str], output: str) -> None:
    """Put the shards in folders together in another folder; EvaluationError where they are incomplete or unlike."""
    refuse_file(output)
    shards = shards_in(folders)
    parts: dict[str, list[Shard]] = {}
    for path, manifest in shards:
        parts.setdefault(manifest.part, []).append((path, manifest))
    refuse_unlike(shards)
    refuse_incomplete(shards)
    for path, manifest in shards:
        if checksum(path) != manifest.checksum:
            raise EvaluationError("E231", f"{path} has changed since it was made", help="make the shard again")
    for name, members in sorted(parts.items()):
        put_together(members, Path(output, name))


def shards_in(folders: Sequence[str]) -> list[Shard]:
    """Return the shards in folders, sorted by their names."""
    paths = []
    for folder in folders:
        if not Path(folder).is_dir():
            raise UsageError(
                "E003", f"cannot read {folder}: no such folder", help="--merge takes folders of shards: -i"
            )
        paths += files(Path(folder))
    shards = [(path, read_manifest(manifest_of(path))) for path in sorted(paths)]
    shards = [(path, manifest) for path, manifest in shards if manifest.shard]
    if not shards:
        raise UsageError("E003", f"no shards in {', '.join(folders)}", help="make them with --shard 1/4 -o FOLDER/")
    return shards


def refuse_unlike(shards: Sequence[Shard]) -> None:
    """Refuse shards of different runs."""
    first, model = shards[0]
    parts: dict[str, tuple[Path, Any]] = {}
    for path, m in shards:
        origin = parts.setdefault(m.part, (path, m.of))
        differing = [key for key in model.made if m.made.get(key) != model.made[key]]
        if differing:
            key = differing[0]
            fault = f"{first.name} and {path.name} differ in {key}, {model.made[key]!r:.60} and {m.made.get(key)!r:.60}"
        elif (count(m), m.total) != (count(model), model.total):
            sizes = [f"{x.total} groups in {count(x)} shards" for x in (model, m)]
            fault = f"{first.name} is of {sizes[0]}, {path.name} of {sizes[1]}"
        elif origin[1] != m.of:
            fault = f"{origin[0].name} and {path.name} were made of different inputs"
        else:
            continue
        help = "make all shards by one command, on like machines"
        raise EvaluationError("E231", f"unlike shards: {fault}", help=help)


def count(manifest: Manifest) -> int:
    return int(manifest.shard.partition("/")[2])


def refuse_incomplete(shards: Sequence[Shard]) -> None:
    """Refuse shards that leave out a group, or have one twice."""
    numbers = sorted(group.number for _, manifest in shards for group in manifest.groups)
    total, of = shards[0][1].total, count(shards[0][1])
    if missing := set(range(total)) - set(numbers):
        places = sorted({number % of + 1 for number in missing})
        missing_shards = ", ".join(f"{place}/{of}" for place in places[:20])
        raise EvaluationError(
            "E231",
            f"incomplete: {len(missing):,} of {total:,} groups are missing, of --shard {missing_shards}",
            help="run these shards first",
        )
    if len(numbers) > total:
        raise EvaluationError("E231", "a shard is there twice", help="give each shard once")


def put_together(members: Sequence[Shard], target: Path) -> None:
    """Write one part of its shards, with its manifest."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritten_error(str(target.parent), error.strerror) from None
    format = format_of(target.name) or "parquet"
    order = sorted((group, place) for place, (_, manifest) in enumerate(members) for group in manifest.groups)
    with ExitStack() as stack:
        sources = [stack.enter_context(closing(Source(str(path), format))) for path, _ in members]
        readers = [Rows(source) for source in sources]
        file = stack.enter_context(open_output(str(target)))
        writer = Writer(file, format, sources[0].schema, sources[0].repeating(), is_hashed=True, is_beside=True)
        is_whole = False
        try:
            for group, place in order:
                for batch in readers[place].take(group.rows):
                    writer.write(batch)
            writer.close()
            is_whole = True
        finally:
            if not is_whole:
                writer.abandon()
    manifests = [manifest for _, manifest in members]
    replace(
        manifests[0],
        shard="",
        groups=(),
        total=0,
        rows=sum(manifest.rows for manifest in manifests),
        failed=sum(manifest.failed for manifest in manifests),
        checksum=writer.checksum,
    ).write(target)


class Rows:
    """The rows of a file, from its beginning on."""

    def __init__(self, source: Source) -> None:
        self.batches = source.batches()
        self.rest: Any = None

    def take(self, count: int) -> Iterator[Any]:
        """Yield the next rows."""
        while count:
            batch = self.rest if self.rest is not None else next(self.batches)[1]
            rows = batch.slice(0, count)
            self.rest = batch.slice(count) if len(batch) > count else None
            count -= len(rows)
            yield rows


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
        names = self.computation.plan.names
        with closing(Source(path, reading, names, self.dialect, is_cast=self.task.is_cast)) as source:
            schema, _ = planned(self.computation, source.schema)
            advance = self.watch(source.rows)
            if self.output == "-":
                self.write(source, None, Writer(standard_output(), kind, schema, []), advance)
                return
            with open_output(str(target)) as file:
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
        parts = listed(self.inputs, self.format, self.dialect, is_cast=self.task.is_cast)
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
            raise unwritten_error(str(target.parent), error.strerror) from None
        count, failed = self.count, self.failed
        with closing(share.part.opened(self.computation.plan.names)) as source, open_output(str(target)) as file:
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
