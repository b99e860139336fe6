"""Numbers: decimal commas, thousands in groups, powers of ten; and how the rest of a hand-in uses the comma."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Literal

Comma = Literal["decimal", "both", "thousands", ""]  # the use of the comma; "both": points are decimal, too

POWER = re.compile(
    r"(?P<digits>[-+]?\s*[\d.,' ]*\d[.,]?)\s*(?:\*|·|⋅|×|x|\\times|\\cdot)\s*10\s*"
    r"(?:(?:\^|\*\*)\s*(?:[-+]?\d{1,3}|\(\s*[-+]?\s*\d{1,3}\s*\)|\{\s*[-+]?\s*\d{1,3}\s*\})|[⁻⁺]?[⁰¹²³⁴-⁹]{1,3})"
)
EXPONENT = re.compile(r"(?P<digits>[-+]?\s*[\d.,' ]*\d[.,]?)\s*(?:[eE]|\*\^)\s*(?P<power>[-+]?\d{1,4})")
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
DIGITS = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)")
COMMA = re.compile(r"[-+]?\d*,\d+")
DOTTED = re.compile(r"[-+]?[1-9]\d{0,2}\.000")  # thousands beside decimal commas; 1.250 may have four digits
DOUBTFUL = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
COMMAS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")  # 1,234,567.8
POINTS = re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+,\d+|[-+]?[1-9]\d{0,2}(?:\.\d{3}){2,}")  # 1.234.567,8
GROUPS = re.compile(r"[-+]?[1-9]\d{0,2}(?:(?: \d{3})+|(?:'\d{3})+|(?:_\d{3})+)(?:[.,]\d+)?")  # 1 234 567,8
SIGN = re.compile(r"^([-+])\s+")
LONGEST = 80


def numerals(text: str) -> Mapping[Comma, str]:
    """Return the plain numbers that a text may stand for, by the use of the comma; none where it is no number.

    With the key "" the text has one reading.
    """
    return remembered(text) if len(text) <= LONGEST else {}


@lru_cache(2**12)  # students give the same answers
def remembered(text: str) -> Mapping[Comma, str]:
    if DIGITS.fullmatch(text):  # as most are
        return {"decimal": text.replace(".", ""), "": text} if DOTTED.fullmatch(text) else {"": text}
    text = SIGN.sub(r"\1", text.replace("{,}", ",").strip())
    if text.endswith("%") and "e" not in text.lower():
        hundredths = numerals(text[:-1])
        return {comma: f"{Decimal(plain).scaleb(-2):f}" for comma, plain in hundredths.items()}
    power = ""
    match = POWER.fullmatch(text)
    if match:
        last = re.sub(r"[\s(){}]", "", text[match.end("digits") :].translate(SUPERSCRIPTS))
        exponent = re.search(r"10(?:\^|\*\*)?([-+]?\d+)$", last)
        assert exponent
        text, power = match["digits"], f"e{exponent[1]}"
    elif match := EXPONENT.fullmatch(text):
        text, power = match["digits"], f"e{match['power']}"
    text = SIGN.sub(r"\1", text)
    return {comma: f"{plain}{power}" for comma, plain in readings(text, has_power=bool(power)).items()}


def readings(text: str, *, has_power: bool) -> dict[Comma, str]:
    if DIGITS.fullmatch(text):
        return {"": text}
    if DOUBTFUL.fullmatch(text) and not has_power:
        plain = text.replace(",", ".")
        return {"decimal": plain, "both": plain, "thousands": text.replace(",", "")}
    for pattern, spare in ((COMMA, ""), (COMMAS, ","), (POINTS, "."), (GROUPS, " '_")):
        if pattern.fullmatch(text):
            return {"": "".join(c for c in text if c not in spare).replace(",", ".")}
    return {}


NUMERAL = re.compile(
    r"(?<![\w.,])(?P<number>\d[\d.,]*\d)(?P<power>\s*(?:[·⋅×*x]|\\cdot|\\times)\s*10|[eE][-+]?\d)?(?![\d.,]*\d)"
)
LIST = re.compile(r"[\[;]|[({][^(){}]*,[^(){}]*[)}]|,\s|\s,")


def comma_of(texts: Iterable[str]) -> Comma:
    """Return how the numbers of a hand-in use the comma; "" where they do not tell, or both ways.

    A list separates its entries by commas, so it tells nothing; nor does a number that is doubtful itself.
    """
    seen: set[str] = set()
    for text in texts:
        if ("," in text or "." in text) and not LIST.search(text):
            seen.update(filter(None, map(use, NUMERAL.finditer(text))))
    if "decimal" in seen:
        return "" if "thousands" in seen else "both" if "point" in seen else "decimal"
    return "thousands" if seen else ""


def use(match: re.Match[str]) -> str:
    """Return how one number uses the comma, or `point` where it has a decimal point; "" where it does not tell."""
    number = match["number"]
    if DOUBTFUL.fullmatch(number) or DOTTED.fullmatch(number):
        return "decimal" if match["power"] and "," in number else ""
    if POINTS.fullmatch(number) or COMMA.fullmatch(number):
        return "decimal"
    if "," in number and COMMAS.fullmatch(number):
        return "thousands"
    return "point" if "." in number and DIGITS.fullmatch(number) else ""
