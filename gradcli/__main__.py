"""`python -m gradcli`, and the console script."""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # the folder one stands in, with files of strangers: a `copy.py` there is no module of ours

import gc
import io
import os
from typing import Any, NoReturn

from gradcli.workers.interruption import INTERRUPTED, end_interrupted, finish, listen, was_heard


def main() -> None:
    """Run the command line and exit with its code, or by the signal that ended it."""
    try:
        listen()
        open_streams()
        gc.disable()  # collections would cost a command 5 %, and a long program 10 to 15 %
        sys.unraisablehook = interrupted_again
        os.environ.update(ONE_THREAD)
        code = run_watched(sys.argv[1:])
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        finish()
    except KeyboardInterrupt:  # perhaps so early, or so late, that `run` did not see it
        end_interrupted()
    end(code)


def end(code: int) -> NoReturn:
    """End this process; Python would take all apart that was imported first, a tenth of a short command."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # Python reports it itself
        sys.exit(code)
    os._exit(code)


# Of numpy's library: a process that has locked itself starts none. They would take a tenth of a command, too.
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
HAVE_ITEMS = ("check", "batch", "practice")  # with children of their own, one item after the other
HARMLESS = ("ops", "schema", "help")  # take nothing from strangers, as options before a command do


def run_watched(argv: list[str]) -> int:
    """Run a command line, in a child that is watched where the system has children, and return the exit code."""
    name = argv[0] if argv else "-"
    if name in HARMLESS or name.startswith("-"):
        return run(argv)
    from gradcli.workers.confinement import need_walls

    need_walls()
    if name in HAVE_ITEMS or not hasattr(os, "fork"):
        return run(argv)
    from gradcli.commands.forms import TEXTS, asked
    from gradcli.errors import GradcliError
    from gradcli.workers.watch import run_in_child

    try:
        return run_in_child(lambda: run(argv), is_document=asked(argv) not in TEXTS)
    except GradcliError as error:
        from gradcli.cli import report

        return report(error, argv)
    except OSError as error:
        from gradcli.cli import unwritten

        return unwritten(error, argv)


def run(argv: list[str]) -> int:
    from gradcli.cli import run

    return run(argv)


def open_streams() -> None:
    """Open streams that lead nowhere in place of closed ones, and a buffer for one without.

    Without a buffer (PYTHONUNBUFFERED) Python loses, and says nothing, what a full disk does not take of a text.
    """
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if isinstance(sys.stdout.buffer, io.RawIOBase):
        encoding, errors = sys.stdout.encoding, sys.stdout.errors
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(sys.stdout.detach()), encoding, errors, line_buffering=True)
        sys.__stdout__ = sys.stdout  # type: ignore[misc]  # which is asked for the width of the terminal


def interrupted_again(dropped: Any) -> None:
    """Interrupt again a moment after Ctrl-C came in a destructor or the like, where Python drops exceptions.

    Of memory that ends there nothing is said: that it has ended is said where it is asked for next.
    """
    if dropped.exc_type is MemoryError:
        return
    if dropped.exc_type is not KeyboardInterrupt:
        if not was_heard():
            sys.__unraisablehook__(dropped)
        return
    import signal
    import threading
    import time
    from _thread import interrupt_main

    left = threading.Event()

    def interrupt() -> None:
        left.wait()  # in this very function it would be dropped again
        time.sleep(0.01)
        if hasattr(signal, "pthread_kill"):  # which also ends a wait
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            interrupt_main()

    threading.Thread(target=interrupt, daemon=True).start()
    left.set()


if __name__ == "__main__":
    main()
