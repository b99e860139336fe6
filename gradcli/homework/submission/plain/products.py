"""Formulas as students write them: `3x`, `2(x+1)`, `e^(-x)`, `sin x`, `sin²x`, `√2`, `|x|`.

The text becomes one of the language, with every sign of multiplication and every bracket. Where two readings are usual
(`1/2x`, `sin x/2`, `e^2x`) it has none.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from gradcli.homework.submission.plain.names import UNARY, is_function, spelled

RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾⁼ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
LOWERED_TO = "0123456789+-()=abcdefghijklmnoprstuvwxyz"
LOWER = str.maketrans(RAISED, LOWERED_TO)
TOKEN = re.compile(
    rf"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<raised>[{RAISED}]+)|(?P<turned>ᵀ)"
    rf"|(?P<name>[^\W\d{RAISED}ᵀ][^\W{RAISED}ᵀ]*)|(?P<attribute>\.\s*[^\W\d]\w*)"
    r"|(?P<power>\*\*|\^)|(?P<divide>//?)|(?P<root>√)|(?P<open>[(\[])|(?P<close>[)\]])|(?P<bar>\|)|(?P<gap>\s+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
VALUES = ("number", "name", "close", "raised", "turned", "attribute")  # kinds that a product may follow
LONGEST = 2000


class TwoReadingsError(Exception):
    """A formula that may be meant in two ways; the message has both."""


@dataclass(slots=True)
class Token:
    kind: str
    text: str
    gap: bool = False  # whether a space stands before it


def formula(text: str, names: Collection[str] = ()) -> str:
    """Return a formula in the language, over these names of variables. Raises TwoReadingsError."""
    if len(text) > LONGEST or '"' in text or "'" in text:
        return text
    return _formula(text, frozenset(names))


@lru_cache(2**10)
def _formula(text: str, names: frozenset[str]) -> str:
    tokens = powers(applied(named(tokens_of(text), names), names), names)
    return joined(tokens, names)


def tokens_of(text: str) -> list[Token]:
    found: list[Token] = []
    gap, bars = False, 0
    for one in TOKEN.finditer(text):
        kind, piece = str(one.lastgroup), one[0]
        if kind == "gap":
            gap = True
            continue
        if kind == "raised":
            plain = piece.translate(LOWER)
            found.append(Token("power", "^"))
            if re.fullmatch(r"-?\d+", plain):
                found.append(Token("exponent", plain))
            else:
                found += [Token("open", "("), *tokens_of(plain), Token("close", ")")]
        elif kind == "bar":
            opens = bars % 2 == 0
            bars += 1
            found += [Token("name", "abs", gap), Token("open", "(")] if opens else [Token("close", ")")]
        else:
            found.append(Token(kind, piece, gap))
        gap = False
    return found


def named(tokens: list[Token], names: Collection[str]) -> list[Token]:
    """Spell names as the program does, and take products of names apart: `wx` for `w*x`, `xexp(x)`."""
    found: list[Token] = []
    for place, token in enumerate(tokens):
        follows = tokens[place + 1] if place + 1 < len(tokens) else Token("end", "")
        calls = follows.kind == "open" and follows.text == "("
        if token.kind == "name" and token.text not in names:
            parts = spelled(token.text, frozenset(names), calls=calls)
            found += [Token("name", part, token.gap if number == 0 else False) for number, part in enumerate(parts)]
        else:
            found.append(token)
    return found


def applied(tokens: list[Token], names: Collection[str]) -> list[Token]:
    """Put brackets around the argument of a function that has none: `sin 2x`, `sin² x`."""
    found: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        after = tokens[place + 1 :]
        if token.kind == "root" and after:
            inner, length = radicand(after)
            found += [Token("name", "sqrt", token.gap), *inner]
            place += 1 + length
            continue
        if token.kind != "name" or token.text not in UNARY or token.text in names or not after:
            found.append(token)
            place += 1
            continue
        if after[0].kind == "power" and len(after) > 1 and after[1].kind in ("number", "exponent", "other"):
            if not re.fullmatch(r"[1-9]", after[1].text):
                raise TwoReadingsError(
                    f"{token.text}^{after[1].text} has two readings: write a power or the inverse function"
                )
            inner, length = argument(after[2:], token.text)
            found += [Token("open", "(", token.gap), token, *inner, Token("close", ")"), *after[:2]]
            place += 3 + length
        elif after[0].text == "(":
            found.append(token)
            place += 1
        else:
            inner, length = argument(after, token.text)
            found += [token, *inner]
            place += 1 + length
    return found


def argument(tokens: list[Token], function: str) -> tuple[list[Token], int]:
    """Return the argument of a function, in brackets, and the number of its tokens. Raises TwoReadingsError."""
    if tokens and tokens[0].text == "(":
        end = closing(tokens, 0)
        return tokens[: end + 1], end + 1
    end = 0
    if end < len(tokens) and tokens[end].text in ("-", "−", "+"):
        end += 1
    if end < len(tokens) and tokens[end].kind == "number":
        end += 1
    if end < len(tokens) and tokens[end].kind == "name" and tokens[end].text not in UNARY:
        end += 1
    if end + 1 < len(tokens) and tokens[end].kind == "power" and tokens[end + 1].kind in ("number", "exponent", "name"):
        end += 2
    if end == 0 or tokens[end - 1].kind == "other":
        return [], 0
    follows = tokens[end] if end < len(tokens) else Token("end", "")
    is_value = follows.kind in ("number", "open") or (follows.kind == "name" and follows.text not in UNARY)
    if follows.kind == "divide" or is_value:
        inner, more = "".join(t.text for t in tokens[:end]), follows.text
        raise TwoReadingsError(
            f"{function} {inner}{more}... has two readings: write {function}({inner}) or {function}({inner}{more}...)"
        )
    tokens[0].gap = False
    return [Token("open", "("), *tokens[:end], Token("close", ")")], end


def radicand(tokens: list[Token]) -> tuple[list[Token], int]:
    """Return the number, name or bracket behind `√`, and the number of its tokens. Raises TwoReadingsError."""
    if tokens[0].text == "(":
        end = closing(tokens, 0)
        return tokens[: end + 1], end + 1
    follows = tokens[1] if len(tokens) > 1 else Token("end", "")
    if not follows.gap and follows.kind in ("number", "name", "open", "power"):
        raise TwoReadingsError(f"√{tokens[0].text}{follows.text}... has two readings: write sqrt() with its brackets")
    return [Token("open", "("), Token(tokens[0].kind, tokens[0].text), Token("close", ")")], 1


def closing(tokens: list[Token], start: int) -> int:
    """Return the place of the bracket that closes the one at a place; the last token where there is none."""
    depth = 0
    for place in range(start, len(tokens)):
        depth += {"open": 1, "close": -1}.get(tokens[place].kind, 0)
        if depth == 0:
            return place
    return len(tokens) - 1


def powers(tokens: list[Token], names: Collection[str]) -> list[Token]:
    """Write `exp(...)` for powers of Euler's number, unless the program has a name `e`."""
    if "e" in names or not any(token.text == "e" for token in tokens):
        return tokens
    found: list[Token] = []
    closes: list[int] = []  # places in `tokens` before which a bracket of an `exp(` closes
    place = 0
    while place < len(tokens):
        while place in closes:
            closes.remove(place)
            found.append(Token("close", ")"))
        token = tokens[place]
        if token.kind == "name" and token.text == "e":
            if place + 1 < len(tokens) and tokens[place + 1].kind == "power":
                end = exponent(tokens, place + 2)
                found.append(Token("name", "exp", token.gap))
                if not (
                    end <= len(tokens)
                    and tokens[place + 2 : end]
                    and tokens[place + 2].text == "("
                    and closing(tokens, place + 2) == end - 1
                ):
                    found.append(Token("open", "("))
                    closes.append(end)
                place += 2
                continue
            found += [Token("name", "exp", token.gap), Token("open", "("), Token("number", "1"), Token("close", ")")]
        else:
            found.append(token)
        place += 1
    return [*found, *(Token("close", ")") for _ in closes)]


