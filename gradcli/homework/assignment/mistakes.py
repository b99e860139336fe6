"""Mistakes that a teacher adds: a formula for the wrong number, and the sentence about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gradcli.errors import GradcliError, UsageError
from gradcli.facts import dataclass
from gradcli.homework.assignment.places import Places
from gradcli.language.parser import parse_expression
from gradcli.language.tree import Expression
from gradcli.source import Source, Span

KEYS = ("of", "is", "say", "code", "question")
Refuse = Callable[[Span, str, str], UsageError]
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


def read_mistakes(
    assignment: Mapping[str, Any], questions: Mapping[str, tuple[str, ...]], places: Places, refuse: Refuse
) -> Iterator[OwnMistake]:
    """Yield the mistakes of an assignment, given as a table; `questions` are the quantities asked for, by question.

    Raises UsageError, at the place of the fault, for one that cannot be used.
    """
    found = assignment.get("mistake", [])
    if not isinstance(found, list):
        raise refuse(places.key("mistake"), "mistake is no list of tables", EXAMPLE)
    for number, table in enumerate(found):
        path = ("mistake", number)
        if not isinstance(table, dict):
            raise refuse(places.key(*path), "a mistake is a table", EXAMPLE)
        for key in table:
            if key not in KEYS:
                raise refuse(places.key(*path, key), f"a mistake has no {key}", f"it has {', '.join(KEYS)}")
        texts = {key: table.get(key, "") for key in KEYS}
        for key, text in texts.items():
            if not isinstance(text, str) or (key in ("of", "is", "say") and not text.strip()):
                place = places.value(*path, key) if key in table else places.key(*path)
                raise refuse(
                    place, f"{key} of a mistake is {text!r:.40}" if text else f"a mistake has no {key}", EXAMPLE
                )
        asked = questions.get(texts["question"], ()) if texts["question"] else sum(questions.values(), ())
        if texts["of"].strip() not in asked:
            known = ", ".join(dict.fromkeys(asked)) or ", ".join(questions)
            raise refuse(places.value(*path, "of"), f"{texts['of']} is not asked for", f"asked for are {known}")
        source = Source(texts["is"], "mistake")
        try:
            tree = parse_expression(source)
        except GradcliError as error:
            span = places.within((*path, "is"), error.span) if error.span else places.value(*path, "is")
            raise refuse(span, error.message, error.help or EXAMPLE) from None
        code = texts["code"].strip() or "own"
        if not code.isprintable() or " " in code or "+" in code:
            help = 'write one word, such as code = "batch"'
            raise refuse(places.value(*path, "code"), f"{code!r:.40} cannot be a code", help)
        say = " ".join(texts["say"].split())
        yield OwnMistake(texts["of"].strip(), texts["is"], tree, say, code, texts["question"], places.key(*path))
