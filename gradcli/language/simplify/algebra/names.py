"""The alphabetical order of names."""

from __future__ import annotations

import re

DIGITS = re.compile(r"(\d+)")


def natural(text: str) -> list[tuple[bool, int, str]]:
    """Return a key by which x2 stands before x10, and small letters beside capitals."""
    parts = DIGITS.split(text.lower())
    return [(piece.isdigit(), int(piece) if piece.isdigit() else 0, piece) for piece in parts]
