"""Answers made plain, each as what the question asks for: a number or a tensor, a formula, a word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from gradcli.homework.submission.answers import (
    KEPT,
    WORDS,
    Formula,
    Read,
    UnreadableError,
    checked,
    read_answer,
    read_number,
    slip_of,
)
from gradcli.homework.submission.numerals import NUMERAL, Typed, read_numeral
from gradcli.homework.submission.plain import arrays, characters
from gradcli.homework.submission.plain.chains import agree, members, worth
from gradcli.homework.submission.plain.latex import without_latex
from gradcli.homework.submission.plain.numbers import DOUBTFUL, Comma, numerals
from gradcli.homework.submission.plain.products import TwoReadingsError
from gradcli.homework.submission.plain.prose import unmixed, without_prose
from gradcli.homework.submission.plain.rewriting import rewritten
from gradcli.language.tree import names as names_in

LONGEST = 10_000  # characters of an answer
SHORT = 40
USES: tuple[Comma, ...] = ("decimal", "thousands")
AND = re.compile(r"(?<=[\d\])])\s+(?:and|und|&)\s+(?=[-+\[(.\d])")
SPACED = re.compile(r"\d,\d+\s+[-+]?\d+,\d")  # entries with decimal commas, and spaces between
UNCERTAIN = re.compile(r"[-+]?\d*\.\d+\(\d+\)|[-+]?[\d.]+\s*(?:±|\+/-)\s*[\d.]+")  # 0.32(2), 0.32 ± 0.02
SIZE = re.compile(r"[\[(]?\d+(?:\s*(?:[x×]|by)\s*\d+)+[\])]?", re.IGNORECASE)  # 3x2 is the shape (3, 2)
BY = re.compile(r"\s*(?:[x×]|by)\s*", re.IGNORECASE)
BRACKETS = re.compile(r"[\[({\s]*(?P<inner>[^\[\](){}]*?)[\])}\s]*")
SIGNED = re.compile(r"\S+(?:\s+[-+]\S+){2,}")  # three entries or more
TWO_SIGNED = re.compile(r"([-+]?[\d.]+(?:e[-+]?\d+)?)\s+([-+])([\d.]+(?:e[-+]?\d+)?)", re.IGNORECASE)  # 1 -2
NONE = re.compile(r"^(?:torch\.)?tensor\(None\)$")
FACTS = {
    **dict.fromkeys(("yes", "ja", "wahr"), "True"),
    **dict.fromkeys(("no", "nein", "falsch"), "False"),
    **dict.fromkeys(("nothing", "nonetype"), "None"),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The form of the answer to a question. A formula is over `names`; by `values`, `2*x = 6` can be checked.

    Where there is `nothing`, None is right, and a number or tensor can be read.
    """

    kind: Literal["number", "formula", "word", "nothing"]
    shape: tuple[int, ...] = ()
    names: frozenset[str] = frozenset()
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plain:
    """An answer in the plain notation, read; `others` are formulas that the student says are equal to it."""

    text: str
    read: Read
    others: tuple[tuple[str, Typed | Formula], ...] = ()

    def differs_from(self, text: str) -> bool:
        """Whether more than spaces was changed."""
        return "".join(self.text.split()) != "".join(text.replace("−", "-").split())


def read_plain(text: str, wanted: Wanted, comma: Comma = "") -> Plain:
    """Read an answer, of which the comma is used as in the rest of the hand-in. Raises UnreadableError."""
    if len(text) > LONGEST:
        raise UnreadableError(f"an answer of {len(text):,} characters")
    if wanted.kind == "word":
        plain = characters.word(text)
        return Plain(plain, None)
    if wanted.kind == "nothing":
        return nothing_or_number(text, comma)
    if len(text) < SHORT and NUMERAL.fullmatch(text) and not wanted.shape:
        typed = read_numeral(text)
        if typed is not None:
            return Plain(text.replace("−", "-"), checked(typed))
    tidied = characters.tidied(text)
    plain = without_latex(tidied)
    if plain != tidied:
        plain = characters.undressed(plain)
    try:
        return (formula_of if wanted.kind == "formula" else number_of)(plain, wanted, comma)
    except TwoReadingsError as error:
        raise UnreadableError(str(error)) from None
    except UnreadableError as error:
        raise UnreadableError(slip_of(text.strip()) or str(error)) from None


def nothing_or_number(text: str, comma: Comma) -> Plain:
    """Read an answer where nothing is asked for: None in words, or a number or tensor that somebody expected."""
    plain = NONE.sub("None", characters.word(text))
    if FACTS.get(plain.lower(), plain).lower() == "none":
        return Plain(plain, None)
    return read_plain(text, Wanted("number"), comma)


def number_of(text: str, wanted: Wanted, comma: Comma) -> Plain:
    *earlier, last = map(without_prose, members(without_prose(text)))
    try:
        found = amount(last, wanted.shape, comma)
    except (UnreadableError, TwoReadingsError):
        return by_the_others(earlier, last, wanted, comma)
    for one in earlier:
        if not agree(one, found.read, wanted.values, comma):
            if DOUBTFUL.fullmatch(last):
                return by_the_others(earlier, last, wanted, comma)
            raise UnreadableError(f"{shortened(one)} is not {shortened(last)}: write the one that you mean")
    return found


