"""Writing results: one JSON document, or text."""

from __future__ import annotations

import sys
from typing import Any, TextIO


def print_document(document: dict[str, Any]) -> None:
    """One JSON document and nothing else on standard output; indented where a person looks."""
    from gradcli.render.document import dump
    from gradcli.render.looks import is_unicode

    text = dump(document, ascii=not is_unicode(sys.stdout), indent=2 if sys.stdout.isatty() else None)
    sys.stdout.write(text + "\n")


def print_text(text: str) -> None:
    """Text on standard output; what the stream cannot encode is written as an escape."""
    if not text:
        return
    sys.stdout.write(encodable(text, sys.stdout) + "\n")


def warn(message: str) -> None:
    """A warning on standard error."""
    from gradcli.source import visible

    sys.stderr.write(f"warning: {encodable(visible(message), sys.stderr)}\n")


def encodable(text: str, stream: TextIO) -> str:
    """The text with escapes for what the stream cannot encode."""
    encoding = stream.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
