"""The beginnings of lines that name a question or a part of one: `Aufgabe 1a)`, `Antwort zu 2b):`, `(iii)`, `第1题`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import numeric

from gradcli.facts import dataclass
from gradcli.homework.submission.plain.vocabulary import HEADING, HEADINGS, HEADS, LEADING, LEADS, TO, TOS

ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
PAID = re.compile(
    r"\s*[(\[]\s*[\d.,/]+\s*(?:points?|pts?|marks?|punkte?|punti|puntos?|pontos?|p)\b\.?\s*[)\]]?", re.IGNORECASE
)
AFTER = re.compile(r"[\s).:\]*_`#]*(?:[-–—]+\s+(?=[^\W\d_]{2}|[^\W\d_][^=]*=)|\|\s+(?=[^|=]*=))?")
SIGN = re.compile(
    r"\s*(?:(?P<alone>[①-⑳]|[一二三四五六七八九十](?=[、．]))[、．]?"
    r"|第(?P<counted>[一二三四五六七八九十])(?=[题題问問]))"
)
SHEET = re.compile(  # `Homework 2, Exercise 1`
    rf"\s*(?:homework|hw|tutorial|problem set|assignment|(?:übungs|aufgaben)?blatt|serie|sheet|td|lista|hoja|foglio)"
    rf"\s*\d+\s*[,:;.–-]?\s+(?=(?:{HEADS})\b)",
    re.IGNORECASE,
)
# `Problem 1, part (a)`
OF_PART = re.compile(rf"([\W_]*[^\W\d_]+\.?\s*#?\d+)\s*,?\s+(?:{HEADS})\s*(?=\(?[a-z][):])", re.IGNORECASE)
LONGEST = 100  # characters of a line that are looked at


def either(words: Iterable[str]) -> str:
    """Return the pattern of words, none of which goes on behind them."""
    return rf"(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})(?![^\W\d_])"


LED = either({*LEADS.split(), *LEADING})
QUESTION = either({*HEADINGS.split(), *HEADING, "第"})
MARKS = re.compile(r"[\s#*_>/`\"'«“„~=•·–—+-]*")
LEAD = re.compile(rf"{LED}[\s'’]*(?:(?:{LED}|{either({*TOS.split(), *TO})})[\s'’]*)*", re.IGNORECASE)
WORD = re.compile(QUESTION, re.IGNORECASE)
JOINT = re.compile(r"[\s.:#°º-]*")  # between a word and its number
COUNTED = re.compile(rf"(?:{either(('no', 'nr', 'n'))}|№)[\s.:#°º-]*", re.IGNORECASE)
HASH = re.compile(r"#(?:\s+|.)\Z|^#\Z")  # `# 1`
UPPER = re.compile(r"(?P<roman>IX|IV|V?I{1,3}|V|X)(?![^\W_])")
NUMBER = re.compile(r"(?P<digits>\d{1,2})(?!\d|,\d)")
DECIMAL = re.compile(r"\d+\.\d+(?:[^\d).:]|$)")  # 1.5
BEHIND = re.compile(rf"[题題问問번]|\.\s+{QUESTION}", re.IGNORECASE)  # `1题`, `1. Aufgabe`
PART = re.compile(
    rf"(?P<gap>\s*(?P<mark>[,–—-]\s+)?)(?P<joint>[.(\[](?:\s+(?=[(\[])|[(\[])?)?"
    rf"(?:(?P<letter>[a-z]|{'|'.join(reversed(ROMANS))})(?![^\W\d_])|(?P<digits>\d{{1,2}})(?!\d))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Heading:
    """The number of a question and the letter or number of a part, "" for none; `rest` is what stands behind.

    One that `is_in_words` has a word for a question; one that `is_closed` has a mark behind it.
    """

    number: str
    part: str
    rest: str
    is_in_words: bool
    is_closed: bool

    @property
    def level(self) -> int:
        """How high it stands among headings: words, numbers, letters."""
        return 2 if self.is_in_words else 1 if self.number else 0

    @property
    def place(self) -> int:
        """Which part it is, counted from 0; -1 for none that can be counted."""
        if self.part.isdigit():
            return int(self.part) - 1
        if len(self.part) == 1 and self.part not in "ivx":
            return ord(self.part) - ord("a")
        return ROMANS.index(self.part) if self.part in ROMANS else -1


@lru_cache(2**12)
def heading_of(line: str) -> Heading | None:
    """Return the heading that a line begins with, None for any other line."""
    line = in_figures(line)
    front = read_front(line[:LONGEST].split("\n")[0])
    if front is None:
        return None
    number, part, is_in_words, is_closed, place = front
    points = PAID.match(line, place)
    end = AFTER.match(line, points.end() if points else place)
    assert end is not None
    is_closed = is_closed or points is not None or end.end() == len(line) or bool(end[0].strip())
    return Heading(number, part, line[end.end() :], is_in_words, is_closed) if is_closed else None


def in_figures(line: str) -> str:
    """Return a line without the sheet's number, with `①` or `第一题` in figures, `1, part (a)` as `1(a)`."""
    sheet = SHEET.match(line)
    line = line[sheet.end() :] if sheet else line
    part, sign = OF_PART.match(line), SIGN.match(line)
    if part:
        return f"{part[1]}{line[part.end() :]}"
    if sign is None:
        return line
    number, rest = int(numeric(sign["alone"] or sign["counted"])), line[sign.end() :]
    return f"{number}) {rest}" if sign["alone"] else f"第{number}{rest}"


