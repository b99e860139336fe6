"""Answers in words: what a line prints, the error that a snippet raises, one of several choices, other texts to accept.

`{ quantity = "printed", line = 6 }`, `{ quantity = "raises" }`, `{ choices = ["yes", "no"], answer = 1 }` and
`accept = ["torch.Size([])"]`.
"""

from __future__ import annotations

from typing import Any

from gradcli.facts import dataclass
from gradcli.homework.assignment.places import Table
from gradcli.homework.assignment.quantities import Quantity

KEYS = ("line", "choices", "answer", "accept", "undefined")
MOST = 20  # choices


@dataclass(frozen=True, slots=True)
class Words:
    """The part of an ask about answers in words: `choices` with the numbers of the right ones, and texts to accept.

    With `undefined` the right answer is that there is none, as at a kink.
    """

    choices: tuple[str, ...] = ()
    answers: tuple[int, ...] = ()
    accept: tuple[str, ...] = ()
    undefined: bool = False

    @property
    def right(self) -> str:
        """The right choice, or the numbers of all."""
        return self.choices[self.answers[0] - 1] if len(self.answers) == 1 else ", ".join(map(str, self.answers))


NO_WORDS = Words()


def read_words(table: Table) -> Words:
    """Read the choices and the texts to accept of an ask. Raises UsageError at the key at fault."""
    choices, accept = (tuple(table.texts(key, '["one text", "another"]')) for key in ("choices", "accept"))
    answer = table.get("answer", 0)
    if not choices:
        if "answer" in table:
            raise table.refuse("an answer goes with choices", 'write choices = ["yes", "no"] before it', "answer")
        return Words(accept=accept, undefined=table.typed("undefined", bool, False))
    if not 2 <= len(choices) <= MOST:
        raise table.refuse(f"there are {len(choices)} choices", f"write 2 to {MOST}", "choices")
    if len({choice.casefold() for choice in choices}) < len(choices):
        raise table.refuse("two choices are the same", "remove one of the two", "choices")
    answers = answer if isinstance(answer, list) else [answer]
    if not answers or any(type(number) is not int or not 1 <= number <= len(choices) for number in answers):
        where = "answer" if "answer" in table else "choices"
        help = f"write the number of the right choice, or of all: answer = 1 is the first of {len(choices)}"
        raise table.refuse("no choice is the right one", help, where)
    return Words(choices, tuple(sorted(set(answers))), accept)


def are_choices(asks: Any) -> bool:
    """Whether everything that a question asks for is a choice, so that it needs no program."""
    return isinstance(asks, list) and bool(asks) and all(isinstance(ask, dict) and ask.get("choices") for ask in asks)


def read_special(table: Table, *, is_script: bool) -> tuple[Quantity, str] | None:
    """Return the quantity of an ask for words, and the label of its answer; None for any other ask."""
    written, line = table.get("quantity"), table.get("line")
    if "line" in table and (written != "printed" or type(line) is not int or line < 1):
        help = 'write { quantity = "printed", line = 6 }'
        raise table.refuse("a line is the number of one that prints", help, "line")
    if table.get("choices"):
        label = " ".join(written.split()) if isinstance(written, str) and written.strip() else "choice"
        if not label.isprintable():
            help = 'write a word, such as quantity = "why"'
            raise table.refuse(f"{label!r:.40} cannot be typed", help, "quantity")
        return Quantity("choice", label), label
    if not is_script or written not in ("printed", "raises"):
        return None
    label = f"printed line {line}" if line else str(written)
    return Quantity("printed" if written == "printed" else "raises", str(line or "")), label
