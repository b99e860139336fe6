"""Shards put together: the groups of each part in their order, as one run would have written them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from gradcli.errors import EvaluationError, UsageError
from gradcli.stream.arrow.manifests import Manifest, checksum, manifest_of, read_manifest
from gradcli.stream.arrow.parts import files, refuse_file
from gradcli.stream.arrow.sinks import Writer
from gradcli.stream.arrow.sources import Source, format_of
from gradcli.workers.files import unwritten, written

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
