"""Sentences to a student about an answer, without code names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gradcli.homework.model import CREDITED, Marked
from gradcli.render.check.marking import SENTENCE, clipped, ledger, likely, opening, others, sentence, set_by_hand
from gradcli.render.text.looks import Looks


class Saying(NamedTuple):
    """A sentence about an answer, with the `rule` in words if it is about one."""

    text: str
    rule: str = ""
    is_aside: bool = False


def sayings(answer: Marked, looks: Looks) -> Iterator[Saying]:
    """Yield what there is to say about an answer; no code names, for students."""
    if answer.remark:
        yield Saying(clipped(answer.remark, SENTENCE, looks))
    if answer.note is not None:
        yield Saying(set_by_hand(answer, looks))
    if answer.verdict in CREDITED:
        return
    shown = likely(answer)
    for number, one in enumerate(shown):
        yield Saying(f"{opening(shown, number)}{clipped(sentence(one), SENTENCE, looks)}", one.says)
    if more := others(answer):
        yield Saying(more, is_aside=True)
    if paths := ledger(answer, looks):
        yield Saying(f"Your answer {paths}.", is_aside=True)
