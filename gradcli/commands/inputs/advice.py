"""Advice on a refusal that depends on where the program came from: a file, a snippet of Python, values elsewhere."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gradcli.errors import GradcliError, ProgramSyntaxError
from gradcli.source import Source, visible

SNIPPETS = (".py", ".ipynb", ".md")
IMPORT = re.compile(r"^[ \t]*(?:>>> )?(?:import|from)[ \t]+[A-Za-z_]", re.MULTILINE)
MISSING = "E201"


@contextmanager
def advised(source: Source, *, is_file: bool, is_symbolic: bool = False) -> Iterator[None]:
    """Add advice to the refusals of a program within: for Python and files another command, for values their place."""
    try:
        yield
    except GradcliError as error:
        other = better_command(source, is_file=is_file)
        if other:
            also = "" if isinstance(error, ProgramSyntaxError) or not error.help else f"{error.help}; "
            error.help = f"{also}{other}"
        elif error.code == MISSING and not is_symbolic:
            error.help += "; gradcli grad --symbolic needs no values"
            if not is_file and data_waits():
                error.help += "; gradcli batch reads values from standard input"
        raise


def better_command(source: Source, *, is_file: bool) -> str:
    """Return what to type instead for a snippet of Python, or for the name of a file in place of a program."""
    if is_file and (source.name.lower().endswith(SNIPPETS) or IMPORT.search(source.text)):
        return f"for Python type gradcli run {quoted('-' if source.name == 'standard input' else source.name)}"
    if is_file or len(source.text) > 255:
        return ""
    name = source.text.strip()
    with suppress(OSError, ValueError):
        if Path(name).is_file():
            command = "run" if name.lower().endswith(SNIPPETS) else "eval -f"
            return f"{visible(name)} is a file: type gradcli {command} {quoted(name)}"
    return "Python runs from a file: type gradcli run FILE" if IMPORT.search(source.text) else ""


def quoted(name: str) -> str:
    import shlex

    return visible(shlex.quote(name))


def data_waits() -> bool:
    """Return whether standard input holds data, of which nothing is taken."""
    import array

    with suppress(OSError, ValueError, AttributeError, ImportError):
        from fcntl import ioctl
        from termios import FIONREAD

        descriptor = sys.stdin.fileno()
        facts = os.fstat(descriptor)
        if stat.S_ISREG(facts.st_mode):
            return facts.st_size > os.lseek(descriptor, 0, os.SEEK_CUR)
        if stat.S_ISFIFO(facts.st_mode) or stat.S_ISSOCK(facts.st_mode):
            count = array.array("i", [0])
            ioctl(descriptor, FIONREAD, count)
            return count[0] > 0
    return False
