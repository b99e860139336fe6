"""What reports say of an assignment: its title, its questions, and what each asks."""

from __future__ import annotations

from dataclasses import dataclass

from gradcli.homework.model import added


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: the quantities in their order, and the points of all together."""

    id: str
    text: str
    quantities: tuple[str, ...]
    max_score: float


@dataclass(frozen=True, slots=True)
class Outline:
    """One assignment. `file` is its name as it was given."""

    title: str
    file: str
    questions: tuple[Asked, ...]

    @property
    def max_score(self) -> float:
        return added(question.max_score for question in self.questions)