def end_of(pattern: re.Pattern[str], text: str, place: int) -> int:
    """Return where a pattern ends that begins at a place, the place itself where it does not."""
    match = pattern.match(text, place)
    return match.end() if match else place


def read_front(text: str) -> tuple[str, str, bool, bool, int] | None:
    """Return number, part, whether words stand before them and a mark behind them is certain, and where they end."""
    place = end_of(MARKS, text, 0)
    is_led, place = LEAD.match(text, place) is not None, end_of(LEAD, text, place)
    word = WORD.match(text, place)
    if word:
        is_letter = len(word[0]) == 1 and word[0].isascii()
        if is_letter and text[word.end() : word.end() + 1].isspace():
            return None  # `q 1` may be a quantity and its value
        place = word.end() if is_letter and text.startswith(":", word.end()) else end_of(JOINT, text, word.end())
        place = end_of(JOINT, text, place + 1) if text.startswith("č", place) else end_of(COUNTED, text, place)
    elif COUNTED.match(text, place) or HASH.search(text, 0, place):
        is_led, place = True, end_of(JOINT, text, end_of(COUNTED, text, place))
    is_bracket = text[place : place + 1] in ("(", "[")
    place += is_bracket
    number, place, is_counted = read_number(text, place, is_in_words=word is not None)
    is_in_words = word is not None or is_counted
    part, place = read_part(text, place, number, is_in_words=is_in_words or is_led, is_bracket=is_bracket)
    mark, follows = text[place : place + 1], text[place + 1 : place + 2]
    is_closed, has_words = mark in (")", ".", ":", "]"), is_in_words or is_led
    is_alone = mark in (")", "]", ":") or (mark == "." and follows.isspace())
    is_none = (
        (not number and (not part or (is_led and not is_in_words)))
        or (is_bracket and not part and mark not in (")", "]"))
        or not (has_words or part or is_closed)
        or not (number or is_in_words or is_alone)
    )
    return None if is_none else (number, part, has_words, is_closed or bool(number and part), place)


def read_number(text: str, place: int, *, is_in_words: bool) -> tuple[str, int, bool]:
    """Return a number, "" for none, where it ends, and whether something behind it says that it counts questions."""
    roman = UPPER.match(text, place) if is_in_words else None
    if roman:
        return str(ROMANS.index(roman["roman"].lower()) + 1), roman.end(), False
    digits = NUMBER.match(text, place)
    if not digits or (not is_in_words and DECIMAL.match(text, place)):
        return "", place, False
    end = end_of(BEHIND, text, digits.end())
    return str(int(digits[0])), end, end > digits.end()


def read_part(text: str, place: int, number: str, *, is_in_words: bool, is_bracket: bool) -> tuple[str, int]:
    """Return the letter or number of a part behind a number, or alone, and where it ends."""
    match = PART.match(text, place)
    if not match or (not number and (match["gap"] or match["joint"])) or (match["mark"] and not is_in_words):
        return "", place
    is_apart, has_joint = bool(match["gap"]), is_bracket or bool(match["joint"])
    follows, then = text[match.end() : match.end() + 1], text[match.end() + 1 : match.end() + 2]
    is_close = (follows.isspace() and bool(number)) or not follows
    is_ended = follows in (")", "]", ":") or (follows == "." and not then.isalnum()) or (is_close and not is_apart)
    is_digit = match["digits"] is not None
    if is_digit and not (number and has_joint and not is_apart):
        return "", place
    if is_ended and (number or is_in_words or follows):
        return (match["letter"] or match["digits"]).lower(), match.end()
    return "", place
