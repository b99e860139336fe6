"""Running a snippet here and in torch, to compare what it prints."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable
from typing import Any

from gradcli.script.errors import python_class
from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.python.text.wording import worded
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
        printed.append(worded(f"Error: {python_class(error).__name__}: {error}\n"))
    return Printed("".join(printed))


def torchs(text: str) -> Printed:
    """Return what a text prints under Python 3.11, or under a later one in the words of 3.11."""
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
    return Printed(worded(printed.getvalue()).replace("PatternError", "error"))


def recorded(text: str, *, all: bool = False, write: Callable[[str], Any] = lambda text: None) -> Timeline:
    """Return the timeline of a snippet; an error that it does not catch is the last event."""
    machine = Machine(Limits(), write)
    machine.timeline = Recorder(machine, all=all)
    with contextlib.suppress(RuntimeError):
        run([Source(text, "snippet.py")], machine)
    return machine.timeline.finished()
