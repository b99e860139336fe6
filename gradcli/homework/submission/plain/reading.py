"""Answers read whole, each as what the question asks for: a number or a tensor, a formula, a word.

What is read is the answer in the language; where it cannot be read, the part that was not understood is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from itertools import islice, product
from json import JSONDecoder
from typing import Any, Literal

import numpy as np

from gradcli.facts import dataclass
from gradcli.homework.submission.answers import (
    KEPT,
    WORDS,
    Formula,
    Read,
    UnreadableError,
    checked,
    computed,
    read_answer,
    read_number,
    slip_of,
)
from gradcli.homework.submission.numerals import NUMERAL, SLACK, Typed, read_numeral, stacked
from gradcli.homework.submission.plain.indices import has_indices, without_indices
from gradcli.homework.submission.plain.names import INDEXED, matching
from gradcli.homework.submission.plain.numbers import DOTTED, DOUBTFUL, Comma, numerals
from gradcli.homework.submission.plain.prose import Words, bare_text
from gradcli.homework.submission.plain.shapes import in_language, squeezed
from gradcli.homework.submission.plain.syntax import FaultError, TwoReadingsError, is_digits, parsed
from gradcli.homework.submission.plain.tokens import PROSE, Token, joined_text, plain_characters, quoted, tokens_of
from gradcli.homework.submission.plain.vocabulary import is_harmless
from gradcli.homework.wording import listed
from gradcli.language.catalogue import FAMILY_OF
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Argument, Call, Compare, Expression, List, Name, postorder
from gradcli.language.tree import names as names_in
from gradcli.language.unparser import unparse

LONGEST = 10_000  # characters of an answer
SHORT = 40
PRINTED = re.compile(r"\[[-\d., \[\]\n]*\]")
DEEPEST = 64  # brackets of a tensor that Python printed
DECODER = JSONDecoder(parse_float=str, parse_int=str)  # every number as it was typed
MARKED = re.compile(rf"[ =\"“”`]*({NUMERAL.pattern})[ \"“”`✓]*")  # `= 5`, `"5"`
UNCERTAIN = re.compile(r"[-+]?\d*\.\d+\(\d+\)|[-+]?[\d.]+\s*(?:±|\+/?-)\s*[\d.]+")  # 0.32(2), 0.32 ± 0.02
LOST_POWER = re.compile(r"(?P<digits>[-+]?[1-9](?P<fraction>[.,]\d+)?)\s*[×·xX]\s*10(?P<power>-?\d{1,2})")  # 2.5 × 10-3
PERIODIC = re.compile(r"[-+]?\d*\.\d?\(\d+\)")  # 0.(3), 0.1(6)
SIZE = re.compile(r"[\[(]?\d+(?:\s*(?:[x×]|by)\s*\d+)+[\])]?", re.IGNORECASE)  # 3x2 is the shape (3, 2)
BY = re.compile(r"\s*(?:[x×]|by)\s*", re.IGNORECASE)
BRACKETS = re.compile(r"(?P<opens>[\[({\s]*)(?P<inner>[^\[\](){}]*?)(?P<closes>[\])}\s]*)")
PAIRS = str.maketrans("[({", "])}", " \t\n")
SPACED_ROW = re.compile(r"\((?P<inner>\s*[-+]?[\d.][^\s(),;]*(?:\s+[-+]?[\d.][^\s(),;]*)+\s*)\)(?P<behind>.*)")
SPACED = re.compile(r"\d,\d+\s+[-+]?\d+,\d")  # entries with decimal commas, and spaces between
SIGNED = re.compile(r"\S+(?:\s+[-+]\S+){2,}")  # three entries or more
TWO_SIGNED = re.compile(r"([-+]?[\d.]+(?:e[-+]?\d+)?)\s+([-+])([\d.]+(?:e[-+]?\d+)?)", re.IGNORECASE)  # 1 -2
MIXED = re.compile(r"(?P<sign>[-+]?)\s*(?P<whole>\d+)\s+(?P<part>\d+\s*/\s*\d+)")
LETTER = re.compile(r"[^\W\d]")
NONE = re.compile(r"^(?:torch\.)?tensor\(None\)$")
FACT = re.compile(  # `True, it is`, `it is None`
    r"(?:it\s+is\s+|it's\s+)?(?P<fact>true|false|none|yes|no|wahr|falsch|\w+Backward\d)(?:\s*[,;(–—]\s*(?P<remark>[^\W\d][^\d]*))?",
    re.IGNORECASE,
)
FACTS = {
    **dict.fromkeys(("yes", "ja", "wahr"), "True"),
    **dict.fromkeys(("no", "nein", "falsch"), "False"),
    **dict.fromkeys(("nothing", "nonetype"), "None"),
}
AROUND = re.compile(r"^[\s=:≈→]+|(?<!\.)\.$|[\s!;,✓✔\u2600-\u27bf\U0001f300-\U0001faff]+$")
ENOUGH = 3  # digits that a factor has which may be rounded; 0.5 is meant as it stands
ROUNDED = re.compile(r"(?<![\w.])\d+\.\d+(?:[eE][-+]?\d+)?(?![\w.])")
GLUED = re.compile(  # `sin2x`; `tanh^2` is no tan of h
    r"(?<![^\W\d])(?!(?:sin|cos|tan)h\b)(?P<function>sin|cos|tan|tg|sen|ln)(?P<factor>\d*)(?P<name>[^\W\d_])\b(?!\s*\()"
)
FRACTION = re.compile(r"\b(?:Fraction|Rational)\(\s*(-?\d+)\s*,\s*(\d+)\s*\)")
BROADCAST = re.compile(r"(?<=[a-z])\.\(")  # Julia's `sin.(x)`
MOST = 12  # factors that may be rounded
TIMES = re.compile(r"(?<=[\d)])\s+[xX]\s+(?=[-+−(]*[\d.])")  # 2 x 0.5
CLOSE = 1e-5
COUNTS = frozenset("nmNMB")  # letters for the number of samples
SIZED = frozenset("I𝟙")
GENERIC = re.compile(
    r"(?<![^\W\d_])(?<!\\)(?:\\(?:var)?(?:phi|psi|rho|sigma)|[φϕψρσgfh])(?=(?:'|\^\{?\\prime\}?)?\s*(?:\\left\s*)?\()"
)  # φ'(z)
D = r"(?:\\partial|∂|\\mathrm\s*\{d\}|d)\s*"
QUOTIENT = re.compile(rf"\\[dt]?frac\s*\{{\s*{D}(\w+)\s*\}}\s*\{{\s*{D}(\w+)\s*\}}|(?<![^\W\d]){D}(\w+)\s*/\s*{D}(\w+)")
LABELLED = re.compile(r"[({]*(?:frac|[d∂∇])(?!.*\bsum|.*Σ)")  # begins a label
TRUTHS: Mapping[str, Expression] = {"True": Name("1"), "true": Name("1"), "False": Name("0"), "false": Name("0")}
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Definition:
    """A label above an answer, as a name, and what the student says that it is."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """The form of the answer to a question: of a `shape`, over `names`; by `values`, `2*x = 6` can be checked.

    Where there is `nothing`, None is right, and a number or tensor can be read. `shapes` are those of the names. The
    `question` may name a unit. A name that the student has defined stands for a formula in `definitions`, in which
    those before it may be used. A letter that is no name, `φ(z)`, means the one of the `activations`; `n` and `m` are
    the `count`, and `𝟙` is a vector and `I` a matrix of the `size`, where that is not 0.
    """

    kind: Literal["number", "formula", "word", "nothing"]
    shape: tuple[int, ...] = ()
    names: frozenset[str] = frozenset()
    values: Values = field(default_factory=dict)
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    question: str = ""
    definitions: tuple[Definition, ...] = ()
    activations: tuple[str, ...] = ()
    count: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class Plain:
    """An answer in the language, read; `others` are formulas that the student says are equal to it."""

    text: str
    read: Read
    others: tuple[tuple[str, Typed | Formula], ...] = ()

    def differs_from(self, text: str) -> bool:
        """Whether more than spaces was changed."""
        return "".join(self.text.split()) != "".join(text.replace("−", "-").split())


def word(text: str) -> str:
    """Return an answer in words, without what stands around it."""
    text = AROUND.sub("", bare_text(text.translate(PROSE)))
    fact = FACT.fullmatch(text)
    is_sure = fact is not None and all(map(is_harmless, re.findall(r"\w+", fact["remark"] or "")))
    return fact["fact"] if fact and is_sure else text


def read_plain(text: str, wanted: Wanted, comma: Comma = "") -> Plain:
    """Read an answer, of which the comma is used as in the rest of the hand-in. Raises UnreadableError."""
    if len(text) > LONGEST:
        raise UnreadableError(f"an answer of {len(text):,} characters")
    if wanted.kind == "word":
        return Plain(word(text), None)
    if wanted.kind == "nothing":
        return nothing_or_number(text, comma)
    if len(text) < SHORT and not wanted.shape and (number := MARKED.fullmatch(text)):  # as most answers are
        typed = read_numeral(number[1])
        if typed is not None and not (comma == "decimal" and DOTTED.fullmatch(number[1])):
            return Plain(number[1].replace("−", "-"), checked(typed))
    try:
        return Reader(text, wanted, comma).read()
    except TwoReadingsError as error:
        raise UnreadableError(str(error)) from None
    except UnreadableError as error:
        raise UnreadableError(slip_of(text.strip()) or str(error)) from None


def nothing_or_number(text: str, comma: Comma) -> Plain:
    """Read an answer where nothing is asked for: None in words, or a number or tensor that somebody expected."""
    plain = NONE.sub("None", word(text))
    if FACTS.get(plain.lower(), plain).lower() == "none":
        return Plain(plain, None)
    return read_plain(text, Wanted("number"), comma)


class Reader:
    """Reads one answer."""

    def __init__(self, text: str, wanted: Wanted, comma: Comma) -> None:
        self.wanted, self.comma = wanted, comma
        self.defined = tuple(
            definition for definition in wanted.definitions if not matching(definition.name, wanted.names)
        )
        self.names = wanted.names | frozenset(wanted.values) | {definition.name for definition in self.defined}
        self.sized = ((COUNTS if wanted.count else frozenset()) | (SIZED if wanted.size else frozenset())) - self.names
        plain = FRACTION.sub(r"(\1/\2)", bare_text(plain_characters(text)).replace("{,}", ","))
        plain = BROADCAST.sub("(", plain)
        if wanted.kind == "number" and not wanted.shape and self.names.isdisjoint("xX"):
            plain = TIMES.sub(" × ", plain)
        if self.defined:
            plain = QUOTIENT.sub(self.derivative, plain)
        if len(wanted.activations) == 1:
            plain = GENERIC.sub(self.activation, plain)
        self.letters = ""  # the indices of the label
        self.text = GLUED.sub(self.apart, plain)
        if not self.text and text.strip():
            raise UnreadableError("nothing is left of it that is not struck out")

    def derivative(self, quotient: re.Match[str]) -> str:
        """Return the name of a derivative that the student has given above, `dLdz` for `∂L/∂z`; others as they are."""
        name = "d".join(("", *filter(None, quotient.groups())))
        return f" {name} " if any(definition.name == name for definition in self.defined) else quotient[0]

    def activation(self, letter: re.Match[str]) -> str:
        """Return the activation for a letter that stands for it, `φ(z)`, if it is no name of the program."""
        symbol = letter[0].removeprefix("\\").removeprefix("var")
        return f" {self.wanted.activations[0]}" if not matching(symbol, self.names) else letter[0]

    def apart(self, word: re.Match[str]) -> str:
        """Return `sin 2x` for `sin2x`, of a name of the program."""
        is_function = word[0] not in self.names and word["name"] in self.names
        return f"{word['function']} {word['factor']}{word['name']}" if is_function else word[0]

    def read(self) -> Plain:
        fact = self.fact()
        if fact is None and self.wanted.kind == "formula":
            if self.is_formula(self.text):
                return Plain(self.text, read_answer(self.text))
            return self.formula()
        return fact or self.number()

    def fact(self) -> Plain | None:
        if not LETTER.search(self.text):
            return None
        plain = word(self.text)
        if plain.lower().lstrip("+-") in ("nan", "inf", "infinity"):
            raise UnreadableError("not a finite number")
        if self.wanted.kind == "formula":
            return None
        plain = FACTS.get(plain.lower(), plain)
        return Plain(plain, WORDS[plain.lower()]) if plain.lower() in WORDS else None

    def sentence(self) -> list[list[Token]]:
        at = [float(n) for value in self.wanted.values.values() for n in np.ravel(value)]
        names = self.names | self.sized | {name.rstrip("0123456789") for name in self.names}  # W of W^{(1)}
        return Words(self.text, tokens_of(self.text, "separator"), names, at, self.wanted.question).sentence()

    # ---- numbers and tensors

    def number(self) -> Plain:
        if self.wanted.shape and (printed := as_printed(self.text, self.wanted.shape)):
            return printed
        if numerals(self.text) or (len(self.wanted.shape) == 1 and SIZE.fullmatch(self.text)):
            return self.amount(self.text)
        *earlier, last = self.sentence() or [[]]
        texts = [quoted(member, self.text) for member in earlier]
        text = quoted(last, self.text)
        try:
            amount = self.amount(text)
        except (UnreadableError, TwoReadingsError):
            return self.by_the_others(texts, text)
        for other in texts:
            if not self.agrees(other, amount.read):
                if DOUBTFUL.fullmatch(text):
                    return self.by_the_others(texts, text)
                raise UnreadableError(f"{shortened(other)} is not {shortened(text)}: write the one that you mean")
        return amount

    def by_the_others(self, earlier: Sequence[str], last: str) -> Plain:
        """Read the last member of a chain as the others say: `2*4.25 = 8,500`, or a number before it: `8.5 = 2*s`.

        Raises the error of the last member where they do not tell.
        """
        sure = [member for member in earlier if self.worth(member) is not None]
        if sure and DOUBTFUL.fullmatch(last):
            readings = [Reader(last, self.wanted, use).number() for use in ("decimal", "thousands")]
            agreed = [reading for reading in readings if all(self.agrees(member, reading.read) for member in sure)]
            if len(agreed) == 1:
                return agreed[0]
            raise UnreadableError(f"{shortened(sure[-1])} is not {shortened(last)}: write the one that you mean")
        if len(sure) == len(earlier) and sure and numerals(sure[-1]) and self.worth(last) is not None:
            reading = self.amount(sure[-1])
            if all(self.agrees(member, reading.read) for member in (*sure, last)):
                return reading
        return self.amount(last)

    def amount(self, text: str) -> Plain:
        """Read a number or a tensor."""
        return (remembered if len(text) <= KEPT else read_amount)(text, self.wanted.shape, self.comma)

    def agrees(self, member: str, last: Read) -> bool:
        """Whether a member has the value of the last one, up to the digits typed. Raises UnreadableError for words."""
        worth = self.worth(member)
        if worth is None and self.is_of_program(member):
            return True  # by a number that was computed before, right or wrong
        if worth is None:
            raise UnreadableError(f"{shortened(member)!r} is not understood: write the answer alone")
        if not isinstance(last, Typed):
            return True
        value, off = worth
        if np.size(value) != np.size(last.value):
            return False
        if np.ndim(value) == np.ndim(last.value) == 0 and np.isclose(2 * off, float(last.unit), rtol=1e-5, atol=0):
            return bool(np.isclose(value, last.value, rtol=1e-9, atol=1e-12))  # `0.4 = 0.5`: of as many decimals
        unit = np.asarray(last.unit) * 10.0 ** np.asarray(last.zeros)
        unit = np.where(unit >= 1, 0.0 if numerals(member) and unit.ndim == 0 and "." not in member else unit, unit)
        with np.errstate(all="ignore"):
            allowed = unit / 2 * SLACK + off + CLOSE * np.abs(last.value) + 1e-12
            gap = np.abs(np.asarray(value, float).reshape(-1) - np.ravel(last.value))
        return bool(np.all(gap <= np.ravel(allowed)))

    def is_of_program(self, member: str) -> bool:
        """Whether a member is a formula over names of the program."""
        try:
            tree = parsed(tokens_of(member, "separator"), self.names)
        except (TwoReadingsError, FaultError):
            return False
        mentioned = {name for name in names_in(tree) if not is_digits(name)}
        return bool(mentioned) and mentioned <= self.names | {"pi"}

    def worth(self, member: str) -> tuple[Any, float] | None:
        """Return the value of a member, and how far rounded factors may lead it off; None where it has none."""
        texts = numerals(member)
        if texts:
            typed = read_numeral(texts.get(self.comma, texts.get("", next(iter(texts.values())))))
            if typed is not None:
                return typed.value, float(typed.unit) / 2 if float(typed.unit) < 1 else 0.0
        for use in ("decimal", "separator") if re.search(r"\d,\d", member) else ("separator",):
            try:
                tree = parsed(tokens_of(member, use), self.names)
                shapes = {name: np.shape(value) for name, value in self.wanted.values.items()}
                text = unparse(in_language(tree, shapes, None))
                value = value_at(text, self.wanted.values)
                return value, sum(moved(text, value, self.wanted.values))
            except (UnreadableError, TwoReadingsError, FaultError, TypeError, ValueError):
                continue
        return None

    # ---- formulas

    def formula(self) -> Plain:
        *earlier, last = self.sentence() or [[]]
        text = quoted(last, self.text)
        texts = numerals(text)
        head, sign, _ = self.text.partition("=")
        label = joined_text(tokens_of(head, "separator")) if sign and "_" in head else ""
        self.letters = "".join(match["index"] for match in INDEXED.finditer(label)) if LABELLED.match(label) else ""
        read: Read
        if texts:
            plain = settled(texts, self.comma)
            number = read_numeral(plain)
            if number is None:
                raise UnreadableError("neither a number nor a formula")
            read = checked(number)
        else:
            plain = self.rewritten(text)
            read = read_answer(plain)
        others: list[tuple[str, Typed | Formula]] = []
        for tokens in earlier:
            member = quoted(tokens, self.text)
            other = read_answer(self.rewritten(member))
            if isinstance(other, Typed | Formula):
                others.append((member, other))
        return Plain(plain, read, tuple(others))

    def is_formula(self, text: str) -> bool:
        """Whether the language reads a text as it is meant; in a number a square bracket only groups."""
        has_shapes = self.wanted.shapes or ("[" in text and not self.wanted.shape)
        return not has_shapes and is_formula(text, self.wanted.names)

    def rewritten(self, text: str) -> str:
        """Return a formula in the language. Raises UnreadableError and TwoReadingsError."""
        wanted = self.wanted
        if self.is_formula(text):
            return text
        tree = self.tree(text, is_scalar=not wanted.shape)
        for place, definition in reversed(list(enumerate(self.defined))):
            if definition.name in names_in(tree):
                inner = replace(wanted, definitions=self.defined[:place])
                tree = substitute(tree, {definition.name: Reader(definition.text, inner, self.comma).last_tree()})
                if next(islice(postorder(tree), LONGEST, None), None) is not None:
                    raise UnreadableError("with its definitions it is too long")
        shapes = wanted.shapes
        if has_indices(tree):
            tree = without_indices(tree, shapes, wanted.shape, self.letters)
        if self.sized:
            size = (Argument(Name(str(wanted.size))),)
            special: dict[str, Expression] = {"𝟙": Call("ones", size), "I": Call("eye", size)}
            tree = substitute(tree, {name: special.get(name, Name(str(wanted.count))) for name in self.sized})
        plain = unparse(in_language(tree, shapes, wanted.shape if shapes else None))
        unknown = sorted(names_in(tree) - wanted.names - {"pi"} - {name for name in names_in(tree) if is_digits(name)})
        if unknown:
            raise UnreadableError(f"the program has no {listed(unknown)}")
        return plain

    def tree(self, text: str, *, is_scalar: bool) -> Expression:
        use = "decimal" if with_points(text, self.comma) != text else "separator"
        names = self.wanted.names | {definition.name for definition in self.defined} | self.sized
        return tree_of(text, use, names, is_scalar=is_scalar)

    def last_tree(self) -> Expression:
        """Return the last member of an answer as a tree, of a list in brackets or not."""
        return self.tree(quoted(self.sentence()[-1], self.text), is_scalar=not any(self.wanted.shapes.values()))


def is_formula(text: str, names: frozenset[str]) -> bool:
    """Whether the language reads a text that mentions these names alone."""
    try:
        read = read_answer(text)
    except UnreadableError:
        return False
    if not isinstance(read, Formula):
        return True
    if isinstance(read.tree, Compare) or "//" in text:  # `x > 0` is no value; `3//8` is a fraction in Julia
        return False
    calls = [node for node in postorder(read.tree) if isinstance(node, Call)]
    called = {node.function for node in calls}
    if any(node.function in ("max", "min") and len(node.arguments) > 1 for node in calls):
        return False
    return names_in(read.tree) <= names | {"pi"} and called <= FAMILY_OF.keys() - names


def tree_of(
    text: str,
    use: str,
    names: frozenset[str],
    *,
    is_list: bool = False,
    by_lines: bool = False,
    is_scalar: bool = False,
) -> Expression:
    """Return the tree of a text. Raises UnreadableError, with the part that does not fit."""
    tokens = tokens_of(text, use)
    try:
        return parsed(tokens, names, is_list=is_list, by_lines=by_lines, is_scalar=is_scalar)
    except FaultError as fault:
        token = fault.token
        rest = text[token.start :].strip() if token.kind != "end" else ""
        message = str(fault) or (f"{shortened(rest)!r} is not understood" if rest else "it ends too early")
        raise UnreadableError(message) from None


DECIMAL = re.compile(r"(?<![\w.,])\d+,\d+(?!\d|,\d)")


def with_points(text: str, comma: Comma) -> str:
    """Write decimal points for decimal commas. Raises TwoReadingsError."""

    def point(match: re.Match[str]) -> str:
        if not DOUBTFUL.fullmatch(match[0]) or comma in ("decimal", "both"):
            return match[0].replace(",", ".")
        if comma == "thousands":
            return match[0].replace(",", "")
        raise TwoReadingsError(f"two readings: {match[0].replace(',', '.')} or {match[0].replace(',', '')}")

    return DECIMAL.sub(point, text) if "," in text else text


def settled(readings: Mapping[Comma, str], comma: Comma) -> str:
    """Return the reading that the rest of the hand-in uses. Raises TwoReadingsError where it does not tell."""
    if comma in readings or "" in readings:
        return readings.get(comma, readings.get("", ""))
    raise TwoReadingsError(f"two readings: {' or '.join(dict.fromkeys(readings.values()))}")


def read_amount(text: str, shape: tuple[int, ...], comma: Comma) -> Plain:
    """Read a number or a tensor without words around it. Raises UnreadableError and TwoReadingsError."""
    if all(n == 1 for n in shape):
        plain = joined_text(tokens_of(text, "separator")) if "\\" in text else text
        plain = plain.removesuffix(".") if "," in plain else plain
        mixed = MIXED.fullmatch(text)
        if mixed:
            text = f"{mixed['sign']}({mixed['whole']} + {mixed['part']})"
        inner = BRACKETS.fullmatch(plain)
        is_closed = inner is not None and inner["opens"].translate(PAIRS)[::-1] == "".join(inner["closes"].split())
        readings = numerals(plain) or (numerals(inner["inner"]) if inner and is_closed else {})
        if readings:
            number = read_numeral(settled(readings, comma))
            if number is None:
                raise UnreadableError("neither a number nor a tensor")
            shown = "[" * len(shape) + settled(readings, comma) + "]" * len(shape)
            return Plain(shown, checked(reshaped_as(number, shape)))
        lost = LOST_POWER.fullmatch(text)
        if lost:
            digits, fraction, power = lost.groups()
            if fraction and power.startswith("-"):  # nobody subtracts from so many tens
                return read_amount(f"{digits}e{power}", shape, comma)
            raise TwoReadingsError(f"two readings: {digits}e{power} or {digits}*10{power}")
        if UNCERTAIN.fullmatch(text) and not PERIODIC.fullmatch(text):
            raise UnreadableError("write the number without its uncertainty")
        two = TWO_SIGNED.fullmatch(text)
        if two:
            raise TwoReadingsError(f"two readings: [{two[1]}, {two[2]}{two[3]}] or {' '.join(two.groups())}")
    elif len(shape) == 1 and SIZE.fullmatch(text):
        text = BY.sub(", ", text)
    return fitting(candidates(text, shape, comma), text, shape, comma)


def as_printed(text: str, shape: tuple[int, ...]) -> Plain | None:
    """Read a tensor of this shape as Python prints it, for most are typed so; None for any other text."""
    if not PRINTED.fullmatch(text) or text.count("[") > DEEPEST:
        return None
    try:
        rows = np.array(DECODER.decode(text), dtype=object)
    except ValueError:
        return None
    typed = [read_numeral(entry) for entry in rows.ravel() if isinstance(entry, str)]
    numbers = [number for number in typed if number is not None]
    if rows.shape != shape or len(numbers) < rows.size:
        return None
    return Plain(text, checked(stacked(numbers, shape)))


remembered = lru_cache(2**12)(read_amount)  # in whatever marks students put it


def candidates(text: str, shape: tuple[int, ...], comma: Comma) -> list[tuple[str, Plain]]:
    """Return the readings of a text, the most usual first, each with its commas' use. Raises the error of them all."""
    uses = ("separator", "decimal") if re.search(r"\d,\d", text) else ("separator",)
    lists = (True, False) if shape or "\n" in text else (SIGNED.fullmatch(text) is not None,)
    readings: list[tuple[str, Plain]] = []
    errors: list[UnreadableError | TwoReadingsError] = []
    row = SPACED_ROW.fullmatch(text) if shape else None
    texts = (f"[{row['inner']}]{row['behind']}", text) if row else (text,)  # (1 -2) has two entries, if any
    ends = (False, True) if re.search("[\r\n]", text) else (False,)
    for text, use, is_list, by_lines in product(texts, uses, lists, ends):
        is_scalar = not shape and not is_list and "[" in text and "," not in text
        try:
            try:
                tree = tree_of(text, use, frozenset(), is_scalar=is_scalar, is_list=is_list, by_lines=by_lines)
            except UnreadableError:
                tree = tree_of(text, use, frozenset(), is_list=is_list, by_lines=by_lines)
            readings.append((use, number_of(tree, shape, text, comma)))
        except (UnreadableError, TwoReadingsError) as error:
            errors.append(error)
    if not readings:
        raise next((error for error in reversed(errors) if isinstance(error, TwoReadingsError)), errors[0])
    return readings


