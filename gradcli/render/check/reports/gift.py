"""GIFT: the questions as text, with each known mistake as a wrong answer that has its own tolerance and feedback.

The format has no field with boxes, so every entry of a tensor is a question of its own. After Moodle's own importer
(question/format/gift), which Canvas, Blackboard and others follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape as html

from gradcli.homework.answer_file import answer as digits
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.expected_answers import Foreseen, Number
from gradcli.render.check.reports.questions import OTHER, categories, feedback, harmless, name, prompt, setting

SPECIAL = str.maketrans({**{sign: f"\\{sign}" for sign in "\\#=~{}:"}, "\n": "\\n"})
STAR = r"\*"  # an asterisk, which alone would stand for anything
MATCHING = "->"  # in an answer that is a text it would make pairs, and nothing escapes it


def write(assignment: Assignment, quantities: Iterable[Foreseen]) -> Iterator[str]:
    """Yield the file, an item a question, with an empty line after each."""
    for path, group in categories(assignment, quantities):
        yield f"$CATEGORY: {path}\n\n"
        for quantity in group:
            yield from (f"{harmless(text)}\n\n" for text in items(quantity))


def items(quantity: Foreseen) -> Iterator[str]:
    """Yield the questions about one quantity."""
    for index, numbers in quantity.entries:
        yield item(quantity, numerical(numbers), f"[{', '.join(map(str, index))}]" if index else "")
    if not quantity.entries:
        yield item(quantity, in_words(quantity))


def item(quantity: Foreseen, answers: str, suffix: str = "") -> str:
    """Write one question: its name, its text as HTML, and its answers."""
    tags = {"text": "p", "code": "pre"}
    parts = [f"<{tags[kind]}>{html(text)}</{tags[kind]}>" for kind, text in setting(quantity.question)]
    asked = prompt(quantity).replace(" = ?", f"{suffix} = ?") if suffix else prompt(quantity)
    text = "".join([*parts, f"<p>{html(asked)}</p>"])
    return f"::{plain(name(quantity, suffix))}::[html]{plain(text)}{answers}"


def plain(text: str) -> str:
    """Write a text in which no character is one of the format's own, on one line."""
    return text.translate(SPECIAL)


def numerical(numbers: Iterable[Number]) -> str:
    answers = [
        f"={'%0%' if place else '%100%'}{digits(n.value)}:{digits(n.tolerance)}#{plain(html(feedback(n), quote=False))}"
        for place, n in enumerate(numbers)
    ]
    return "\n".join(["{#", *answers, f"~#{plain(OTHER)}", "}"])


def in_words(quantity: Foreseen) -> str:
    """Write the answers to a question for a word or a choice; a formula or a long answer is graded by hand."""
    words = quantity.ask.words
    if words.choices:
        is_single = len(words.answers) == 1
        right, wrong = ("=", "~%0%") if is_single else (f"~%{100 / len(words.answers):.7g}%", "~%-100%")
        choices = [
            f"{right if number in words.answers else wrong}{plain(html(text))}"
            for number, text in enumerate(words.choices, 1)
        ]
        return "\n".join(["{", *choices, "}"])
    if quantity.is_formula or not quantity.right or any(MATCHING in text for text in quantity.texts):
        return "{}"
    right = " ".join(f"=%100%{plain(text.replace('*', STAR))}" for text in quantity.texts)
    return f"{{{right} =%0%*#{plain(OTHER)}}}"
