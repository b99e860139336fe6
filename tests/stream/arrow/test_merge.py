"""Shards put together are what one run gives; shards that do not fit together are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import gradcli
from gradcli.errors import GradcliError
from gradcli.stream.arrow.job import merged
from tests.stream.arrow.conftest import SQUARE, Run, left

pytest.importorskip("pyarrow")


from tests.stream.arrow.test_job import read, table, write

SCHEMAS = Path(gradcli.__file__).parent / "schemas"
NAMES = ["a.parquet", "day=1/b.parquet"]


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    for number, name in enumerate(NAMES):
        write(tmp_path / "in" / name, table(100, 100 * number), 30)
    return tmp_path


def shards(run: Run, of: int, program: str = SQUARE) -> int:
    return sum(run("in", f"shards{of}", program, shard=(place, of)).count for place in range(1, of + 1))


@pytest.mark.parametrize("of", [1, 2, 3, 20])
def test_shards_are_one_run(parts: Path, run: Run, of: int) -> None:
    run("in", "whole")
    assert shards(run, of) == 200
    assert shards(run, of) == 0, "they are done"
    merged([str(parts / f"shards{of}")], str(parts / "merged"))
    assert left(parts / "merged") == left(parts / "whole")
    for name in NAMES:
        assert read(parts / "merged" / name).equals(read(parts / "whole" / name))
    assert run("in", "merged").count == 0, "the whole is done, too"


def test_groups_are_dealt_in_turn(parts: Path, run: Run) -> None:
    shards(run, 3)
    dealt = {}
    described = jsonschema.Draft202012Validator(json.loads((SCHEMAS / "manifest.json").read_text()))
    run("in", "whole", "z=(x1+k*x2)**2", task={"fixed": {"k": 2.0}, "wrt": ("x1",)})
    for path in (parts / "whole").rglob("*.json"):
        described.validate(json.loads(path.read_text()))
    for path in (parts / "shards3").rglob("*.json"):
        manifest = json.loads(path.read_text())
        described.validate(manifest)
        dealt.update({group["number"]: manifest["shard"] for group in manifest["groups"]})
        assert manifest["rows"] == sum(group["rows"] for group in manifest["groups"])
        assert manifest["total"] == 8
    assert [dealt[number] for number in range(8)] == [f"{number % 3 + 1}/3" for number in range(8)]


def forged(path: Path, **facts: Any) -> None:
    """Change facts of a manifest; those of a dictionary one by one."""
    manifest = json.loads(path.read_text())
    for key, value in facts.items():
        manifest[key] = {**manifest[key], **value} if isinstance(value, dict) else value
    path.write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda folder: (folder / "a.1-of-2.parquet").unlink(),
            "incomplete: 2 of 8 groups .* of --shard 1/2",
        ),
        (lambda folder: (folder / "_a.1-of-2.parquet.json").unlink(), "is no manifest"),
        (lambda folder: (folder / "_a.1-of-2.parquet.json").write_text("[]"), "is no manifest"),
        (lambda folder: write(folder / "a.1-of-2.parquet", table(3)), "has changed since it was made"),
        (lambda folder: forged(folder / "_a.2-of-2.parquet.json", made={"numpy": "1"}), "differ in numpy, .* and '1'"),
        (lambda folder: forged(folder / "_a.2-of-2.parquet.json", made={"program": "x"}), "differ in program"),
        (lambda folder: forged(folder / "_a.2-of-2.parquet.json", made={"cpu": []}), "differ in cpu"),
        (lambda folder: forged(folder / "_a.2-of-2.parquet.json", of={"bytes": 1}), "were made of different inputs"),
        (lambda folder: forged(folder / "_a.2-of-2.parquet.json", shard="2/3"), "8 groups in 3 shards"),
        (lambda folder: twice(folder), "a shard is there twice"),
    ],
)
def test_shards_that_do_not_fit(parts: Path, run: Run, damage: Any, message: str) -> None:
    shards(run, 2)
    damage(parts / "shards2")
    with pytest.raises(GradcliError, match=message) as caught:
        merged([str(parts / "shards2")], str(parts / "merged"))
    assert caught.value.help
    assert not (parts / "merged").exists()


UNSOUND: list[dict[str, Any]] = [
    {"part": "../../evil.parquet"},
    {"part": "/tmp/evil.parquet"},
    {"part": "in/../../evil.parquet"},
    {"part": 7},
    {"made": 3},
    {"shard": "x"},
    {"shard": "1/0"},
    {"total": -1},
    {"rows": "x"},
    {"rows": 10**9},
    {"failed": None},
    {"checksum": []},
    {"groups": 5},
    {"groups": [{"number": "a", "group": 0, "rows": 3}]},
    {"groups": [{"number": 0, "group": 0, "rows": 10**9}]},
    {"groups": [{"number": 0}]},
]


@pytest.mark.parametrize("facts", UNSOUND, ids=str)
def test_a_manifest_that_nobody_has_made(parts: Path, run: Run, facts: dict[str, Any]) -> None:
    """It is none, whatever it says; above all it names no file outside of the output folder."""
    shards(run, 2)
    forged(parts / "shards2" / "_a.2-of-2.parquet.json", **facts)
    with pytest.raises(GradcliError, match="is no manifest"):
        merged([str(parts / "shards2")], str(parts / "merged"))
    assert not (parts / "merged").exists()
    assert not list(parts.parent.glob("evil*"))


def twice(folder: Path) -> None:
    for name in ("{}", "_{}.json"):
        part = folder / name.format("a.1-of-2.parquet")
        (folder / name.format("z.parquet")).write_bytes(part.read_bytes())


def test_no_shards(parts: Path, run: Run) -> None:
    run("in", "whole")
    for folder in ("whole", "none"):
        with pytest.raises(GradcliError, match=r"no shards in|no such folder"):
            merged([str(parts / folder)], str(parts / "merged"))
