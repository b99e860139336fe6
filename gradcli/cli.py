"""The command line: plain ones are run here, and it is the one place where an error becomes an exit code."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from typing import Any

from gradcli import __version__
from gradcli.errors import CODES, EvaluationError, GradcliError, InternalError, UsageError
from gradcli.guard import guard
from gradcli.source import visible
from gradcli.workers.confinement import UnwalledError
from gradcli.workers.interruption import INTERRUPTED, was_heard
from gradcli.workers.limits import no_more_files

BROKEN_PIPE = 141

TOUR = """\
gradcli explains how gradients come about. Five commands to paste:

  gradcli eval "s=x**2; p=s+1; m=s-1; q=p*m" x=2
      every step: values forward, local derivatives, and the chain rule backward
  gradcli eval "s=x**2; p=s+1; m=s-1; q=p*m" x=2 -o lesson.html
      the same as a page to step through, with what the gradient means and sliders; open lesson.html in a browser
  gradcli trace "s=x**2; p=s+1; m=s-1; q=p*m" x=2 --paths
      every path from q down to x, its product, and their sum
  gradcli why "log(exp(x) + exp(y))" x=1000 y=1001
      why a gradient is nan: the cause, and what to write instead (also: gradcli why FILE.py)
  gradcli practice chain
      exercises with fresh numbers, and the mistake behind a wrong answer

gradcli --help lists all commands, and gradcli COMMAND --help tells of one.
"""
PLAIN = ("eval", "grad", "trace", "verify", "run")  # of these a line without other options needs no typer


def run(argv: Sequence[str]) -> int:
    """Run one command line; returns the exit code (the table is in the README)."""
    guard.is_strict |= "--debug" in argv
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = show_warning
            if argv[:1] == ["help"] and argv[1:2] and re.fullmatch(r"[Ee]\d+", argv[1]):
                print_code(argv[1].upper())
                return 0
            if list(argv) == ["--version"]:
                sys.stdout.write(f"gradcli {__version__}\n")
                sys.stdout.flush()  # which tells of a full disk
                return 0
            if not argv and "_GRADCLI_COMPLETE" not in os.environ:  # by which a shell asks what comes next
                sys.stdout.write(TOUR)
                return 0
            if is_plain(argv):
                code = plain(argv)
            else:
                from gradcli.commands.parsing import parsed

                code = parsed(argv)
        sys.stdout.flush()
        return int(code or 0)
    except GradcliError as error:
        return report(error, argv)
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as stop:  # typer's answer to a request for completion, and to a broken pipe
        return unwritten(BrokenPipeError(), argv) if stop.code else 0
    except OSError as error:
        return unwritten(error, argv)
    except UnwalledError as error:
        return report(InternalError(str(error)), argv)
    except (MemoryError, SystemError):  # a library in C that has no memory to say so raises the second
        return report(EvaluationError("E210", "this needs more memory than there is", help="try a smaller size"), argv)
    except Exception as error:
        return report(no_more_files(error) or internal_error(error), argv)


def is_plain(argv: Sequence[str]) -> bool:
    """Tell whether a command line is a command, words that are no options, and perhaps --json."""
    name, *words = argv or [""]
    words_left = [word for word in words if word != "--json"]
    is_short = len(words_left) == 1 if name == "run" else bool(words_left)
    is_free = not any(word.startswith("-") for word in words_left) and words.count("--json") < 2
    return name in PLAIN and is_short and is_free and "_GRADCLI_COMPLETE" not in os.environ


def plain(argv: Sequence[str]) -> int | None:
    """Run a plain command line, with the values that all options have by themselves."""
    from gradcli.commands.inputs.programs import Program
    from gradcli.commands.options import Formed, Limited, Output, Picture

    words, is_json = [word for word in argv[1:] if word != "--json"], "--json" in argv
    kinds: dict[str, Callable[[], Any]] = {
        "Program": lambda: Program(words),
        "Formed": lambda: Formed(json=is_json),
        "Output": lambda: Output(json=is_json),
        "Picture": Picture,
        "Limited": Limited.usual,
    }
    command = import_module(f"gradcli.commands.{argv[0]}").command
    groups = {name: kinds[kind]() for name, kind in command.__annotations__.items() if kind in kinds}
    code: int | None = command(**groups) if "program" in groups else command(words[0], **groups)
    return code


def unwritten(error: OSError, argv: Sequence[str]) -> int:
    """Return the exit code for output that cannot be written: quiet where its reader went away, else an error."""
    with suppress(OSError, ValueError):  # what is still buffered goes nowhere, or the interpreter complains at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE
    reason = error.strerror or "the stream is closed"
    refusal: GradcliError = UsageError("E011", f"cannot write the output: {reason}", help="write to another place")
    if scarce := no_more_files(error):
        error.__traceback__, refusal = None, scarce  # whose frames hold files
    elif error.filename == os.devnull:
        refusal = EvaluationError("E210", f"{os.devnull} cannot be opened: {reason}", help="the system is to have one")
    return report(refusal, argv, is_document=False)


def show_warning(message: Warning | str, *place: Any, **stream: Any) -> None:
    """Print a warning, of torch or of bindings that the program does not use, as a line without a place in code."""
    from gradcli.render.text.streams import warn

    warn(str(message))


def print_code(code: str) -> None:
    """Print what an error of this code is about."""
    if code not in CODES:
        raise UsageError("E001", f"no error has the code {code}", help="a code stands in brackets: error[E301]")
    sys.stdout.write(f"{code}: {CODES[code]}\n")


def internal_error(error: Exception) -> GradcliError:
    """Return the error for a bug, which names its place and asks for a report."""
    import traceback

    frame = traceback.extract_tb(error.__traceback__)[-1]
    bug = InternalError(f"{type(error).__name__} in {frame.name}: {error}")
    bug.__cause__ = error
    return bug


def report(error: GradcliError, argv: Sequence[str], *, is_document: bool = True) -> int:
    """Print an error where its reader looks for it: standard output where that has documents, else standard error."""
    if was_heard():
        return INTERRUPTED
    try:
        from gradcli.commands.forms import asked
        from gradcli.render.text.error import print_error
    except OSError:  # no file can be opened, not even a module's
        sys.stderr.write(f"error[{error.code}]: {visible(error.message)}\n")
        return error.exit_code
    is_document = is_document and asked(argv) == "json"
    if "--debug" in argv:
        import traceback

        traceback.print_exception(error)
    chosen = [b for a, b in pairwise(argv) if a == "--error-format"]
    chosen += [a.partition("=")[2] for a in argv if a.startswith("--error-format=")]
    try:
        print_error(error, "document" if is_document else chosen[-1] if chosen else "full")
    except OSError as failure:
        if is_document:
            return unwritten(failure, argv)
        with suppress(OSError, ValueError):  # nobody can read it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return error.exit_code
