"""The words for an answer that the page and all reports share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.homework.disclosure import WITHHELD
from gradcli.homework.model import CREDITED, VERDICTS, Branch, Diagnosis, Marked, Result
from gradcli.homework.wording import listed
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import number, short
from gradcli.render.text.wrapping import beginning
from gradcli.source import visible

MARKS = {  # the verdict's mark, and the same in ASCII
    "correct": ("✓", "+"),
    "carried": ("✓", "+"),
    "precision": ("~", "~"),
    "wrong": ("✗", "x"),
    "shape": ("✗", "x"),
    "missing": ("…", "."),
    "unreadable": ("?", "?"),
}
ASCII = str.maketrans(
    {"·": "*", "×": "*", "−": "-", "∂": "d", "→": "->", "←": "<-", "…": "...", "²": "**2", "³": "**3"}
)
PLAIN = Looks()  # of a report, which no terminal shows
NAME = 60  # columns of a name, a quantity, or an answer
SENTENCE = 400  # columns of a sentence, which may quote an answer
DIAGNOSES = 3  # of one answer
BRANCHES = 6  # of one ledger
STEPS = 8  # names of one path


def mark(verdict: str, looks: Looks) -> str:
    return MARKS[verdict][looks.ascii]


def clipped(text: str, width: int, looks: Looks = PLAIN) -> str:
    """A text from outside: safe on any terminal, on one line, and at most `width` columns wide."""
    shown = visible(text[: width + 1])
    if looks.ascii:
        shown = shown.translate(ASCII)
    return beginning(shown, width, looks.ellipsis)


def points(scored: float, of: float) -> str:
    """Write `2 of 3`; "" for 0 of 0."""
    return f"{number(scored)} of {number(of)}" if scored or of else ""


def exact(points: float) -> str:
    """Points with all their digits."""
    return number(points, 17)


def percent(scored: float, of: float) -> str:
    """Write a share as whole percent, 0 and 100 only if it is exactly so; "" where `of` is 0."""
    if not of or not math.isfinite(scored / of):
        return ""
    share = 100 * scored / of
    return f"{min(max(share, 1), 99) if 0 < share < 100 else share:.0f}%"


def given(answer: Marked, looks: Looks = PLAIN, width: int = NAME) -> str:
    """Return the student's answer as it was typed, and as it was read where that differs; "" where there is none."""
    if answer.given is None:
        return ""
    typed = clipped(answer.given.strip(), width, looks)
    return f"{typed} (read as {clipped(answer.read_as, width, looks)})" if answer.read_as else typed


def plain(answer: Marked) -> str:
    """Return the student's answer in the plain notation; "" where there is none."""
    return (answer.read_as or answer.given or "").strip()


def expected(answer: Marked, looks: Looks = PLAIN, width: int = NAME) -> str:
    """Write the right answer with enough digits to differ from the given one; "" if withheld or looking the same."""
    if answer.expected is WITHHELD or answer.verdict in ("correct", "unreadable"):  # perhaps not asked for
        return ""
    written = clipped(plain(answer), width, looks)
    texts = (amount(answer.expected, looks, digits, width) for digits in (looks.precision, 9, 12, 17))
    return next((text for text in texts if text != written), "")


def amount(value: Any, looks: Looks, digits: int, width: int = NAME) -> str:
    """Write a value on a line: a number, an array, None, true or false, or a text."""
    if value is None or isinstance(value, str):
        return clipped(str(value), width, looks)
    return short(value, digits, ascii=looks.ascii, width=width)


def difference(answer: Marked, looks: Looks = PLAIN) -> str:
    """Write how far a number is from the right one: `3 too small`; "" where the two are no numbers, or equal."""
    if answer.expected is WITHHELD or answer.verdict not in ("wrong", "precision"):
        return ""
    text, right = plain(answer), answer.expected
    is_word = right is None or isinstance(right, str | bool | np.bool_)
    if is_word or np.ndim(right) or np.iscomplexobj(right) or len(text) > SENTENCE:
        return ""
    try:
        gap = float(text) - float(right)
    except ValueError:
        return ""
    is_seen = gap and math.isfinite(gap)
    return f"{number(abs(gap), min(looks.precision, 3))} too {'large' if gap > 0 else 'small'}" if is_seen else ""


def sentence(diagnosis: Diagnosis) -> str:
    """Join the message and the detail."""
    if not diagnosis.detail or diagnosis.detail in diagnosis.message:
        return diagnosis.message
    if diagnosis.detail.startswith(diagnosis.message):
        return diagnosis.detail
    return f"{diagnosis.message}, {diagnosis.detail}"


def said(diagnosis: Diagnosis, looks: Looks) -> str:
    """Write a diagnosis on a line: `perhaps: you slipped a sign (sign at s: -g)`."""
    return f"{'' if diagnosis.certain else 'perhaps: '}{tagged(diagnosis, looks)}"


