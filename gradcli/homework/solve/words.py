"""The verdict on an answer in words: a boolean, a name, a printed text, an error, a choice."""

from __future__ import annotations

import re
from typing import Any

from gradcli.homework.assignment.words import Words
from gradcli.homework.model import Value
from gradcli.homework.solve.points import Verdict
from gradcli.homework.submission.answers import UnreadableError, read_number
from gradcli.homework.submission.numerals import Tolerance, read_numeral
from gradcli.homework.submission.plain.reading import FACTS, word

NODE = re.compile(
    r"(?:(?:it is\s+)?(?:an?|the)\s+)?(?:grad_fn\s*=\s*)?<?(?:class\s+')?"
    r"(?P<name>\w+)(?: object(?: at 0x[0-9a-f]+)?| node|')?>?"
)
TENSOR = re.compile(r"(?:torch\.)?tensor\((\w+)\)")
IN_TORCH = re.compile(r"^torch\.(?=\w+$)")  # torch.float32
TRUTHS = {**FACTS, "t": "True", "f": "False"}
PIECE = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\w+|\S")
NUMBERED = re.compile(
    r"\(?(?:choice\s+|option\s+)?(?P<number>\d{1,2}|[a-z])\)?[.):]*(?:\s+(?P<text>\S.*))?", re.IGNORECASE
)
SEVERAL = re.compile(r"\s*(?:[,;/&\n]|\band\b|\bund\b|\s)\s*")  # `1, 3`; texts are typed whole
REMARK = re.compile(r"\s*\(.*\)$|\s+[-–—]\s.*$", re.DOTALL)
RAISES = re.compile(
    r"^(?:error:?\s+)?(?:(?:it|this|torch)\s+)?(?:(?:raises|throws|gives|fails with)\s+)?(?:(?:an?|the)\s+)?"
)
NO_ERROR = ("no error", "none", "nothing", "no", "it does not raise", "no exception")
LEAST = 10  # characters of a text that tells an error, in two words at least
EXACT = Tolerance(rtol=1e-6, atol=1e-12)


def is_accepted(text: str, words: Words) -> bool:
    """Whether an answer is one of the texts that the assignment accepts."""
    return bool(words.accept) and plainly(text) in map(plainly, words.accept)


def plainly(text: str) -> str:
    """Return a text of which spaces, case and what stands around it do not count."""
    return " ".join(word(text).casefold().split())


def judged_word(text: str, expected: Value) -> Verdict:
    """Judge a boolean or a text; a node may be pasted with its brackets."""
    if isinstance(expected, str):
        node = NODE.fullmatch(text.strip())
        given: Any = node["name"] if node else text.strip().strip("'\"")
        return Verdict("correct" if named(given) == named(expected) else "wrong")
    try:
        text = TENSOR.sub(r"\1", text.strip())
        read = read_number(TRUTHS.get(text.lower(), text))
    except UnreadableError:
        raise UnreadableError("neither True nor False") from None
    return Verdict("correct" if read is expected else "wrong")


def named(text: str) -> str:
    """Return a name of torch without its module."""
    return IN_TORCH.sub("", text.casefold())


def judged_printed(text: str, expected: str) -> Verdict:
    """Judge a printed text: spaces and case do not count, and numbers may have more or fewer digits."""
    given, right = PIECE.findall(word(text)), PIECE.findall(expected)
    same = len(given) == len(right) and all(map(is_same, given, right))
    return Verdict("correct" if same else "wrong")


def is_same(given: str, right: str) -> bool:
    typed, printed = read_numeral(given), read_numeral(right)
    if typed is None or printed is None:
        return given.casefold() == right.casefold()
    off = abs(float(typed.value) - float(printed.value))
    return bool(EXACT.judge(typed, printed.value)[0]) or (
        typed.digits >= printed.digits and off <= float(printed.unit) / 2
    )


def judged_error(text: str, expected: str) -> Verdict:
    """Judge an error by its type, or by a part of its message that tells it."""
    kind, _, message = expected.partition(": ")
    given = plainly(text)
    if not kind or kind == NO_ERROR[0]:
        return Verdict("correct" if given.rstrip(".") in NO_ERROR else "wrong")
    error_type, colon, given_message = RAISES.sub("", given).partition(":")
    if REMARK.sub("", error_type).replace(" ", "").rpartition(".")[2] == kind.casefold():
        is_right = not colon or is_part(given_message, message) or not given_message.strip()
    else:
        is_right = len(given) >= LEAST and len(given.split()) > 1 and is_part(given, message)
    return Verdict("correct" if is_right else "wrong")


def is_part(text: str, message: str) -> bool:
    given, whole = (" ".join(re.findall(r"\w+", sentence.casefold())) for sentence in (text, message))
    return bool(given) and f" {given} " in f" {whole} "


def judged_choice(text: str, words: Words) -> Verdict:
    """Judge a choice, given by its number, its letter or its text; or several, where several are right.

    Raises UnreadableError where it is none.
    """
    whole = plainly(text)
    parts = [whole] if len(words.answers) == 1 or whole in map(plainly, words.choices) else SEVERAL.split(whole)
    numbers = {chosen_one(part, words) for part in parts if part}
    return Verdict("correct" if numbers == {*words.answers} else "wrong")


def chosen_one(given: str, words: Words) -> int:
    """Return the number of a choice."""
    chosen = [number for number, choice in enumerate(words.choices, 1) if plainly(choice) == given]
    numbered = NUMBERED.fullmatch(given)
    if not chosen and numbered:
        number = numbered["number"]
        place = int(number) if number.isdigit() else ord(number) - ord("a") + 1
        text = numbered["text"]
        if 1 <= place <= len(words.choices) and (not text or plainly(words.choices[place - 1]) == plainly(text)):
            chosen = [place]
    if len(chosen) != 1:
        raise UnreadableError(f"it is none of the choices: write a number from 1 to {len(words.choices)}")
    return chosen[0]
