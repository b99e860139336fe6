"""Where a program comes from: the command line, a file, standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from gradcli.errors import UsageError
from gradcli.source import Source

LARGEST = 16 * 2**20  # bytes of a program; a longer text is no program


def read_program(arguments: Sequence[str], file: str | None) -> tuple[Source, list[str]]:
    """The program and the arguments after it."""
    if file is not None:
        name = "standard input" if file == "-" else unmasked(file)
        return Source(read_text(unmasked(file), name, help="check the path after -f"), name), [
            unmasked(argument) for argument in arguments
        ]
    if not arguments:
        raise UsageError(
            "E002", "there is no program", help='write one, such as gradcli eval "z=(x1+a*x2)**2" x1=1 a=2 x2=3'
        )
    first, *rest = arguments
    return Source(unmasked(first)), [unmasked(argument) for argument in rest]


def unmasked(argument: str) -> str:
    """The argument without the space that `cli.masked` puts before a leading minus."""
    return argument[1:] if argument.startswith(" -") else argument


def read_text(file: str, name: str, *, help: str) -> str:
    """The text of a file, or of standard input for `-`; UsageError, with the help given, where there is none."""
    try:
        if file == "-" and sys.stdin is None:
            raise ValueError(file)
        if file == "-":
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(file).open("rb") as stream:
                data = stream.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or ("it is closed" if file == "-" else "not a file name")
        raise UsageError("E003", f"cannot read {name}: {reason}", help=help) from None
    if len(data) > LARGEST:
        raise UsageError(
            "E003", f"{name} is larger than {LARGEST // 2**20} MB", help="a program is a text of statements"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            "E003", f"{name} is not UTF-8 text (byte {error.start})", help="save the file as UTF-8"
        ) from None
