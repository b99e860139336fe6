"""Commands as processes, which a server forks: most of a short command is the start of Python and of modules.

`SERVED` is a command line as `[sys.executable, "-m", "gradcli"]` is, for `subprocess`, for terminals and for shells.
Its process is a small one, which gives its streams, folder and variables to the server and ends as the command does.
What is about the start itself (variables of Python, limits of a process, modules, signals) has `COMMAND`.
"""

from __future__ import annotations

import atexit
import os
import shlex
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-m", "gradcli"]
ASK = [sys.executable, "-I", "-S", str(Path(__file__).with_name("asking.py"))]


# What signals that end a process do in one that was begun in the foreground.
HANDLERS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL}


def served() -> list[str]:
    return [*program(), "from gradcli.__main__ import main; main()"]


def program() -> list[str]:
    """A command line that takes a program of Python, as `python -c` does."""
    return [*ASK, _server(os.getpid())]


def in_shell() -> str:
    return shlex.join(served())


@cache
def _server(owner: int) -> str:
    """Start the server of a process, which ends with it, and return where it is asked."""
    process, place = started()
    atexit.register(process.communicate)
    return place


def started() -> tuple[subprocess.Popen[str], str]:
    """Start a server, and return it with where it is asked."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.commands.served.server"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()
