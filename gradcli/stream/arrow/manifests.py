"""Manifests: beside each file of results, what it was made of and by, so that a run can go on and shards can meet."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from gradcli import __version__
from gradcli.errors import EvaluationError
from gradcli.stream.plan import Task
from gradcli.stream.values import dump, plain
from gradcli.workers.files import written_as_text

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
        with written_as_text(str(manifest_path(path))) as file:
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
