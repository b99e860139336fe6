"""Errors as their readers need them: a page for people, a line for editors, a document for programs."""

from __future__ import annotations

import sys

from gradcli.errors import GradcliError
from gradcli.render.text.streams import encodable
from gradcli.source import visible


def print_error(error: GradcliError, form: str) -> None:
    """`full` and `concise` go to standard error, as does `json`; `document` to standard output, for `--json`."""
    if form in ("document", "json"):
        from gradcli.render.documents.explanation import dump, error_document

        text = dump(error_document(error), ascii=True)
        print(text, file=sys.stdout if form == "document" else sys.stderr, flush=True)
        return
    lines = [concise(error)] if form == "concise" else full(error)
    print(encodable("\n".join(lines), sys.stderr), file=sys.stderr, flush=True)  # noqa: T201


def full(error: GradcliError) -> list[str]:
    """Message, place with caret, help."""
    first, *more = error.message.split("\n")
    lines = [f"error[{error.code}]: {visible(first)}", *(f"  {visible(line)}".rstrip() for line in more)]
    gutter = " "
    if error.source is not None and error.span is not None:
        excerpt = error.source.excerpt(error.span, error.label)
        gutter = " " * (len(excerpt[0]) - len(excerpt[0].lstrip()))
        lines.extend(excerpt)
    if error.help:
        lines.extend(f"{gutter} = help: {visible(line)}" for line in error.help.split("\n"))
    return lines


def concise(error: GradcliError) -> str:
    """`expression:1:3: error[E101]: unclosed '(' (help: add ')' at the end)`."""
    place = ""
    if error.source is not None and error.span is not None:
        line, column = error.source.position(error.span.start)
        place = f"{visible(error.source.name)}:{line}:{column}: "
    message = visible(" ".join(error.message.split("\n")))
    help = f" (help: {visible('; '.join(error.help.splitlines()))})" if error.help else ""
    return f"{place}error[{error.code}]: {message}{help}"