def tagged(diagnosis: Diagnosis, looks: Looks) -> str:
    """Write what a diagnosis says, for teachers, who see the wrong rule, with the name of the mistake."""
    name = diagnosis.code if diagnosis.rule else ""
    place = f"{name} at {diagnosis.node}" if name and diagnosis.node else name
    tag = ": ".join(clipped(part, SENTENCE // 4, looks) for part in (place, diagnosis.rule) if part)
    text = clipped(sentence(diagnosis), SENTENCE, looks)
    return f"{text}{f' ({tag})' if tag else ''}"


def likely(answer: Marked) -> tuple[Diagnosis, ...]:
    """Return the diagnoses that are shown: of several that are certain, which are one in other words, the first."""
    causes = answer.diagnoses
    return (
        (causes[0], *(cause for cause in causes[1:] if not (causes[0].certain and cause.certain)))[:DIAGNOSES]
        if causes
        else ()
    )


def opening(shown: Sequence[Diagnosis], number: int) -> str:
    """Return the words before one of the diagnoses that are shown."""
    if shown[0].certain:
        return "" if number == 0 else "perhaps: "
    return "or " if number else "one of these: " if len(shown) > 1 else "perhaps: "


def others(answer: Marked) -> str:
    """Say how many more mistakes give the number."""
    more = len(answer.diagnoses) - DIAGNOSES
    return f"and {more} more" if more > 0 else ""


def diagnoses(answer: Marked, looks: Looks = PLAIN) -> list[str]:
    """Return the mistake of an answer, or one sentence with all likely ones, and the rules about them in words."""
    shown = likely(answer)
    texts = dict.fromkeys(f"{opening(shown, number)}{tagged(cause, looks)}" for number, cause in enumerate(shown))
    sentences = [text for text in (*texts, others(answer)) if text]
    if shown and not shown[0].certain:
        sentences = ["; ".join(sentences)]
    rules = dict.fromkeys(f"the rule: {cause.says}" for cause in shown if cause.says)
    return [*sentences[:1], *rules, *sentences[1:]]


def mistakes(answer: Marked) -> list[str]:
    """Return the codes of the diagnoses, each once."""
    return [code for code in dict.fromkeys(cause.code for cause in answer.diagnoses) if code]


def ledger(answer: Marked, looks: Looks = PLAIN) -> str:
    """Write the paths that an answer has and lacks: `has q ← p ← s +3, lacks q ← m ← s +5`."""
    halves = []
    for verb, present in (("has", True), ("lacks", False)):
        branches = [branch for branch in answer.ledger if branch.present is present]
        shown = [path(branch, looks) for branch in branches[:BRANCHES]]
        if len(branches) > BRANCHES:
            shown.append(f"{len(branches) - BRANCHES} more")
        if shown:
            halves.append(f"{verb} {' and '.join(shown)}")
    return ", ".join(halves)


def path(branch: Branch, looks: Looks) -> str:
    """Write a path from the output on, with its contribution."""
    names = [clipped(name, NAME // 2, looks) for name in branch.path]
    if len(names) > STEPS:
        names[STEPS // 2 : 1 - STEPS // 2] = [looks.ellipsis]
    way = f" {'<-' if looks.ascii else '←'} ".join(names)
    if branch.value is WITHHELD or branch.value is None:
        return way
    adds = amount(branch.value, looks, looks.precision, NAME // 2)
    return f"{way} {f'+{adds}' if adds[:1].isdigit() else adds}"


def remarks(result: Result, looks: Looks = PLAIN) -> list[str]:
    """The remarks on a submission and the notes, a line each."""
    return [clipped(remark, SENTENCE, looks) for remark in (*result.remarks, *result.notes)]


def below(answer: Marked, looks: Looks = PLAIN) -> list[str]:
    """The remark, the diagnoses and the ledger of an answer, a line each."""
    lines = [clipped(answer.remark, SENTENCE, looks)] if answer.remark else []
    if answer.verdict not in CREDITED:
        lines += [*diagnoses(answer, looks), ledger(answer, looks)]
    if answer.elsewhere:
        owners = [clipped(owner, NAME // 2, looks) for owner in answer.elsewhere]
        lines.append(f"right on the sheet of {listed(owners)}")
    if answer.note is not None:
        lines.append(set_by_hand(answer, looks))
    return [line for line in lines if line]


def set_by_hand(answer: Marked, looks: Looks = PLAIN) -> str:
    """Say that a teacher has set the points of an answer, and why."""
    note = clipped(answer.note or "", SENTENCE, looks)
    return f"points set by hand{f': {note}' if note else ''}"


def report(answer: Marked) -> str:
    """An answer with its verdict and all that is below it, as lines of plain text."""
    first = VERDICTS[answer.verdict]
    if written := given(answer):
        first = f"{written}: {first}"
    if right := expected(answer):
        first += f"; right is {right}"
    if gap := difference(answer):
        first += f", yours is {gap}"
    return "\n".join([first, *below(answer)])


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
    for place, cause in enumerate(shown):
        yield Saying(f"{opening(shown, place)}{clipped(sentence(cause), SENTENCE, looks)}", cause.says)
    if more := others(answer):
        yield Saying(more, is_aside=True)
    if paths := ledger(answer, looks):
        yield Saying(f"Your answer {paths}.", is_aside=True)
