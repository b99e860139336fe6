"""Numbers that are right elsewhere: the answers to other quantities and questions."""

from __future__ import annotations

from gradcli.homework.mistakes.declaration import Mistake

ANOTHER_QUESTION = Mistake(
    "another-question", "gave the answer to something else that was asked", order=23, is_late=True
)
