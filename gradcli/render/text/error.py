"""Errors as their readers need them: a page for people, a line for editors, a document for programs."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from gradcli.errors import GradcliError
from gradcli.render.text.streams import encodable
from gradcli.source import visible


def print_error(error: GradcliError, form: str) -> None:
    """`full` and `concise` go to standard error, as does `json`; `document` to standard output, for `--json`."""
    if form in ("document", "json"):
        print_facts(error.facts(), sys.stdout if form == "document" else sys.stderr)
        return
    lines = [concise(error)] if form == "concise" else full(error)
    print(encodable("\n".join(lines), sys.stderr), file=sys.stderr, flush=True)  # noqa: T201


def print_failure(facts: dict[str, Any], form: str) -> None:
    """Print the error of a record on standard error: a table has no place for it."""
    if form == "json":
        print_facts(facts, sys.stderr)
        return
    message = f"line {facts['line']}: {facts['message']}"
    print_error(GradcliError(facts["code"], message, help=facts["help"] or ""), form)


def print_facts(facts: dict[str, Any], stream: TextIO) -> None:
    """Print an error as a document."""
    from gradcli.stream.values import dump

    print(dump(error_document(facts), ascii=True), file=stream, flush=True)


def error_document(facts: dict[str, Any]) -> dict[str, Any]:
    """Return the document of an error, schema `gradcli.error/1`."""
    return {"schema": "gradcli.error/1", "ok": False, "error": facts}


def full(error: GradcliError) -> list[str]:
    """Message, place with caret, help."""
    facts = error.facts()
    first, *more = facts["message"].split("\n")
    lines = [f"error[{error.code}]: {visible(first)}", *(f"  {visible(line)}".rstrip() for line in more)]
    gutter = " "
    if error.source is not None and error.span is not None:
        excerpt = error.source.excerpt(error.span, error.label)
        gutter = " " * (len(excerpt[0]) - len(excerpt[0].lstrip()))
        lines.extend(excerpt)
    if facts["help"]:
        lines.extend(f"{gutter} = help: {visible(line)}" for line in facts["help"].split("\n"))
    return lines


def concise(error: GradcliError) -> str:
    """`expression:1:3: error[E101]: unclosed '(' (help: add ')' at the end)`."""
    place, facts = "", error.facts()
    if error.source is not None and error.span is not None:
        place = f"{visible(error.source.name)}:{facts['line']}:{facts['column']}: "
    message = visible(" ".join(facts["message"].split("\n")))
    help = f" (help: {visible('; '.join(facts['help'].splitlines()))})" if facts["help"] else ""
    return f"{place}error[{error.code}]: {message}{help}"
