"""`python -m gradcli`, which tells when it begins, and may harm itself or a worker when it comes to a line.

The environment holds the plan, and the plan one of: lines to be counted, or a line at which a signal is sent.
"""

from __future__ import annotations

import inspect
import json
import multiprocessing
import os
import resource
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import gradcli.__main__ as program
from tests.workers.processes import children

PLAN = "GRADCLI_FAULT"
BEGUN, HARMED = b"b", b"h"  # what it tells
# The lines of gradcli's own process, and of the parts of Python on which a clean end depends.
PLACES = (str(Path(program.__file__).parent), str(Path(multiprocessing.__file__).parent))
FILES = ("gzip.py", "contextlib.py", "threading.py")


class Lines:
    """Counts the lines that this process comes to, or sends a signal at one of them."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.counts: Counter[str] = Counter()
        self.pid = os.getpid()
        self.trace: Any = self.called

    def start(self) -> None:
        os.register_at_fork(before=lambda: sys.settrace(None), after_in_parent=lambda: sys.settrace(self.trace))
        frame = sys._getframe(2)
        sys.settrace(self.called)
        while frame is not None:
            frame.f_trace = self.called(frame, "call", None)
            frame = frame.f_back  # type: ignore[assignment]

    def called(self, frame: FrameType, event: str, _: Any) -> Any:
        """Look at the lines of a function, not at those of a module or a class, which run when it is imported."""
        code = frame.f_code
        name = code.co_filename
        if "line" in self.plan:
            is_wanted = name == self.plan["line"].rpartition(":")[0]
        else:
            is_wanted = name.startswith(PLACES) or name.endswith(FILES)
        return self.reached if is_wanted and code.co_flags & inspect.CO_OPTIMIZED else None

    def reached(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
            self.counts[place] += 1
            if place == self.plan.get("line") and self.counts[place] >= self.plan["count"]:
                self.harm()
        return self.reached

    def harm(self) -> None:
        """Send the signal, unless there is no worker, or the command is over and hears no more."""
        whom, number = self.plan["whom"], self.plan["signal"]
        targets = children(self.pid)[:1] if whom == "worker" else [self.pid if whom == "self" else 0]
        if targets and (whom == "worker" or signal.getsignal(number) is not signal.SIG_IGN):
            self.trace = None
            sys.settrace(None)
            os.write(self.plan["told"], HARMED)
            os.kill(targets[0], number)

    def write(self) -> None:
        Path(self.plan["lines"]).write_text(json.dumps(self.counts), "utf-8")


def main() -> None:
    plan = json.loads(os.environ.pop(PLAN))
    lines = Lines(plan)
    done = program.run_watched

    def begin(argv: list[str]) -> int:
        if "space" in plan:
            resource.setrlimit(resource.RLIMIT_FSIZE, (plan["space"], resource.RLIM_INFINITY))
        os.write(plan["told"], BEGUN)
        if "line" in plan or "lines" in plan:
            lines.start()
        return done(argv)

    program.run_watched, program.end = begin, sys.exit  # not at once: the lines are written first
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored in the background
    try:
        program.main()
    finally:
        if "lines" in plan:
            sys.settrace(None)
            lines.write()


if __name__ == "__main__":
    main()
