"""`python -m gradcli`, and the console script."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any


def main() -> None:
    """Run the command line and exit with its code."""
    gc.disable()  # collections would cost a command 5 %, and a long program 10 to 15 %
    sys.unraisablehook = interrupted_again
    # Threads of numpy's library take a tenth of a command to start, and wait for each other on busy cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from gradcli.cli import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # so early, or so late, that `run` did not see it
        code = 130
    gc.freeze()  # or the interpreter's end looks through all that was imported: 18 % of a short command
    sys.exit(code)


def interrupted_again(dropped: Any) -> None:
    """Interrupt again a moment after Ctrl-C came in a destructor or the like, where Python drops exceptions."""
    if dropped.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(dropped)
        return
    import signal
    import threading
    from _thread import interrupt_main

    def interrupt() -> None:
        if hasattr(signal, "pthread_kill"):  # which also ends a wait
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            interrupt_main()

    again = threading.Timer(0.01, interrupt)
    again.daemon = True
    again.start()


if __name__ == "__main__":
    main()
