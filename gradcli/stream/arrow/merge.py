"""Shards put together: the groups of each part in their order, as one run would have written them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from gradcli.errors import EvaluationError, UsageError
from gradcli.facts import dataclass
from gradcli.source import visible
from gradcli.stream.arrow.sinks import Group, Manifest, Writer, checksum, manifest_of, read_manifest
from gradcli.stream.arrow.sources import ENDINGS, Source, display_name, format_of, is_pipe, readable
from gradcli.workers.files import is_folder, unwritten, written

# The parts of a run: the files of columns that are named, and in folders; the share of a shard.


@dataclass(frozen=True)
class Part:
    """A file of columns; `name` is the path of its results in the output folder."""

    name: str
    path: Path
    format: str
    dialect: tuple[str | None, ...] = ()

    def opened(self, numbers: Sequence[str]) -> Source:
        return Source(str(self.path), self.format, numbers, self.dialect)


@dataclass(frozen=True)
class Share:
    """The groups of a part that are to be computed; `is_whole` where it has none, and all of it is."""

    part: Part
    groups: tuple[Group, ...]
    is_whole: bool = False


def listed(inputs: Sequence[str], format: str | None, dialect: tuple[str | None, ...] = ()) -> list[Part]:
    """Return the parts, sorted by name; UsageError where there are none, or two of one name."""
    parts: list[Part] = []
    for name in inputs:
        path = Path(name)
        if path.is_dir():
            inner = [Part(str(f.relative_to(path)), f, readable(f.name) or "", dialect) for f in files(path)]
            if not inner:
                endings = ", ".join([*ENDINGS, ".csv"])
                raise UsageError(
                    "E003", f"no file in {visible(name)} ends in {endings}", help="check the path after -i"
                )
            parts += inner
        else:
            parts.append(Part(path.name, path, format or readable(name) or "parquet", dialect))
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
        raise unwritten(str(target.parent), error.strerror) from None
    format = format_of(target.name) or "parquet"
    order = sorted((group, place) for place, (_, manifest) in enumerate(members) for group in manifest.groups)
    with ExitStack() as stack:
        sources = [stack.enter_context(closing(Source(str(path), format))) for path, _ in members]
        readers = [Rows(source) for source in sources]
        file = stack.enter_context(written(str(target)))
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