def number_of(tree: Expression, shape: tuple[int, ...], text: str, comma: Comma) -> Plain:
    tree = in_language(tree, {}, None)
    if isinstance(tree, Call) and tree.function == "where":
        raise UnreadableError("it is a number under a condition: write the one that holds")
    if isinstance(tree, List):
        tree = reshaped(substitute(tree, TRUTHS), shape)
    else:
        with_points(text, comma)  # `1,234*2` has two readings
    plain = unparse(tree)
    read = read_number(plain)
    return Plain(plain, reshaped_as(read, shape) if isinstance(read, Typed) else read)


def fitting(readings: Sequence[tuple[str, Plain]], text: str, shape: tuple[int, ...], comma: Comma) -> Plain:
    """Return the one reading that has the shape asked for; else the most usual. Raises TwoReadingsError."""
    fit = {
        plain.text: (use, plain)
        for use, plain in readings
        if isinstance(plain.read, Typed) and np.shape(plain.read.value) == shape
    }
    same_comma = [plain for use, plain in fit.values() if (use == "decimal") == (comma in ("decimal", "both"))]
    if len(fit) > 1 and (not comma or len(same_comma) != 1):
        raise TwoReadingsError(f"two readings: {' or '.join(map(shortened, fit))}")
    if fit:
        return same_comma[0] if len(fit) > 1 else next(iter(fit.values()))[1]
    is_decimal = SPACED.search(text) is not None and not re.search(r",\s", text)
    return next((plain for use, plain in readings if use == "decimal" and is_decimal), readings[0][1])


