"""Numbers that are right elsewhere: in another question, or on the sheet of another student."""

from __future__ import annotations

from gradcli.homework.mistakes.declaration import Mistake

ANOTHER_QUESTION = Mistake(
    "another-question", "gave the answer to something else that was asked", order=23, is_late=True
)
ANOTHER_SHEET = Mistake("another-sheet", "gave the answer of another sheet", order=24, is_late=True)
