"""The beginnings of lines that name a question or a part of one: `Aufgabe 1a)`, `Antwort zu 2b):`, `(iii)`, `第1题`."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import numeric

from gradcli.facts import dataclass
from gradcli.homework.submission.plain.vocabulary import HEADING, HEADS, LEADING, TO, folded_word, is_word_of

PIECE = re.compile(r"(?:[^\W\d_][\u0900-\u094f]*)+|\d+|\s+|.", re.DOTALL)
MARKS = frozenset("#*_>/`\"'«“„~=•·–—+") | {"-"}
JOINTS = frozenset(".:#-°º")  # between a word and its number
CLOSES = frozenset(").:]")
ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
NUMBERS = frozenset(("no", "nr", "n", "№"))
COUNTERS = frozenset("题題问問번")  # behind a number
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
OF_PART = re.compile(rf"([\W_]*[^\W\d_]+\.?\s*\d+)\s*,?\s+(?:{HEADS})\s*(?=\(?[a-z]\))", re.IGNORECASE)
LONGEST = 100  # characters of a line that are looked at


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
    start = line[:LONGEST].split("\n")[0]
    reader = _Reader(PIECE.findall(start))
    found = reader.read()
    if found is None:
        return None
    number, part, is_in_words, is_closed = found
    place = sum(map(len, reader.pieces[: reader.place]))
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


class _Reader:
    def __init__(self, pieces: list[str]) -> None:
        self.pieces, self.place, self.is_counted = pieces, 0, False

    def peek(self, ahead: int = 0) -> str:
        place = self.place + ahead
        return self.pieces[place] if place < len(self.pieces) else ""

    def skip(self, *kinds: frozenset[str]) -> None:
        while self.peek() and (self.peek().isspace() or any(self.peek() in kind for kind in kinds)):
            self.place += 1

    def read(self) -> tuple[str, str, bool, bool] | None:
        """Return number, part, whether words stand before them, and whether a mark behind them is certain."""
        self.skip(MARKS)
        is_led = False
        if is_word_of(self.peek(), LEADING):
            is_led = True
            while is_word_of(self.peek(), LEADING | TO):
                self.place += 1
                self.skip(frozenset("'’"))
        is_in_words = is_word_of(self.peek(), HEADING) or self.peek() == "第"
        if is_in_words:
            word = self.peek()
            self.place += 1
            if len(word) == 1 and word.isascii() and self.peek().isspace():
                return None  # `q 1` may be a quantity and its value
            self.skip(JOINTS - {":"} if len(word) == 1 and word.isascii() else JOINTS)
            if folded_word(self.peek()) in NUMBERS or self.peek() == "č":
                self.place += 1
                self.skip(JOINTS)
        elif folded_word(self.peek()) in NUMBERS or self.pieces[max(self.place - 2, 0) : self.place][:1] == ["#"]:
            is_led = True
            self.place += folded_word(self.peek()) in NUMBERS
            self.skip(JOINTS)
        is_bracket = self.peek() in ("(", "[") and bool(self.peek())
        self.place += is_bracket
        number = self.number(is_in_words=is_in_words)
        is_in_words |= self.is_counted
        part = self.part(number, is_in_words=is_in_words or is_led, is_bracket=is_bracket)
        if not number and (not part or (is_led and not is_in_words)):
            return None
        is_closed = self.peek() in CLOSES and bool(self.peek())
        if is_bracket and not part and self.peek() not in (")", "]"):
            return None
        if not (is_in_words or is_led or part or is_closed):
            return None
        if (
            not number
            and not is_in_words
            and not (self.peek() in (")", "]", ":") or (self.peek() == "." and self.peek(1).isspace()))
        ):
            return None
        return number, part, is_in_words or is_led, is_closed or bool(number and part)

    def number(self, *, is_in_words: bool) -> str:
        text, follows, then = self.peek(), self.peek(1), self.peek(2)
        if is_in_words and text in map(str.upper, ROMANS) and not follows.isalnum():
            self.place += 1
            return str(ROMANS.index(text.lower()) + 1)
        if not text.isdecimal() or len(text) > 2 or (follows == "," and then.isdigit()):
            return ""
        if follows == "." and then.isdigit() and not is_in_words and self.peek(3) not in (")", ":", "."):
            return ""  # 1.5
        self.place += 1
        if self.peek() in COUNTERS:
            self.place += 1
            self.is_counted = True
        elif self.peek() == "." and self.peek(1).isspace() and is_word_of(self.peek(2), HEADING):
            self.place += 3  # 1. Aufgabe
            self.is_counted = True
        return str(int(text))

    def part(self, number: str, *, is_in_words: bool, is_bracket: bool) -> str:
        """Take the letter or number of a part behind a number, or alone."""
        start, is_apart, has_joint = self.place, False, is_bracket
        if number:
            is_apart = self.peek().isspace()
            self.place += is_apart
            has_joint = self.peek() in (".", "(", "[") and bool(self.peek())
            if has_joint:
                self.place += 1
                self.place += (self.peek().isspace() and self.peek(1) in ("(", "[")) or self.peek() in ("(", "[")
        text, follows = self.peek(), self.peek(1)
        is_letter = (len(text) == 1 and "a" <= text.lower() <= "z") or text.lower() in ROMANS
        is_digit = bool(number) and has_joint and text.isdecimal() and len(text) < 3 and not is_apart
        is_ended = (
            follows in (")", "]", ":")
            or (not follows and not is_apart)
            or (follows == "." and not self.peek(2).isalnum())
        )
        is_ended = is_ended or (follows.isspace() and bool(number) and not is_apart)
        if (is_letter or is_digit) and is_ended and (number or is_in_words or follows):
            self.place += 1
            return text.lower()
        self.place = start
        return ""
