"""Running a snippet here and in torch, to compare what it prints."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import warnings
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from gradcli.script.errors import python_class
from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.python.text.wording import snippet_wording
from gradcli.script.timeline.model import Timeline
from gradcli.script.timeline.recorder import Recorder
from gradcli.source import Source
from tests.script.printed import Printed


def ours(text: str, limits: Limits | None = None, *, listen: bool = False) -> Printed:
    """What the snippet prints here; an exception that it does not catch is the last line."""
    printed: list[str] = []
    machine = Machine(limits or Limits(), printed.append)
    machine.timeline = Recorder(machine) if listen else None
    try:
        run([Source(text, "snippet.py")], machine)
    except Exception as error:
        printed.append(snippet_wording(f"Error: {python_class(error).__name__}: {error}\n"))
    return Printed("".join(printed))


def torchs(text: str) -> Printed:
    """Return what a text prints under Python 3.11, or under a later one in the words of 3.11.

    Where it needs torch and there is none, return what torch was recorded to print (`python -m tests.script.record`);
    where there is torch, hold the record up to it, but for last digits, which are the processor's.
    """
    if "torch" not in text:
        return python_prints(text)
    key = sha256(text.encode()).hexdigest()[:16]
    told = records().get(key)
    if find_spec("torch") is None:
        return Printed(told) if told is not None else pytest.skip("needs torch, for no record was made of this")
    printed = python_prints(text)
    met[key] = ADDRESS.sub("0x7f0000000000", printed)
    if told is not None and not is_recording():
        assert Printed(told) == Printed(met[key]), "record anew"
    return printed


RECORD = Path(__file__).parent / "goldens" / "printed.json"
ADDRESS = re.compile("0x[0-9a-f]{6,}")  # of an object, which another run has elsewhere
met: dict[str, str] = {}  # what torch has printed in this process, by the key of the text


@cache
def records() -> dict[str, str]:
    found: dict[str, str] = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    return found


def is_recording() -> bool:
    return "GRADCLI_RECORD" in os.environ


def python_prints(text: str) -> Printed:
    printed = io.StringIO()
    variables: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(text, "snippet.py", "exec", dont_inherit=True), variables)
        except Exception as error:
            print(f"Error: {type(error).__name__}: {error}")
    if "torch.compile(" in text:  # which switches off for the whole process what a distribution checks
        variables["torch"].distributions.Distribution.set_default_validate_args(True)
    return Printed(snippet_wording(printed.getvalue()).replace("PatternError", "error"))


def recorded(text: str, *, all: bool = False, write: Callable[[str], Any] = lambda text: None) -> Timeline:
    """Return the timeline of a snippet; an error that it does not catch is the last event."""
    machine = Machine(Limits(), write)
    machine.timeline = Recorder(machine, all=all)
    with contextlib.suppress(RuntimeError):
        run([Source(text, "snippet.py")], machine)
    return machine.timeline.finished()