def exponent(tokens: list[Token], place: int) -> int:
    """Return the place behind an exponent. Raises TwoReadingsError for `e^2x`."""
    while True:
        while place < len(tokens) and tokens[place].text in ("-", "−", "+"):
            place += 1
        if place >= len(tokens):
            return place
        first = tokens[place]
        calls = first.kind == "name" and place + 1 < len(tokens) and tokens[place + 1].text == "("
        if first.kind == "open":
            place = closing(tokens, place)
        elif calls and is_function(first.text):
            place = closing(tokens, place + 1)
        place += 1
        follows = tokens[place] if place < len(tokens) else Token("end", "")
        if first.kind == "number" and not follows.gap and follows.kind in ("name", "open"):
            one, two = f"e^({first.text}*{follows.text}...)", f"e^{first.text}*{follows.text}..."
            raise TwoReadingsError(f"e^{first.text}{follows.text}... has two readings: write {one} or {two}")
        if follows.kind != "power":
            return place
        place += 1


def joined(tokens: list[Token], names: Collection[str]) -> str:
    """Return the text, with a sign wherever two values stand side by side. Raises TwoReadingsError."""
    parts: list[str] = []
    divided: list[int] = [-1]  # in each open bracket the place of a divisor that a product may belong to
    before = Token("other", "")
    for token in tokens:
        starts = token.kind in ("number", "name") or (token.kind == "open" and token.text == "(")
        if before.kind in (*VALUES, "exponent") and starts and not is_call(before, token, names):
            if before.kind in ("number", "exponent") and token.kind == "number":
                parts.append(" ")  # two numbers side by side are no product
            elif before.kind == "name" and token.kind == "number":
                parts.append(" ")
            else:
                if divided[-1] >= 0 and not (token.gap and is_fraction(parts, divided[-1])):
                    raise TwoReadingsError(both(parts, divided[-1], token))
                parts.append("*")
        elif token.gap and parts:
            parts.append(" ")
        if token.kind == "divide":
            divided[-1] = len(parts) + 1
        elif token.text in ("*", "·", "⋅", "×", "+", "-", "−", ",", "@", ";", "<", ">", "=", ":"):
            if before.kind in VALUES or before.kind == "exponent":
                divided[-1] = -1
        elif token.kind == "open":
            divided.append(-1)
        elif token.kind == "close" and len(divided) > 1:
            divided.pop()
        parts.append(token.text)
        before = token
    return "".join(parts)


def is_call(before: Token, token: Token, names: Collection[str]) -> bool:
    return before.kind == "attribute" or (before.kind == "name" and token.text == "(" and before.text not in names)


def is_fraction(parts: list[str], divisor: int) -> bool:
    """Whether the quotient is a plain fraction, as in `1/2 x`."""
    return re.search(r"(?:^|[-+*(,·=\s])\d+\s*/\s*\d+\s*$", "".join(parts)) is not None and divisor <= len(parts)


def both(parts: list[str], divisor: int, token: Token) -> str:
    text, inner = "".join(parts), "".join(parts[divisor:])
    ahead = "".join(parts[:divisor])
    return f"two readings: {text}*{token.text}... or {ahead}({inner}*{token.text}...): write the brackets"
