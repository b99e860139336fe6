"""Whole commands in forks of this process, which has loaded them: twenty times as many as fresh interpreters run."""

from __future__ import annotations

import os
import resource
import signal
import sys
from pathlib import Path

from tests.fuzz.case import Case, Outcome
from tests.fuzz.running import Captured, empty, write

SECONDS = 60  # of the processor that no command takes


def forked(case: Case, streams: Captured) -> Outcome:
    """Run `main` on a case in a fork, from its streams to its exit code, with the children that it makes itself."""
    for name, content in case.files:
        write(Path(name), content)
    pid = os.fork()
    if not pid:
        _live(case, streams)
    _, status, used = os.wait4(pid, 0)
    seconds, code = used.ru_utime + used.ru_stime, os.waitstatus_to_exitcode(status)
    out, err = (os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0) for file in streams.files[1:])
    empty(Path())
    end = f"crash: {signal.Signals(-code).name}" if code < 0 else ""
    return Outcome(code, out, err, seconds, 0, end)


def _live(case: Case, streams: Captured) -> None:
    """End as the interpreter does."""
    code = 70
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        streams.open(case.stdin, case.columns)
        os.environ["COLUMNS"] = str(case.columns or 80)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["gradcli", *case.argv]
        from gradcli.__main__ import main

        main()
    except SystemExit as stop:
        code = int(stop.code or 0)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)
