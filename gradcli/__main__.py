"""`python -m gradcli`, and the console script."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line and exit with its code."""
    gc.disable()  # a command lives briefly and makes no cycles worth collecting; collections would cost it a third
    try:
        from gradcli.cli import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # so early, or so late, that `run` did not see it
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
