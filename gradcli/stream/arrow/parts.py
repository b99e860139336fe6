"""The parts of a run: the files of columns that are named, and in folders; the share of a shard."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

from gradcli.errors import EvaluationError, UsageError
from gradcli.facts import dataclass
from gradcli.source import visible
from gradcli.stream.arrow.manifests import Group
from gradcli.stream.arrow.sources import ENDINGS, Source, display_name, format_of, is_pipe, readable
from gradcli.workers.files import is_folder


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