def reshaped(tree: Expression, shape: tuple[int, ...]) -> Expression:
    """Return nested lists in the shape asked for, which fits if only ones are dropped or added; else as they are."""
    own_shape: list[int] = []
    entries: list[Expression] = [tree]
    while any(isinstance(entry, List) for entry in entries):
        lengths = {len(entry.items) if isinstance(entry, List) else -1 for entry in entries}
        if len(lengths) > 1:
            raise UnreadableError("rows of different lengths")
        own_shape += lengths
        entries = [item for entry in entries if isinstance(entry, List) for item in entry.items]
    if not entries:
        return tree
    for size in reversed(shape if tuple(own_shape) != shape and fits(tuple(own_shape), shape) else own_shape):
        entries = [List(tuple(entries[start : start + size])) for start in range(0, len(entries), size)]
    return entries[0]


def fits(shape: tuple[int, ...], asked: tuple[int, ...]) -> bool:
    """Whether a shape is the one asked for, up to ones."""
    return squeezed(shape) == squeezed(asked)


def reshaped_as(typed: Typed, shape: tuple[int, ...]) -> Typed:
    """Return numbers in the shape asked for where only ones are added or dropped, else as they are."""
    own_shape = np.shape(typed.value)
    return typed.reshaped(shape) if own_shape != shape and fits(own_shape, shape) else typed


# ---- the value of a member


def value_at(text: str, values: Values) -> Any:
    """Return the finite value of a formula. Raises UnreadableError where it has none."""
    read = read_answer(text)
    if isinstance(read, Typed):
        return read.value
    if not isinstance(read, Formula) or not names_in(read.tree) <= values.keys() | {"pi"}:
        raise UnreadableError("no number")
    value = np.asarray(computed(read, dict(values)), float)
    if not np.all(np.isfinite(value)):
        raise UnreadableError("not a finite number")
    return value


def moved(text: str, value: Any, values: Values) -> Iterator[float]:
    """Yield how far a computation moves with half a unit in the last digit of each factor that may be rounded."""
    for factor in list(ROUNDED.finditer(text))[:MOST]:
        typed = read_numeral(factor[0])
        if typed is not None and typed.digits >= ENOUGH:
            other = f"{text[: factor.start()]}{float(typed.value) + float(typed.unit) / 2!r}{text[factor.end() :]}"
            yield float(np.max(np.abs(value_at(other, values) - value)))


def shortened(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[: SHORT - 3]}..."
