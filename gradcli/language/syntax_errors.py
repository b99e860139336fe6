"""Makes a failure of the parser readable."""

from __future__ import annotations

from gradcli.errors import ProgramSyntaxError
from gradcli.source import Source, Span


def diagnose(source: Source, offset: int) -> ProgramSyntaxError:
    """The error for a text that the parser could not read beyond `offset`."""
    return ProgramSyntaxError(
        "E100", "this cannot be read", span=Span(offset, min(offset + 1, len(source.text))), source=source
    )
