"""What numpy raises is an error of the program, at the place of its operation; any other exception is a bug."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine.primitive import REGISTRY
from gradcli.errors import EvaluationError
from gradcli.ops.pointwise import trigonometry  # noqa: F401  which declares atan2
from tests.commands import running

OF_NUMPY = [
    np.linalg.LinAlgError("no end"),
    ValueError("no end"),
    OverflowError("no end"),
    IndexError("no end"),
    FloatingPointError("no end"),
    ZeroDivisionError("no end"),
    MemoryError("no end"),
]
BUGS = [AttributeError("a slip"), EOFError("a slip"), TypeError("a slip"), KeyError("a slip"), RuntimeError("a slip")]
PROGRAM = "y = 2*x; sum(atan2(y, 3))"
SPAN = (13, 24)  # of `atan2(y, 3)`


@contextmanager
def failing(part: str, error: Exception, fails: Callable[..., bool] = lambda *values: True) -> Iterator[None]:
    """Let the forward or the first rule of a primitive raise where it is given such values."""
    primitive = REGISTRY["atan2"]
    _ = primitive.saved, primitive.saving(())  # which are read off the right rules, once
    kept = getattr(primitive, part)
    inner = kept if part == "forward" else kept[0]

    def fail(*values: Any) -> Any:
        if fails(*values):
            raise error
        return inner(*values)

    object.__setattr__(primitive, part, fail if part == "forward" else (fail, *kept[1:]))
    try:
        yield
    finally:
        object.__setattr__(primitive, part, kept)


@pytest.mark.parametrize(
    ("part", "call"),
    [("forward", "value"), ("rules", "gradient"), ("rules", "rule"), ("rules", "local")],
)
@pytest.mark.parametrize("error", OF_NUMPY, ids=lambda error: type(error).__name__)
def test_a_failure_of_numpy_has_its_place(part: str, call: str, error: Exception) -> None:
    earlier = repeat(False, 1 if call == "rule" else 2 if call == "local" else 0)
    with failing(part, error, lambda *_: next(earlier, True)), pytest.raises(EvaluationError) as caught:
        gradcli.explain(PROGRAM, x=[1.0, 2.0])
    assert caught.value.span == SPAN
    assert caught.value.source is not None


@pytest.mark.parametrize("part", ["forward", "rules"])
@pytest.mark.parametrize("error", BUGS, ids=lambda error: type(error).__name__)
def test_any_other_exception_is_a_bug(part: str, error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    with failing(part, error):
        found = running.gradcli(capsys, ["eval", PROGRAM, "x=[1,2]", "--error-format", "concise"])
    assert found.code == 70
    assert "error[E900]: a bug in gradcli" in found.err


@pytest.mark.parametrize("part", ["forward", "rules"])
def test_a_record_of_a_batch_fails_alone(
    part: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    records = "\n".join(json.dumps({"x": [k, k]}) for k in (1, 3, 2))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(records.encode())))
    with failing(part, np.linalg.LinAlgError("no end"), lambda *values: any(np.all(np.equal(v, 6)) for v in values)):
        found = running.gradcli(capsys, ["batch", PROGRAM])
    lines = [json.loads(line) for line in found.out.splitlines()]
    assert found.code == 4
    assert [line["ok"] for line in lines] == [True, False, True]
    assert lines[1]["error"]["message"] == "this cannot be computed: no end"


def test_an_assignment_has_it_at_its_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "week.toml"
    file.write_text(
        '[[question]]\nid = "a"\nprogram = "svd(A).S[0]"\nat = { A = [[nan, 1], [1, 2]] }\nask = ["dv2/dA"]\n'
    )
    found = running.gradcli(capsys, ["check", str(file), "--key"])
    assert found.code == 2
    assert f"{file}:3:12\n" in found.err
    assert "failed to converge" in found.err
