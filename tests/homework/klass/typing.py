"""Types answers as students do: numbers, tensors, formulas and words, sheets and tables, in any mixture of styles.

A style changes nothing about the answer: a key expects the verdict that the plain text has. Where a text has two
readings (`1,234`) it is `ambiguous`, and a key accepts `unreadable` too.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

Value = Any  # a number, an array, None, True, False, or a text
Dress = Callable[[str], str]
SUPERSCRIPTS = str.maketrans("-0123456789x", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹ˣ")


@dataclass(frozen=True, slots=True)
class Text:
    """An answer as typed, in a style; `decimal` is the mark between units and tenths, where the text has one."""

    text: str
    style: str
    decimal: str = ""
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """One line of a sheet: the text that stands behind the label, "" for a blank."""

    question: str
    quantity: str
    text: str


# ---- numbers


def scientific(text: str, times: str = "e", power: str = "{}") -> str:
    """Write a decimal number with a power of ten: `-3.282×10^-1`."""
    text = text if "." in text else f"{text}."
    digits = len(re.sub(r"^-?0*\.?0*|\.|(?<=[1-9])0*\.$", "", text))
    mantissa, _, exponent = f"{float(text):.{max(digits - 1, 0)}e}".partition("e")
    return f"{mantissa}{times}{power.format(int(exponent))}"


NUMBERS: dict[str, Dress] = {
    "plain": str,
    "comma": lambda text: text.replace(".", ","),
    "minus": lambda text: text.replace("-", "−"),
    "dash": lambda text: text.replace("-", "–"),
    "fullwidth": lambda text: text.translate({ord(c): ord(c) + 0xFEE0 for c in "0123456789.-"}),
    "e": scientific,
    "E": lambda text: scientific(text, "E", "{:+03d}"),
    "times": lambda text: scientific(text, "×10^"),
    "times spaced": lambda text: scientific(text, " × 10^"),
    "dot": lambda text: re.sub(r"(?<=·10).+", lambda power: power[0].translate(SUPERSCRIPTS), scientific(text, "·10")),
    "stars": lambda text: scientific(text, "*10**"),
    "braces": lambda text: scientific(text, r" \cdot 10^", "{{{}}}"),
    "bare point": lambda text: re.sub(r"^(-?)0(?=\.)", r"\1", text),
    "comma and times": lambda text: scientific(text, "·10^").replace(".", ","),
}  # fmt: skip
DRESSES: dict[str, Dress] = {
    "": str,
    "about": lambda text: f"≈{text}",
    "about spaced": lambda text: f"≈ {text}",
    "tilde": lambda text: f"~{text}",
    "equals": lambda text: f"= {text}",
    "dollars": lambda text: f"${text}$",
    "bold": lambda text: f"**{text}**",
    "code": lambda text: f"`{text}`",
    "rounded": lambda text: f"{text} (rounded)",
    "full stop": lambda text: f"{text}." if re.search(r"[.,]", text) else text,
    "bold and about": lambda text: f"**≈ {text}**",
    "float32": lambda text: f"np.float32({text})" if re.fullmatch(r"[-\d.e]+", text) else text,
    "brackets": lambda text: f"[{text}]" if re.fullmatch(r"[-\d.e]+", text) else text,
    "tensor": lambda text: f"tensor({text}, grad_fn=<SumBackward0>)" if re.fullmatch(r"[-\d.e]+", text) else text,
}


def number(value: float, draw: random.Random, digits: int = 5, style: str = "") -> Text:
    """Type a number with so many digits; `style` is one of `NUMBERS`, or drawn, and so is the dress."""
    plain = plain_number(value, digits)
    name = style or draw.choice(list(NUMBERS))
    dress = draw.choice(list(DRESSES)) if draw.random() < 0.5 else ""
    core = NUMBERS[name](plain)
    text = DRESSES[dress](core)
    if draw.random() < 0.1 and dress in ("", "about", "dollars", "bold"):
        text = DRESSES[dress](f"{product(value, plain)} = {core}")
        dress = f"chain {dress}".strip()
    decimal = "," if "," in core else "." if "." in core else ""
    return Text(text, f"{name} {dress}".strip(), decimal, re.fullmatch(r"-?[1-9]\d{0,2},\d{3}", core) is not None)


def plain_number(value: float, digits: int) -> str:
    """Write a number with so many significant digits, zeros among them; a whole number without a point."""
    value = float(value)
    if value == round(value) and abs(value) < 10**digits:
        return str(round(value))
    if not 1e-7 < abs(value) < 1e12:
        return f"{value:#.{digits}g}"
    return f"{float(f'{value:.{digits}g}'):.{max(digits - 1 - math.floor(math.log10(abs(value))), 0)}f}"


def product(value: float, plain: str) -> str:
    """Write a product whose value is the number up to its digits."""
    return f"2*{value / 2:.10g}" if float(plain) else f"0*{plain}"


# ---- tensors


def numpy_print(rows: Any, entry: Dress) -> str:
    """Write as `print(array)` does, a line a row."""
    if np.ndim(rows) < 2:
        return f"[{' '.join(entry(x) for x in rows)}]"
    return "[" + "\n ".join(numpy_print(row, entry) for row in rows) + "]"


def nested(rows: Any, entry: Dress, left: str = "[", right: str = "]", between: str = ", ") -> str:
    if np.ndim(rows) == 0:
        return entry(str(rows))
    return left + between.join(nested(row, entry, left, right, between) for row in rows) + right


def matlab(rows: Any, entry: Dress, between: str = " ", below: str = "; ") -> str:
    rows = np.atleast_2d(rows)
    return "[" + below.join(between.join(entry(x) for x in row) for row in rows) + "]"


def latex(rows: Any, entry: Dress, kind: str = "pmatrix") -> str:
    rows = np.atleast_2d(rows)
    inner = r" \\ ".join(" & ".join(entry(x) for x in row) for row in rows)
    return rf"\begin{{{kind}}} {inner} \end{{{kind}}}"


def comma(text: str) -> str:
    return text.replace(".", ",")


TENSORS: dict[str, Callable[[Any], str]] = {  # of an array of texts
    "lists": lambda rows: nested(rows, str),
    "tight": lambda rows: nested(rows, str, between=","),
    "rows on lines": lambda rows: nested(rows, str).replace("], [", "],\n        ["),
    "numpy": lambda rows: numpy_print(rows, str),
    "np.array": lambda rows: f"np.array({nested(rows, str)})",
    "array": lambda rows: f"array({nested(rows, str)}, dtype=float32)",
    "tensor": lambda rows: f"tensor({nested(rows, str)}, grad_fn=<MmBackward0>)".replace("], [", "],\n        ["),
    "matlab": lambda rows: matlab(rows, str),
    "matlab commas": lambda rows: matlab(rows, str, ", "),
    "matlab decimal commas": lambda rows: matlab(rows, comma),
    "braces": lambda rows: nested(rows, str, "{", "}", ","),
    "parentheses": lambda rows: nested(rows, str, "(", ")"),
    "pmatrix": lambda rows: latex(rows, str),
    "bmatrix in dollars": lambda rows: f"${latex(rows, str, 'bmatrix')}$",
    "decimal commas": lambda rows: nested(rows, comma, between="; " if np.ndim(rows) == 1 else ", "),
    "minus": lambda rows: nested(rows, lambda text: text.replace("-", "−")),
    "more brackets": lambda rows: f"[{nested(rows, str)}]",
    "a column": lambda rows: nested(np.reshape(rows, (-1, 1)), str) if np.ndim(rows) == 1 else nested(rows, str),
    "bare": lambda rows: " ".join(rows) if np.ndim(rows) == 1 and np.size(rows) > 1 else nested(rows, str),
    "bold": lambda rows: f"**{nested(rows, str)}**",
    "about": lambda rows: f"≈ {nested(rows, str)}",
}


def tensor(value: Any, draw: random.Random, digits: int = 5, style: str = "") -> Text:
    """Type an array with so many significant digits in each entry."""
    flat = [plain_number(entry, digits) for entry in np.ravel(value)]
    rows = np.array(flat, dtype=object).reshape(np.shape(value))
    name = style or draw.choice(list(TENSORS))
    found = TENSORS[name](rows)
    return Text(found, name, ambiguous=re.fullmatch(r"\[*-?[1-9]\d{0,2},\d{3}\]*", found) is not None)


# ---- formulas and words

FORMULAS: dict[str, Dress] = {
    "plain": str,
    "caret": lambda text: text.replace("**", "^"),
    "superscripts": lambda text: re.sub(r"\*\*(-?\d+)(?![\d.])", lambda m: m[1].translate(SUPERSCRIPTS), text),
    "implied": lambda text: implied(text),
    "implied caret": lambda text: implied(text).replace("**", "^"),
    "dots": lambda text: re.sub(r"(?<!\*)\*(?!\*)", "·", text),
    "minus": lambda text: text.replace("-", "−"),
    "e to the": lambda text: re.sub(r"\bexp\(", "e^(", text),
    "dollars": lambda text: f"${text.replace('**', '^')}$",
    "cdot": lambda text: re.sub(r"(?<!\*)\*(?!\*)", r" \\cdot ", text).replace("**", "^"),
    "spaces": lambda text: re.sub(r"(?<!\*)\*(?!\*)", " * ", text),
    "bold": lambda text: f"**{text}**" if "**" not in text else text,
    "code": lambda text: f"`{text}`",
}


def implied(text: str) -> str:
    """Leave out the sign of multiplication where a number stands before it, or a bracket behind or before."""
    text = re.sub(r"(?<![\w.)/^*])(\d+(?:\.\d+)?)\*(?=[A-Za-z(])", r"\1", text)
    text = re.sub(r"(?<=\))\*(?=\()", "", text)
    return re.sub(r"(?<=\))\*(?=[A-Za-z])", "", text)


def is_ambiguous_formula(text: str) -> bool:
    """Return whether a product without a sign follows a division: `1/2x`."""
    return re.search(r"/\s*(?:[\w.]+\s*\(|\d[\d.]*[A-Za-z(])", text) is not None and not re.search(
        r"/\s*[A-Za-z]+\(", text
    )


def formula(text: str, draw: random.Random, style: str = "") -> Text:
    """Type a formula, which is given in the plain notation with every sign."""
    name = style or draw.choice(list(FORMULAS))
    found = FORMULAS[name](text)
    return Text(found, name, ambiguous=is_ambiguous_formula(found))


WORDS: dict[str, Dress] = {
    "plain": str,
    "lower": lambda text: text.lower() if text in ("None", "True", "False") else text,
    "bold": lambda text: f"**{text}**",
    "code": lambda text: f"`{text}`",
    "quotes": lambda text: f'"{text}"',
    "full stop": lambda text: f"{text}.",
    "equals": lambda text: f"= {text}",
    "object": lambda text: f"<{text} object at 0x7f3b2c1d5e80>" if text.endswith("Backward0") else text,
}


def word(text: str, draw: random.Random, style: str = "") -> Text:
    name = style or draw.choice(list(WORDS))
    return Text(WORDS[name](text), name)


def typed(value: Value, draw: random.Random, digits: int = 5) -> Text:
    """Type any answer; a text is a formula where it holds an operator, else a word."""
    if isinstance(value, str):
        return formula(value, draw) if re.search(r"[-+*/(]", value) else word(value, draw)
    if value is None or isinstance(value, bool | np.bool_):
        return word(str(value), draw)
    return tensor(value, draw, digits) if np.ndim(value) else number(float(value), draw, digits)


# ---- sheets

HEADINGS: dict[str, Dress] = {
    "brackets": lambda name: f"[{name}]",
    "upper": lambda name: f"[{name.upper()}]",
    "colon": lambda name: f"{name}:",
    "capital and colon": lambda name: f"{name.capitalize()}:",
    "markdown": lambda name: f"## {name}",
    "bold": lambda name: f"**{name}**",
    "question": lambda name: f"Question {name}:",
    "spaces": lambda name: f"  [ {name} ]  ",
}
LABELS: dict[str, Callable[[str, str], str]] = {
    "equals": lambda label, text: f"{label} = {text}",
    "tight": lambda label, text: f"{label}={text}",
    "colon": lambda label, text: f"{label}: {text}",
    "dash": lambda label, text: f"- {label} = {text}",
    "letter": lambda label, text: f"a) {label} = {text}",
    "star": lambda label, text: f"* {label}: {text}",
    "number": lambda label, text: f"1. {label} = {text}",
    "partial": lambda label, text: f"{partial(label)} = {text}",
    "partial tight": lambda label, text: f"{partial(label)}={text}",
    "underscore": lambda label, text: f"{underscored(label)} = {text}",
    "bold": lambda label, text: f"**{label}** = {text}",
    "code": lambda label, text: f"`{label}` = {text}",
    "two spaces": lambda label, text: f"   {label}   =   {text}  ",
}


def partial(label: str) -> str:
    return re.sub(r"\bd(\w+)/d(\w+)", r"∂\1/∂\2", label)


def underscored(label: str) -> str:
    return re.sub(r"\bd(\w+)/d(\w+)", r"d\1_d\2", label)


def sheet(answers: Sequence[Answer], draw: random.Random, *, heading: str = "", label: str = "") -> str:
    """Write a hand-in: headings and labels each in one style, or every line in its own where `label` is `each`."""
    heading = heading or draw.choice([*HEADINGS, "on the line"])
    usual = label or draw.choice([*LABELS, "each"])
    lines, question = [], None
    for one in answers:
        if one.question != question and heading != "on the line":
            lines += ["", HEADINGS[heading](one.question)]
        question = one.question
        style = draw.choice(list(LABELS)) if usual == "each" else usual
        if heading == "on the line":
            style = draw.choice(["equals", "tight", "colon"])
        line = LABELS[style](one.quantity, one.text).rstrip(" ")
        lines.append(f"[{one.question}] {line}" if heading == "on the line" else line)
    return "\n".join(lines) + "\n"


ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "utf-8": lambda text: text.encode(),
    "utf-8 marked": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "utf-16": lambda text: text.encode("utf-16"),
    "utf-16 big": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "utf-16 unmarked": lambda text: text.encode("utf-16-le"),
    "cp1252": lambda text: text.encode("cp1252"),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "cr": lambda text: text.replace("\n", "\r").encode(),
}


def encoded(text: str, draw: random.Random, style: str = "") -> bytes:
    """Return the bytes of a file; a text that cp1252 has no letters for is UTF-8."""
    name = style or draw.choice(list(ENCODINGS))
    try:
        return ENCODINGS[name](text)
    except UnicodeEncodeError:
        return text.encode()


DIALECTS = {",": ",", ";": ";", "tab": "\t"}
FIRST = ("student", "name", "id", "email", "Student", "E-Mail")


def table(rows: Sequence[tuple[str, Answer]], draw: random.Random, *, dialect: str = "", first: str = "") -> str:
    """Write the CSV file of a class: a row an answer, with the student before it."""
    mark = DIALECTS[dialect or draw.choice(list(DIALECTS))]
    header = [first or draw.choice(FIRST), "question", "quantity", "answer"]
    cells = [header, *([who, one.question, one.quantity, one.text] for who, one in rows)]
    return "".join(mark.join(quoted(cell, mark) for cell in row) + "\n" for row in cells)


def quoted(cell: str, mark: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if re.search(rf'[{re.escape(mark)}"\n]', cell) else cell


def settled(texts: Sequence[Text]) -> list[Text]:
    """Return the answers of one hand-in; a doubtful comma is none where another one tells how it is meant."""
    told = {"," if one.decimal == "," else "" for one in texts if not one.ambiguous}
    return [replace(one, ambiguous=one.ambiguous and "," not in told) for one in texts]
