"""Records that end their process: each gets its error, every other its result, in order."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcli.errors import EvaluationError, InternalError
from gradcli.stream.batches import Batch, is_about
from gradcli.stream.conversion import Answer, Piece
from gradcli.stream.plan import Plan, Task
from gradcli.stream.records import Block
from gradcli.workers import pool
from gradcli.workers.limits import Limits
from tests.programs import some

ENDS: dict[str, Callable[[], Any]] = {
    "time": lambda: ("a" * 10**7).rfind("ab" + "a" * 4_000_000),
    "memory": lambda: bytearray(2**40),
    "crash": lambda: ctypes.string_at(0),
    "bug": lambda: {}["nothing"],
}
CODES = {"time": "E403", "memory": "E403", "crash": "E404", "bug": "E900"}
FATAL = 666.0
PROGRAMS = {"columnar": "x**2", "record by record": "sum(stack([x, x]))*x/2", "each": "x**2"}
CASES = [(kind, reason) for kind in ("record by record", "each") for reason in ENDS] + [("columnar", "bug")]
LOSSES = [(1, (1, 2, 3, 4, 5)), (2, (3, 4))]  # the processes, and the records that end theirs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "reason", "jobs", "fatal"),
    [(*case, *loss) for n, case in enumerate(some(CASES, 2)) for loss in some(LOSSES, 2, n + n // len(ENDS))],
)
def test_a_record_costs_itself_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, reason: str, jobs: int, fatal: tuple[int, ...]
) -> None:
    monkeypatch.setattr(pool, "TICK", 0.02)
    monkeypatch.setattr(Plan, "at", ending(Plan.at, lambda values: values.get("x") == FATAL, ENDS[reason]))
    if kind == "columnar":
        monkeypatch.setattr(Plan, "over", ending(Plan.over, lambda columns: FATAL in columns["x"], ENDS[reason]))
    batch = prepared(tmp_path, kind, [FATAL if n in fatal else float(n) for n in range(1, 6)], jobs, reason)
    with pytest.raises(InternalError if reason == "bug" else EvaluationError) as told:
        batch.run()
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["record"]["id"] for line in lines] == [1, 2, 3, 4, 5]
    for number, line in enumerate(lines, 1):
        if number in fatal:
            assert (line["ok"], line["error"]["code"], line["error"]["line"]) == (False, CODES[reason], number)
        else:
            assert (line["ok"], line["value"]) == (True, float(number) ** 2)
    assert told.value.exit_code == (70 if reason == "bug" else 4)


def ending(method: Any, is_fatal: Callable[[Any], bool], end: Callable[[], Any]) -> Any:
    """Return a method of a plan that ends its process at fatal values."""
    return lambda self, values, *rest: end() if is_fatal(values) else method(self, values, *rest)


def prepared(folder: Path, kind: str, points: list[float], jobs: int, reason: str) -> Batch:
    program = PROGRAMS[kind]
    records: list[dict[str, Any]] = [{"x": x, "id": n} for n, x in enumerate(points, 1)]
    if kind == "each":
        records = [{"program": program, "at": {"x": x}, "id": n} for n, x in enumerate(points, 1)]
    (folder / "in.jsonl").write_text("\n".join(map(json.dumps, records)))
    limits = Limits(0.1 if reason == "time" else 20.0)
    return Batch(
        Task("" if kind == "each" else program),
        [str(folder / "in.jsonl")],
        str(folder / "out.jsonl"),
        format=None,
        is_each=kind == "each",
        jobs=jobs,
        limits=limits,
        most_failures=None,
        watch=lambda blocks, _: blocks,
        fail=lambda facts, name: None,
    )


FACTS = {"code": "E210", "message": "no", "line": 3, "column": None, "start": None, "end": None, "help": None}


@pytest.mark.parametrize(
    ("answer", "fits"),
    [
        (Answer(b"", 2, 1, [FACTS]), True),
        (Answer(b"", 3), False),
        (Answer(b"", -1), False),
        (Answer(b"", 1, 2, [FACTS, FACTS]), False),
        (Answer(b"", 2, 2, [FACTS]), False),
        (Answer(b"", 2, -1, [FACTS]), False),
        (Answer(b"", 1, 1, [{}]), False),
        (Answer(b"", 1, 1, [FACTS | {"line": 5}]), False),
        (Answer(b"", 1, 1, [FACTS | {"help": 3}]), False),
        (Answer(b"", 1, 1, [FACTS | {"more": 3}]), False),
    ],
)
def test_an_answer_is_about_its_piece(answer: Answer, fits: bool) -> None:
    assert is_about(Piece(Block(3, b"{}\n{}")), answer) is fits
