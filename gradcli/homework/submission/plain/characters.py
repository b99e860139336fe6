"""The characters of an answer, and what stands around it: quotation marks, `≈`, `$...$`, a full stop."""

from __future__ import annotations

import re
from unicodedata import normalize

SPACES = dict.fromkeys(map(ord, "\u00a0\u1680\u2007\u202f\u205f\u3000\t\v\f"), " ") | dict.fromkeys(
    range(0x2000, 0x200B), " "
)
INVISIBLE = dict.fromkeys((0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF))
FULLWIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
FRACTIONS = {ord(c): f"({normalize('NFKC', c).replace(chr(0x2044), '/')})" for c in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"}
MIXED = re.compile(rf"(\d+)\s?([{''.join(map(chr, FRACTIONS))}])")  # 1½
OPERATORS = {
    **dict.fromkeys(map(ord, "−–—‐‑‒﹣"), "-"),
    **dict.fromkeys(map(ord, "∙•∗⊙"), "*"),
    **dict.fromkeys(map(ord, "÷∕⁄"), "/"),
    **dict.fromkeys(map(ord, "’‘′"), "'"),
    ord("ˆ"): "^",
    ord("∞"): "inf",
    ord("π"): "pi",
    ord("٫"): ".",
    **dict.fromkeys(map(ord, "⎡⎢⎣⎛⎜⎝"), "["),
    **dict.fromkeys(map(ord, "⎤⎥⎦⎞⎟⎠"), "]"),
    **dict.fromkeys(map(ord, "⟨〈"), "("),
    **dict.fromkeys(map(ord, "⟩〉"), ")"),
}
PROSE = {**SPACES, **INVISIBLE}
ALL = {**PROSE, **FULLWIDTH, **FRACTIONS, **OPERATORS}
PAIRS = (
    *(("```", "```"), ("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"), ("***", "***"), ("**", "**")),
    *(("__", "__"), ("*", "*"), ("`", "`"), ('"', '"'), ("'", "'"), ("“", "”"), ("„", "“"), ("«", "»")),
)
OPENING = {left[:1] for left, _ in PAIRS}
BOXED = re.compile(r"\\(?:boxed|underline|mathbf|mathrm|text|textbf|bm)\{(?P<inner>[^{}]*)\}")
BEFORE = re.compile(
    r"(?:==?>|[=≈~≃≅≡:→⇒]|->|\\approx\b|\\simeq\b|\\sim\b|(?:ca|approx|approximately|about|around|circa|roughly|etwa|ungefähr)\b\.?)\s*",
    re.IGNORECASE,
)
DIGITS = (
    r"(?:to|on|with|auf)?\s*\d{1,2}\s*(?:significant|sig\.?|decimal|dec\.?)?\s*"
    r"(?:digits?|figures?|decimals?|places?|figs?\.?|s\.?f\.?|d\.?p\.?|stellen)"
)
AFTER = re.compile(
    r"\s*(?:\(\s*)?(?:(?:rounded|rounding|approx|approximately|ca|about|exact|exactly|gerundet|ungefähr|etwa)"
    rf"\b\.?\s*(?:{DIGITS})?"
    rf"|{DIGITS})\s*\)?$|(?<!\\)\s*[!;,\u2600-\u27bf\ufe0f\U0001f300-\U0001faff]+$|(?<=[.,]\d)…$|(?<=\d\d)…$",
    re.IGNORECASE,
)
STOP = re.compile(r"(?P<kept>.*(?:[^\d\s.]|\d[.,]\d+|\.\d+|(?:\^|\*\*)-?\d+|\.\d+[eE][-+]?\d+))\s*\.", re.DOTALL)
FACT = re.compile(  # `True, it is`, `it is None`
    r"(?:it\s+is\s+|it's\s+)?(?P<fact>true|false|none|yes|no|wahr|falsch|\w+Backward\d)(?:\s*[,;(–—]\s*[^\W\d][^\d]*)?",
    re.IGNORECASE,
)
STARTS, ENDS = (*"-+.0123456789[",), (*"0123456789]",)  # of a text that has nothing around it
ROUNDS = 20  # of taking something off


def tidied(text: str) -> str:
    """Return a number, a tensor or a formula in plain characters, without what stands around it."""
    if text.isascii() and "\t" not in text:
        return undressed(text)
    return undressed(MIXED.sub(lambda found: f"({found[1]}+{found[2]})", text).translate(ALL))


def undressed(text: str) -> str:
    """Take off, from the outside in, quotation marks, signs such as `≈`, and a remark such as `(rounded)`."""
    for _ in range(ROUNDS):
        if text[:1] in STARTS and text[-1:] in ENDS and text[:2] != "->":
            break
        shorter = without_marks(text.strip())
        if shorter == text:
            break
        text = shorter
    return text


def without_marks(text: str) -> str:
    for left, right in PAIRS if text[:1] in OPENING else ():
        if text.startswith(left) and text.endswith(right) and len(text) > len(left) + len(right):
            inner = text[len(left) : -len(right)]
            if left not in inner or left[:2] == "**":  # nothing begins with a power
                return inner
    boxed = BOXED.fullmatch(text)
    if boxed:
        return boxed["inner"]
    before = BEFORE.match(text)
    if before and before.end() < len(text):
        return text[before.end() :].lstrip("=") if before[0].startswith(("=", ":")) else text[before.end() :]
    after = AFTER.search(text) if len(text) < 1000 and text[-1:] not in ENDS else None
    if after and after.start():
        return text[: after.start()]
    stop = STOP.fullmatch(text) if text.endswith(".") else None
    return stop["kept"] if stop else text


def word(text: str) -> str:
    """Return an answer in words, without what stands around it."""
    text = undressed(text.translate(PROSE))
    fact = FACT.fullmatch(text)
    if fact:
        return fact["fact"]
    return text[:-1] if text.endswith(".") and not text.endswith("..") else text
