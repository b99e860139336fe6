"""Writing results: one JSON document, or text."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from gradcli.explanation.model import Note


def print_document(document: dict[str, Any]) -> None:
    """Print one JSON document and nothing else on standard output; indented where a person looks."""
    from gradcli.render.text.looks import is_unicode
    from gradcli.stream.values import dump

    text = dump(document, ascii=not is_unicode(sys.stdout), indent=2 if sys.stdout.isatty() else None)
    sys.stdout.write(text + "\n")


def print_long_document(document: dict[str, Any], key: str, items: Iterable[dict[str, Any]]) -> None:
    """Print a document with items for the list of this key, empty in it: as texts they need the least memory."""
    from gradcli.render.text.looks import is_unicode
    from gradcli.stream.values import dump

    if sys.stdout.isatty():
        print_document(document | {key: list(items)})
        return
    ascii = not is_unicode(sys.stdout)
    before, after = dump(document, ascii=ascii).split(f'"{key}": []')  # inside a string the quotes would be escaped
    texts = [dump(item, ascii=ascii) for item in items]  # all of them before any is written: one may be refused
    sys.stdout.write(f'{before}"{key}": [')
    sys.stdout.writelines(f"{', ' * (number > 0)}{text}" for number, text in enumerate(texts))
    sys.stdout.write(f"]{after}\n")


def print_text(text: str) -> None:
    """Print text on standard output, with escapes for characters that the stream cannot encode."""
    if not text:
        return
    sys.stdout.write(encodable(text, sys.stdout) + "\n")


def print_aside(text: str) -> None:
    """Print text on standard error, where standard output has something else."""
    sys.stderr.write(encodable(text, sys.stderr) + "\n")


def warn(message: str) -> None:
    """Print a warning on standard error."""
    from gradcli.errors import shortened
    from gradcli.source import visible

    sys.stderr.write(fitting(f"warning: {encodable(visible(shortened(message)), sys.stderr)}\n", sys.stderr))


def print_notes(notes: Iterable[Note]) -> None:
    """Print notes on standard error, where standard output is for scripts or has a picture."""
    from gradcli.source import visible

    for note in notes:
        sys.stderr.write(fitting(f"note: {encodable(visible(note.message), sys.stderr)}\n", sys.stderr))


def print_missing(facts: Any) -> None:
    """Print what is missing of an explanation, beside a form that has no notes; other facts have their own."""
    print_notes(note for note in getattr(facts, "notes", ()) if note.code == "internal")


def fitting(text: str, stream: TextIO) -> str:
    """Return a text with its lines broken between words where the stream is a terminal."""
    from gradcli.render.text.looks import terminal_width

    width = terminal_width(stream)
    if width is None:
        return text
    from gradcli.render.text.wrapping import lines_of

    return "\n".join(part for line in text.split("\n") for part in lines_of(line, width))


def encodable(text: str, stream: TextIO) -> str:
    """Return the text with escapes for characters that the stream cannot encode; a terminal gets colours alone.

    A process in which a stranger was at work may have made it.
    """
    if stream.isatty():
        from gradcli.workers.relay import without_controls

        text = without_controls(text)
    encoding = stream.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
