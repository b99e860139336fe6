"""Mistakes that a teacher adds: a formula for the wrong number, and the sentence about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gradcli.errors import GradcliError
from gradcli.facts import dataclass
from gradcli.homework.assignment.places import Table
from gradcli.language.parser import parse_expression
from gradcli.language.tree import Expression
from gradcli.source import Source, Span

KEYS = ("of", "is", "say", "code", "question")
EXAMPLE = 'write [[mistake]], and below it of = "dL/dZ", is = "2*(Z - Y)/3", say = "you divided by the batch"'


@dataclass(frozen=True, slots=True)
class OwnMistake:
    """A wrong formula for the quantity `of`, in one question, or in each that asks for it; `text` is the formula."""

    of: str
    text: str
    tree: Expression
    say: str
    code: str
    question: str
    span: Span


def read_mistakes(assignment: Table, questions: Mapping[str, tuple[str, ...]]) -> Iterator[OwnMistake]:
    """Yield the mistakes of an assignment; `questions` are the quantities asked for, by question.

    Raises UsageError, at the place of the fault, for one that cannot be used.
    """
    tables = assignment.get("mistake", [])
    if not isinstance(tables, list):
        raise assignment.refuse_key("mistake is no list of tables", EXAMPLE, "mistake")
    for number, values in enumerate(tables):
        if not isinstance(values, dict):
            raise assignment.refuse_key("a mistake is a table", EXAMPLE, "mistake", number)
        yield read_mistake(assignment.inner(values, "mistake", number), questions)


def read_mistake(table: Table, questions: Mapping[str, tuple[str, ...]]) -> OwnMistake:
    table.known(KEYS, "a mistake")
    texts = {key: table.get(key, "") for key in KEYS}
    for key, text in texts.items():
        if not isinstance(text, str) or (key in ("of", "is", "say") and not text.strip()):
            raise table.refuse(
                f"{key} of a mistake is {text!r:.40}" if text else f"a mistake has no {key}", EXAMPLE, key
            )
    asked = questions.get(texts["question"], ()) if texts["question"] else sum(questions.values(), ())
    of, code, say = texts["of"].strip(), texts["code"].strip(), " ".join(texts["say"].split())
    if of not in asked:
        known = ", ".join(dict.fromkeys(asked)) or ", ".join(questions)
        raise table.refuse(f"{texts['of']} is not asked for", f"asked for are {known}", "of")
    try:
        tree = parse_expression(Source(texts["is"], "mistake"))
    except GradcliError as error:
        path = (*table.path, "is")
        span = table.places.within(path, error.span) if error.span else table.places.value(*path)
        raise table.refuse_at(span, error.message, error.help or EXAMPLE) from None
    if not code.isprintable() or " " in code or "+" in code:
        raise table.refuse(f"{code!r:.40} cannot be a code", 'write one word, such as code = "batch"', "code")
    place = table.places.key(*table.path)
    return OwnMistake(of, texts["is"], tree, say, code or "own", texts["question"], place)
