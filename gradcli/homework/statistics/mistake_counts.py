"""How often each mistake is made by kind of quantity, for a table that a course may publish: no name is in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import CREDITED, Result
from gradcli.homework.totals import codes

UNKNOWN = "unknown"  # an answer that no known mistake explains
KINDS = {
    "local": "local derivative",
    "higher": "higher derivative",
    "gradients": "gradient",
    "snippet": "snippet value",
}


class Kind(NamedTuple):
    """What is asked for: a value, a gradient, code; as a number or as a formula; of a scalar or of a tensor."""

    quantity: str
    form: str
    shape: str


class MistakeCount(NamedTuple):
    """A mistake with the answers that show it, those of them that nothing else explains, and all that were given."""

    code: str
    kind: Kind
    times: int
    certain: int
    answers: int


class MistakeCounts:
    """The mistakes in the answers of a class, counted result by result; own mistakes of a teacher have their codes."""

    def __init__(self, assignment: Assignment) -> None:
        self.asks = {
            (question.id, ask.written): (question, ask) for question in assignment.questions for ask in question.asks
        }
        self.answers: Counter[Kind] = Counter()
        self.counts: Counter[tuple[str, Kind]] = Counter()
        self.certain: Counter[tuple[str, Kind]] = Counter()

    def add(self, result: Result) -> None:
        """Count the answers of one submission that can be read."""
        for answer in result.answers if result.is_counted else ():
            question, ask = self.asks.get((answer.question, answer.quantity), (None, None))
            if question is None or ask is None or answer.verdict in ("missing", "unreadable"):
                continue
            quantity = "code" if question.code else KINDS.get(ask.quantity.kind, ask.quantity.kind)
            form = "formula" if ask.form == "expression" else "number"
            kind = Kind(quantity, form, "tensor" if np.ndim(answer.expected) else "scalar")
            self.answers[kind] += 1
            for code in codes(answer.diagnoses) or ([] if answer.verdict in CREDITED else [UNKNOWN]):
                self.counts[code, kind] += 1
                self.certain[code, kind] += bool(answer.diagnoses) and answer.diagnoses[0].certain

    @property
    def rows(self) -> Iterator[MistakeCount]:
        """The mistakes, the most frequent first."""
        for (code, kind), count in sorted(self.counts.items(), key=lambda entry: (-entry[1], entry[0])):
            yield MistakeCount(code, kind, count, self.certain[code, kind], self.answers[kind])
