"""How students type: in Word, on a phone, in LaTeX, in Markdown tables, spreadsheets, JSON and consoles.

A student has one kind of sheet and a few habits in it. Nothing here changes an answer, nor its number of digits.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import numpy as np

from tests.homework.klass.students import Answer, Student

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
Dress = Callable[[str], str]
WIDTH = 44  # columns of a narrow console
BELOW = r" \\ "  # between the rows of a matrix in LaTeX
EXACT = 8  # digits of a number that a program printed

NUMBERS: dict[str, list[Dress]] = {
    "any": [str] * 8 + [
        lambda t: f"{t} ", lambda t: f"({t})", lambda t: f"approx. {t}", lambda t: f"ca. {t}", lambda t: f"about {t}",
        lambda t: f"the answer is {t}", lambda t: f"{t} (4 s.f.)", lambda t: f"{t} (rounded)", lambda t: f"{t} units",
        lambda t: f"{t} by the chain rule", lambda t: f"{t} (see notes)", lambda t: t if t[0] == "-" else f"+{t}",
        lambda t: f"'{t}'", lambda t: f"{t} !", lambda t: f"{t} ✓", lambda t: f"= {t}", lambda t: f"=> {t}",
        lambda t: f"roughly {t}", lambda t: f"{t}, I think", lambda t: f"I get {t}", lambda t: f"{t} (2 points?)",
        lambda t: f"~{t}", lambda t: f"**≈ {t}**", lambda t: f"`{t}`", lambda t: power(t, "{}*10**{}"),
        lambda t: power(t, "{} × 10^{}"), lambda t: power(t, "{}E{:+03d}"), lambda t: f"[{t}]",
        lambda t: re.sub(r"(?<=·10).+", lambda raised: raised[0].translate(SUPERSCRIPTS), power(t, "{}·10{}")),
    ],
    "word": [str] * 4 + [
        lambda t: t.replace("-", "–"), lambda t: t.replace("-", "–\xa0"), lambda t: t.replace("-", "−"),
        lambda t: t.translate({ord(c): ord(c) + 0xFEE0 for c in "0123456789.-"}),
        lambda t: f"“{t}”", lambda t: f"≈\xa0{t}", lambda t: f"{t}\u200b", lambda t: f"≅ {t}", lambda t: f"{t}…",
    ],
    "phone": [str] * 3 + [lambda t: t.replace("-", "—"), lambda t: t.replace("-", "- "), lambda t: f"{t} 👍",
                          lambda t: t.removeprefix("0"), lambda t: f"Its {t}"],
    "latex": [
        lambda t: f"${t}$", lambda t: rf"\({t}\)", lambda t: rf"\approx {t}", lambda t: rf"$\approx {t}$",
        lambda t: rf"\boxed{{{t}}}", lambda t: rf"$\mathbf{{{t}}}$", lambda t: rf"{t}\,", lambda t: rf"$${t}$$",
        lambda t: rf"\text{{{t}}}", lambda t: rf"\underline{{{t}}}",
        lambda t: power(t, r"{} \times 10^{{{}}}"), lambda t: power(t, r"${}\cdot 10^{{{}}}$"),
    ],
    "console": [
        str, lambda t: f"tensor({t}, requires_grad=True)", lambda t: f"tensor({t}, dtype=torch.float64)",
        lambda t: f"tensor([{t}], grad_fn=<AddBackward0>)", lambda t: f"np.float64({t})",
        lambda t: f"array({t}, dtype=float32)", lambda t: f"Array({t}, dtype=float32)",
        lambda t: f"tensor({t}, device='cuda:0')", lambda t: f"float({t})", lambda t: power(t, "{}e{:+03d}"),
        lambda t: f"<tf.Tensor: shape=(), dtype=float32, numpy={t}>", lambda t: f"{t}  # from the script",
    ],
    "comma": [lambda t: t.replace(".", ","), lambda t: power(t.replace(".", ","), "{}·10^{}"),
              lambda t: f"ca. {t.replace('.', ',')}", lambda t: f"= {t.replace('.', ',')}."],
}  # fmt: skip
STEPS: list[Callable[[float, str], str]] = [
    lambda v, t: f"2 × {v / 2:.10g} = {t}",
    lambda v, t: f"{v - 1.5:.12g} + 1.5 = {t}",
    lambda v, t: f"4 * {v / 4:.10g}\n   = {t}",
    lambda v, t: f"upstream * local = 2 * {v / 2:.10g} = {t}",
    lambda v, t: f"{2 * v:.10g}/2 = {t}",
    lambda v, t: f"({v - 2:.12g}) + (2) = {t}",
]


def plain_number(value: float, digits: int) -> str:
    """Write a number with so many significant digits, zeros among them; a whole number without a point."""
    value = float(value)
    if value == round(value) and abs(value) < 10**digits:
        return str(round(value))
    if not 1e-7 < abs(value) < 1e12:
        return f"{value:#.{digits}g}"
    return f"{float(f'{value:.{digits}g}'):.{max(digits - 1 - math.floor(math.log10(abs(value))), 0)}f}"


def power(text: str, form: str) -> str:
    """Write a number with a power of ten and the same digits."""
    point = "," if "," in text else "."
    text = text.replace(",", ".")
    digits = len(re.sub(r"^-?[0.]*|\.", "", text)) if "." in text else 0
    if not digits:
        return text.replace(".", point)
    mantissa, _, exponent = f"{float(text):.{digits - 1}e}".partition("e")
    return form.format(mantissa.replace(".", point), int(exponent))


def rows_of(value: Any, entry: Callable[[float], str]) -> list[list[str]]:
    return [[entry(float(one)) for one in row] for row in np.atleast_2d(value)]


def bracketed(value: Any, entry: Callable[[float], str], left: str = "[", right: str = "]", mark: str = ", ") -> str:
    if np.ndim(value) == 0:
        return entry(float(value))
    return left + mark.join(bracketed(one, entry, left, right, mark) for one in value) + right


def printed(value: Any, digits: int) -> str:
    """Print as numpy does on a narrow console, in float32 where the digits last."""
    kind = np.float32 if digits >= EXACT else np.float64
    return str(np.array2string(np.asarray(value, kind), max_line_width=WIDTH))


def torch_print(value: Any, digits: int, behind: str = ", requires_grad=True") -> str:
    """Print as torch does: four decimals, or powers of ten where an entry is small."""
    small = [abs(one) for one in np.ravel(value) if one]
    form = "{: .4f}" if min(small, default=1.0) >= 0.01 else "{: .4e}"
    entry = form.format if digits >= 6 else lambda one: plain_number(one, digits)
    return f"tensor({bracketed(value, entry)}{behind})".replace("], [", "],\n        [")


def grid(value: Any, entry: Callable[[float], str], between: str, below: str) -> str:
    return below.join(between.join(row) for row in rows_of(value, entry))


Tensor = Callable[[Any, int], str]


def with_digits(write: Callable[[Any, Callable[[float], str]], str]) -> Tensor:
    return lambda value, digits: write(value, lambda one: plain_number(one, digits))


TENSORS: dict[str, list[Tensor]] = {
    "any": [
        with_digits(bracketed), with_digits(lambda v, e: bracketed(v, e, mark=",")),
        with_digits(lambda v, e: bracketed(v, e, "[ ", " ]")),
        with_digits(lambda v, e: bracketed(v, e).replace("], [", "],\n  [")),
        with_digits(lambda v, e: f"[{grid(v, e, ' ', '; ')}]"), with_digits(lambda v, e: f"[{grid(v, e, ', ', '; ')}]"),
        with_digits(lambda v, e: f"({grid(v, e, ', ', '; ')})" if np.ndim(v) > 1 else bracketed(v, e, "(", ")")),
        with_digits(lambda v, e: f"[{grid(v, e, ' ', chr(10))}]"),
        with_digits(lambda v, e: f"\n{grid(v, e, '  ', chr(10))}"),
        with_digits(lambda v, e: f"[{grid(v, e, ' , ', ' ;' + chr(10) + ' ')}]"),
        with_digits(lambda v, e: bracketed(v, e) + ("^T" if np.ndim(v) == 1 else "")),
        with_digits(lambda v, e: bracketed(v, e, "{", "}", ",")), with_digits(lambda v, e: f"[{bracketed(v, e)}]"),
        with_digits(lambda v, e: f"**{bracketed(v, e)}**"),
        with_digits(lambda v, e: " ".join(map(e, v)) if np.ndim(v) == 1 < np.size(v) else bracketed(v, e)),
        with_digits(lambda v, e: f"matrix {bracketed(v, e)}"), with_digits(lambda v, e: f"about {bracketed(v, e)}"),
    ],
    "word": [with_digits(lambda v, e: bracketed(v, e).replace("-", "–")),
    with_digits(lambda v, e: bracketed(v, e).replace(" ", "\xa0")),
             with_digits(lambda v, e: f"\n{grid(v, e, chr(9), chr(10))}")],
    "phone": [with_digits(lambda v, e: bracketed(v, e, mark=",").replace("-", "—")),
              with_digits(lambda v, e: bracketed(v, e, "(", ")"))],
    "latex": [
        with_digits(lambda v, e: rf"\begin{{bmatrix}} {grid(v, e, ' & ', BELOW)} \end{{bmatrix}}"),
        with_digits(lambda v, e: "\\begin{pmatrix}\n" + grid(v, e, " & ", " \\\\\n") + "\n\\end{pmatrix}"),
        with_digits(lambda v, e: rf"$\left[\begin{{array}}{{cc}} {grid(v, e, '&', BELOW)} \end{{array}}\right]$"),
        with_digits(lambda v, e: rf"\left({grid(v, e, ', ', '; ')}\right)"),
    ],
    "console": [
        printed, torch_print, lambda v, d: torch_print(v, d, ", grad_fn=<MmBackward0>"),
        lambda v, d: torch_print(v, d, ", dtype=torch.float64, requires_grad=True"),
        lambda v, d: repr(np.asarray(v, np.float32 if d >= EXACT else float)),
        with_digits(lambda v, e: f"np.array({bracketed(v, e)})"), lambda v, d: str(np.asarray(v).tolist()),
    ],
    "comma": [with_digits(lambda v, e: f"[{grid(v, e, ' ', '; ')}]".replace(".", ",")),
              with_digits(lambda v, e: f"[{grid(v, e, '; ', ' | ')}]".replace(".", ",")),
              with_digits(lambda v, e: f"\n{grid(v, e, '  ', chr(10))}".replace(".", ","))],
}  # fmt: skip
WORDS: list[Dress] = [
    str,
    lambda t: f"**{t}**",
    lambda t: f"`{t}`",
    lambda t: f'"{t}"',
    lambda t: f"{t}.",
    lambda t: f"'{t}'",
    lambda t: f"it is {t}",
]
YES = {"True": ["True", "true", "yes", "Yes", "TRUE", "True, it is"], "False": ["False", "false", "no", "No", "FALSE"]}
SEPARATORS = [" = ", "=", ": ", " : ", " ≈ ", " is ", " → ", " -> ", " := ", "  =  ", "= ", " == "]
LABELS: list[Dress] = [str] * 4 + [
    lambda t: re.sub(r"\bd(\w+)/d(\w+)", r"∂\1/∂\2", t), lambda t: re.sub(r"\bd(\w+)/d(\w+)", r"d\1 / d\2", t),
    lambda t: f"• {t}", lambda t: f"– {t}", lambda t: f"(a) {t}", lambda t: f"b. {t}", lambda t: f"> {t}",
    lambda t: f"iii) {t}", lambda t: f"1. {t}", lambda t: f"**{t}**", lambda t: f"`{t}`",
    lambda t: re.sub(r"\bd(\w+)/d(\w+)", r"d\1_d\2", t),
    lambda t: f"answer for {t}", lambda t: f"value of {t}", lambda t: f"*{t}*",
    lambda t: re.sub(r"^local (.*)$", r"\1 (local)", t), lambda t: t[0].upper() + t[1:] if t[0] in "dl" else t,
]  # fmt: skip
FRACTIONS: list[Dress] = [
    lambda t: re.sub(r"\bd(\w+)/d(\w+)", r"\\frac{d\1}{d\2}", t),
    lambda t: re.sub(r"\bd(\w+)/d(\w+)", r"\\frac{\\partial \1}{\\partial \2}", t),
    lambda t: re.sub(r"\bd(\w+)/d(\w+)", r"\\dfrac{\\partial{\1}}{\\partial{\2}}", t), str,
]  # fmt: skip
HEADINGS: list[Dress] = [
    lambda t: f"[{t}]", lambda t: f"{t.capitalize()}", lambda t: f"{t.upper()}:", lambda t: f"### {t}",
    lambda t: f"=== {t} ===", lambda t: f"--- {t} ---", lambda t: f"Problem {t}", lambda t: f"Exercise “{t}”",
    lambda t: f"{t} (10 points)", lambda t: f"<{t}>", lambda t: f"__{t}__", lambda t: f"Q: {t}", lambda t: f"2. {t}",
    lambda t: f"Question: {t}", lambda t: f"**{t}:**", lambda t: f"{t} -", lambda t: f"My answers to {t}:",
    lambda t: f"[{misspelt(t)}]", lambda t: f"## {misspelt(t)}", lambda t: f"[ {t} ]:", lambda t: f"Task {t.title()}",
]  # fmt: skip
SECTIONS: list[Dress] = [lambda t: rf"\section*{{{t}}}", lambda t: rf"\subsection{{{t}}}", lambda t: rf"\textbf{{{t}}}",
                         lambda t: f"% answers\n\\paragraph{{{t}}}"]  # fmt: skip


TICKS: list[Dress] = [str, lambda t: f"`{t}`", lambda t: f"**{t}**"]


def misspelt(name: str) -> str:
    """Leave out a letter, or swap two, in a name that is long enough to be known nevertheless."""
    if len(name) < 6:
        return name
    return f"{name[:3]}{name[4:]}" if len(name) % 2 else f"{name[:2]}{name[3]}{name[2]}{name[4:]}"


class Typist:
    """One student at the keyboard."""

    def __init__(self, student: Student) -> None:
        self.draw = random.Random(f"{student.name} types")
        self.answers = student.answers
        self.kind = self.draw.choice(["any", "word", "phone", "latex", "console", "comma"])
        self.separators = self.draw.sample(SEPARATORS, 2)
        self.labels = self.draw.sample(FRACTIONS, 2) if self.kind == "latex" else self.draw.sample(LABELS, 3)
        self.heading = self.draw.choice(SECTIONS if self.kind == "latex" else HEADINGS)

    def sheet(self) -> str:
        form = self.draw.choice(["lines"] * 7 + ["table", "table", "json", "csv", "pasted"])
        groups = [(id, list(these)) for id, these in groupby(self.answers, lambda one: one.question)]
        if self.draw.random() < 0.4:
            self.draw.shuffle(groups)
        return str(getattr(self, form)(groups))

    def lines(self, groups: list[tuple[str, list[Answer]]]) -> str:
        lines = []
        for id, answers in groups:
            lines += ["", self.heading(id), *self.answered(answers)]
        return "\n".join(lines) + "\n"

    def answered(self, answers: list[Answer]) -> Iterator[str]:
        """Yield the lines of a question; now and then two short answers share one."""
        waiting = ""
        for one in answers:
            text = self.line(one)
            if waiting:
                yield waiting + self.draw.choice(["; ", ", ", "   ", " and "]) + text
                waiting = ""
            elif self.draw.random() < 0.06 and is_short(one) and one is not answers[-1]:
                waiting = f"{one.quantity} = {plain_number(one.value, one.digits)}"
            else:
                yield text

    def line(self, one: Answer) -> str:
        label = self.draw.choice(self.labels)(one.quantity)
        return f"{label}{self.draw.choice(self.separators)}{self.text(one)}".rstrip(" ")

    def text(self, one: Answer) -> str:
        if one.value is None:
            return ""
        if isinstance(one.value, bool):
            return self.draw.choice(YES[str(one.value)])
        if isinstance(one.value, str):
            return self.draw.choice(WORDS)(one.value)
        kind = self.kind if self.draw.random() < 0.6 else "any"
        if np.ndim(one.value):
            kind = "comma" if self.kind == "comma" else kind
            return self.draw.choice(TENSORS[kind])(one.value, one.digits)
        kind = "comma" if self.kind == "comma" else kind
        text = plain_number(one.value, one.digits)
        if self.kind != "comma" and self.draw.random() < 0.06 and "." in text:
            return self.draw.choice(STEPS)(float(one.value), text)
        return self.draw.choice(NUMBERS[kind])(text)

    def plain(self, one: Answer) -> str:
        """Type an answer in one line, for a cell."""
        if one.value is None or isinstance(one.value, bool | str):
            return "" if one.value is None else str(one.value)
        return bracketed(one.value, lambda entry: plain_number(entry, one.digits))

    def table(self, groups: list[tuple[str, list[Answer]]]) -> str:
        lines = []
        for id, answers in groups:
            lines += ["", f"## {id}", "", "| quantity | answer |", "|:---|---:|"]
            lines += [f"| {self.draw.choice(TICKS)(one.quantity)} | {self.plain(one)} |" for one in answers]
        return "\n".join(lines) + "\n"

    def json(self, groups: list[tuple[str, list[Answer]]]) -> str:
        """Write JSON by hand: numbers bare or quoted."""
        cells = []
        for id, answers in groups:
            inner = [f'    "{one.quantity}": {self.cell(one)}' for one in answers if one.value is not None]
            cells.append(f'  "{id}": {{\n' + ",\n".join(inner) + "\n  }")
        return "{\n" + ",\n".join(cells) + "\n}\n"

    def cell(self, one: Answer) -> str:
        text = self.plain(one)
        is_bare = (
            not isinstance(one.value, bool | str)
            and self.draw.random() < 0.6
            and not re.search(r"(?<!\d)\.|\.(?!\d)", text)
        )
        return text if is_bare else json.dumps(text)

    def csv(self, groups: list[tuple[str, list[Answer]]]) -> str:
        rows = [f'{id},{one.quantity},"{self.plain(one)}"' for id, answers in groups for one in answers]
        return "question,quantity,answer\n" + "\n".join(rows) + "\n"

    def pasted(self, groups: list[tuple[str, list[Answer]]]) -> str:
        """Paste cells of a spreadsheet: tabs between, the question in its first row alone."""
        lines = []
        for id, answers in groups:
            lines += [id, *(f"{one.quantity}\t{self.plain(one)}" for one in answers), ""]
        return "\n".join(lines) + "\n"


def is_short(one: Answer) -> bool:
    return one.value is not None and not isinstance(one.value, bool | str) and np.ndim(one.value) == 0


def typed_sheet(student: Student) -> str:
    """Write the hand-in of a student, as students type."""
    return Typist(student).sheet()