def by_the_others(earlier: Sequence[str], last: str, wanted: Wanted, comma: Comma) -> Plain:
    """Read the last member of a chain as the others say: `2*4.25 = 8,500`, or a number before a formula: `8.5 = 2*s`.

    Raises the error of the last member where they do not tell.
    """
    sure = [one for one in earlier if worth(one, wanted.values, comma)[0] is not None]
    if sure and DOUBTFUL.fullmatch(last):
        readings = [amount(last, wanted.shape, use) for use in USES]
        told = [found for found in readings if all(agree(one, found.read, wanted.values, comma) for one in sure)]
        if len(told) == 1:
            return told[0]
        raise UnreadableError(f"{shortened(sure[-1])} is not {shortened(last)}: write the one that you mean")
    if sure and numerals(sure[-1]) and worth(last, wanted.values, comma)[0] is not None:
        found = amount(sure[-1], wanted.shape, comma)
        if all(agree(one, found.read, wanted.values, comma) for one in (*sure, last)):
            return found
    return amount(last, wanted.shape, comma)


def amount(text: str, shape: tuple[int, ...], comma: Comma) -> Plain:
    """Read a number or a tensor."""
    return (remembered if len(text) <= KEPT else read_amount)(text, shape, comma)


def read_amount(text: str, shape: tuple[int, ...], comma: Comma) -> Plain:
    fact = characters.FACT.fullmatch(text)
    word = FACTS.get(fact["fact"].lower(), fact["fact"]) if fact else FACTS.get(text.lower(), text)
    if word.lower() in WORDS:
        return Plain(word, WORDS[word.lower()])
    if word.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise UnreadableError("not a finite number")
    bare = arrays.bare(text)
    if all(n == 1 for n in shape):
        bare = unmixed(bare)
        inner = BRACKETS.fullmatch(bare)
        found = numerals(bare) or (numerals(inner["inner"]) if inner else {})
        if found:
            one = read_numeral(settled(found, comma))
            if one is None:
                raise UnreadableError("neither a number nor a tensor")
            return Plain(settled(found, comma), checked(shaped(one, shape)))
    else:
        bare = AND.sub(", ", bare)
        bare = BY.sub(", ", bare) if len(shape) == 1 and SIZE.fullmatch(bare) else bare
    tensor = tensor_of(bare, shape, comma)
    if tensor is not None:
        return tensor
    if UNCERTAIN.fullmatch(bare):
        raise UnreadableError("write the number without its uncertainty")
    return computation(bare, shape, comma)


remembered = lru_cache(2**12)(read_amount)  # in whatever marks students put it


def settled(found: Mapping[Comma, str], comma: Comma) -> str:
    """Return the reading that the rest of the hand-in uses. Raises UnreadableError where it does not tell."""
    if "" in found:
        return found[""]
    if comma in found:
        return found[comma]
    raise TwoReadingsError(f"two readings: {' or '.join(found.values())}")


def tensor_of(text: str, shape: tuple[int, ...], comma: Comma) -> Plain | None:
    """Read entries with or without brackets; None where there is anything else."""
    found = list(arrays.arrays(text))
    fitting = {
        arrays.written(rows): (use, rows)
        for use, whole in found
        if arrays.fits(arrays.shape_of(whole), shape)
        for rows in [arrays.reshaped(whole, shape)]
    }
    if len(fitting) > 1:
        of_hand_in = [plain for plain, (use, _) in fitting.items() if (use == "decimal") == (comma == "decimal")]
        if not comma or len(of_hand_in) != 1:
            raise TwoReadingsError(f"two readings: {' or '.join(map(shortened, fitting))}")
        fitting = {of_hand_in[0]: fitting[of_hand_in[0]]}
    if fitting:
        ((plain, (_, rows)),) = fitting.items()
        return Plain(plain, arrays.entries(rows))
    if not shape and (two := TWO_SIGNED.fullmatch(text)):
        raise TwoReadingsError(f"two readings: [{two[1]}, {two[2]}{two[3]}] or {' '.join(two.groups())}")
    if not found or (not shape and not re.search(r"[\[({]", text) and not SIGNED.fullmatch(text)):
        return None
    _, rows = found[-1] if SPACED.search(text) and not re.search(r",\s", text) else found[0]
    if arrays.shape_of(rows) is None:
        raise UnreadableError("rows of different lengths")
    return Plain(arrays.written(rows), arrays.entries(rows))


def shaped(typed: Typed, shape: tuple[int, ...]) -> Typed:
    """Return numbers in the shape asked for where only ones are added or dropped, else as they are."""
    if np.shape(typed.value) == shape or not arrays.fits(np.shape(typed.value), shape):
        return typed
    parts = (
        np.broadcast_to(part, np.shape(typed.value)).reshape(shape)[()]
        for part in (typed.value, typed.unit, typed.digits, typed.zeros)
    )
    return Typed(*parts)


def computation(text: str, shape: tuple[int, ...], comma: Comma) -> Plain:
    """Compute an answer such as `sqrt(2)/2`, which has all digits."""
    plain = rewritten(text, frozenset(), comma)
    read = read_number(plain)
    return Plain(plain, shaped(read, shape) if isinstance(read, Typed) else read)


def formula_of(text: str, wanted: Wanted, comma: Comma) -> Plain:
    *earlier, last = members(text)
    found = numerals(last)
    if found:
        number = read_numeral(settled(found, comma))
        if number is None:
            raise UnreadableError("neither a number nor a formula")
        read: Read
        plain, read = settled(found, comma), checked(number)
    else:
        plain = rewritten(last, wanted.names, comma)
        read = read_answer(plain)
    others: list[tuple[str, Typed | Formula]] = []
    for one in earlier:
        try:
            other = read_answer(rewritten(one, wanted.names, comma))
        except (UnreadableError, TwoReadingsError):
            continue  # `q'(x) = 2*x`: a label of its own
        if isinstance(other, Typed) or (isinstance(other, Formula) and names_in(other.tree) <= wanted.names):
            others.append((one, other))
    return Plain(plain, read, tuple(others))


def shortened(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[: SHORT - 3]}..."
