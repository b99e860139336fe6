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
        return Source(_read(file), "stdin" if file == "-" else file), list(arguments)
    if not arguments:
        raise UsageError(
            "E002", "there is no program", help='write one, such as gradcli eval "z=(x1+a*x2)**2" x1=1 a=2 x2=3'
        )
    first, *rest = arguments
    # a space was put before a leading minus (see cli.masked)
    return Source(first.removeprefix(" ") if first.startswith(" -") else first), rest


def _read(file: str) -> str:
    try:
        if file == "-":
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(file).open("rb") as stream:
                data = stream.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        raise UsageError("E003", f"cannot read {file}: {reason}", help="check the path after -f") from None
    if len(data) > LARGEST:
        raise UsageError(
            "E003", f"{file} is larger than {LARGEST // 2**20} MB", help="a program is a text of statements"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            "E003", f"{file} is not UTF-8 text (byte {error.start})", help="save the file as UTF-8"
        ) from None
