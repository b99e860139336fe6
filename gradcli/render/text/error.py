"""Errors as their readers need them: a page for people, a line for editors, a document for programs."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from gradcli.errors import GradcliError
from gradcli.render.text.looks import terminal_width
from gradcli.render.text.streams import encodable
from gradcli.source import Source, Span, visible, width

LONGEST = 100  # columns of a line of source that an excerpt keeps around the caret


def print_error(error: GradcliError, form: str) -> None:
    """`full` and `concise` go to standard error, as does `json`; `document` to standard output, for `--json`."""
    if form in ("document", "json"):
        print_facts(error.facts(), sys.stdout if form == "document" else sys.stderr)
        return
    lines = [concise(error)] if form == "concise" else full(error, terminal_width(sys.stderr))
    print(encodable("\n".join(lines), sys.stderr), file=sys.stderr, flush=True)  # noqa: T201


def print_failure(facts: dict[str, Any], name: str, form: str) -> None:
    """Print the error of a record on standard error: a table has no place for it."""
    if form == "json":
        print_facts(facts, sys.stderr)
        return
    error = GradcliError(facts["code"], facts["message"], help=facts["help"] or "")
    if form == "concise":
        print(encodable(f"{visible(name)}:{facts['line']}: {concise(error)}", sys.stderr), file=sys.stderr)  # noqa: T201
        return
    error.message = f"line {facts['line']}: {error.message}"
    print_error(error, form)


def print_facts(facts: dict[str, Any], stream: TextIO) -> None:
    """Print an error as a document."""
    from gradcli.stream.values import dump

    print(dump(error_document(facts), ascii=True), file=stream, flush=True)


def error_document(facts: dict[str, Any]) -> dict[str, Any]:
    """Return the document of an error, schema `gradcli.error/1`."""
    return {"schema": "gradcli.error/1", "ok": False, "error": facts}


def full(error: GradcliError, most: int | None = None) -> list[str]:
    """Message, place with caret, help, on lines of at most so many columns."""
    facts = error.facts()
    first, *more = facts["message"].split("\n")
    lines = [f"error[{error.code}]: {visible(first)}", *(f"  {visible(line)}".rstrip() for line in more)]
    lines = [part for line in lines for part in lines_of(line, most)]
    gutter = " "
    if error.source is not None and error.span is not None:
        shown = excerpt(error.source, error.span, error.label, most)
        gutter = " " * (len(shown[0]) - len(shown[0].lstrip()))
        lines.extend(shown)
    for line in facts["help"].split("\n") if facts["help"] else ():
        lines.extend(lines_of(f"{gutter} = help: {visible(line)}", most, hang=len(gutter) + 3))
    return lines


def lines_of(text: str, most: int | None, hang: int = 2) -> list[str]:
    """Return the lines of a text on a terminal; elsewhere nothing is imported for it."""
    if most is None:
        return [text]
    from gradcli.render.text import wrapping

    return wrapping.lines_of(text, most, hang)


def excerpt(source: Source, span: Span, label: str = "", most: int | None = None) -> list[str]:
    """Return the lines that show a span: place, the source line, and carets with the label."""
    line, column = source.position(span.start)
    text, start = source.line(line), column - 1
    end = max(start + 1, min(len(text), start + span.end - span.start))
    gutter = " " * len(str(line))
    room = LONGEST if most is None else min(LONGEST, most - len(gutter) - 3)
    first, last = window(text, start, room)
    head, tail = "..." * (first > 0), "..." * (last < len(text))
    indent = " " * (len(head) + width(visible(text[first:start])))
    caret = "^" * max(1, width(visible(text[start : min(end, last)])))
    under = f"{indent}{caret} {label}".rstrip()
    carets = [under] if most is None or width(under) <= room else [indent + caret, *lines_of(label, room)]
    return [
        *lines_of(f"{gutter}--> {visible(source.name)}:{line}:{column}", most),
        f"{gutter} |",
        f"{line} | {head}{visible(text[first:last])}{tail}",
        *(f"{gutter} | {under}" for under in carets),
    ]


def window(text: str, start: int, room: int) -> tuple[int, int]:
    """Return the part of a line around a place that fits, cut between tokens where one is narrow enough."""
    if width(visible(text)) <= room:
        return 0, len(text)
    from gradcli.render.text.wrapping import TOKEN

    room -= 6  # for dots at both ends
    low, high = max(0, start - room), min(len(text), start + room)
    cuts = {low + token.start() for token in TOKEN.finditer(text[low:high])} - ({low} if low else set())
    cuts |= {start, len(text)} if high == len(text) else {start}
    for first in sorted(cut for cut in cuts if cut <= start and width(visible(text[cut:start])) * 2 <= room):
        fitting = [cut for cut in cuts if cut > start and width(visible(text[first:cut])) <= room]
        if fitting:
            return first, max(fitting)
    inside = (cut for cut in range(start + 1, high) if width(visible(text[start:cut])) <= room)
    return start, max(inside, default=start + 1)


def concise(error: GradcliError) -> str:
    """`expression:1:3: error[E101]: unclosed '(' (help: add ')' at the end)`."""
    place, facts = "", error.facts()
    if error.source is not None and error.span is not None:
        place = f"{visible(error.source.name)}:{facts['line']}:{facts['column']}: "
    message = visible(" ".join(facts["message"].split("\n")))
    help = f" (help: {visible('; '.join(facts['help'].splitlines()))})" if facts["help"] else ""
    return f"{place}error[{error.code}]: {message}{help}"
