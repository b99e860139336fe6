"""Running a command line inside the test process, and pages as snapshots."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gradcli.cli import run
from gradcli.render.documents.schemas import schema
from tests.commands.served import ROOT as ROOT

SNAPSHOTS = Path(__file__).parent / "snapshots"


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


def gradcli(capsys: pytest.CaptureFixture[str], arguments: str | Sequence[str]) -> Result:
    """Run `gradcli ARGUMENTS`; a text is split as a shell does."""
    argv = shlex.split(arguments) if isinstance(arguments, str) else list(arguments)
    capsys.readouterr()
    code = run(argv)
    captured = capsys.readouterr()
    return Result(code, captured.out, captured.err)


# A process inherits the peak that getrusage tells from its parent; the kernel's own count starts anew.
PEAK = """
import pathlib, resource, sys
from gradcli.__main__ import run_watched
code = run_watched(sys.argv[1:])
status = pathlib.Path("/proc/self/status")
lines = status.read_text().splitlines() if status.exists() else []
peaks = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
peaks.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.stderr.write(f"peak {max(peaks)}")
sys.exit(code)
"""


@cache
def validator(name: str) -> Any:
    return jsonschema.Draft202012Validator(json.loads(schema(name)))


def document(text: str) -> dict[str, Any]:
    """The one JSON document that a text is, after the schema that it names."""
    found: dict[str, Any] = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    validator(found["schema"].removeprefix("gradcli.").partition("/")[0]).validate(found)
    return found


def snapshot(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    """Compare a page with its file: the command line, the exit code, both streams.

    GRADCLI_RECORD=1 writes it anew; read the difference.
    """
    recorded = file.read_text(encoding="utf-8")
    command = recorded.partition("\n")[0].removeprefix("$ ")
    assert command.startswith("gradcli ")
    result = gradcli(capsys, command.removeprefix("gradcli "))
    actual = f"$ {command}\n" + "".join(_parts(result))
    if os.environ.get("GRADCLI_RECORD"):
        file.write_text(actual, encoding="utf-8")
    assert actual == recorded


def _parts(result: Result) -> Iterator[str]:
    yield f"--- exit code {result.code}\n"
    if result.out:
        yield f"--- standard output\n{result.out}"
    if result.err:
        yield f"--- standard error\n{result.err}"
