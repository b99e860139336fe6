r"""Formulas at random, written in the notations that students use: text, LaTeX, Wolfram, MATLAB, Python, Unicode.

A formula is a nested tuple, `("*", ("+", "x", "2"), ("exp", "x"))`. Each notation has its brackets, products, fractions
and powers, which are drawn anew at each place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any

LEAVES = ("x", "y", "2", "3", "5", "0.5")
FUNCTIONS = ("exp", "sin", "cos", "log", "sqrt", "tanh")
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
LEVELS = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 2, "^": 3}
NOTATIONS = ("text", "latex", "wolfram", "matlab", "python", "unicode")


def formula_at_random(draw: Random, depth: int = 3, leaves: Sequence[str] = LEAVES) -> Any:
    if depth == 0 or draw.random() < 0.15:
        return draw.choice(leaves)
    kind = draw.choice(["+", "-", "*", "*", "/", "^", "neg", "call"])
    inner = formula_at_random(draw, depth - 1, leaves)
    if kind == "^":
        return ("^", inner, draw.choice("23"))
    if kind == "neg":
        return ("neg", inner)
    if kind == "call":
        return (draw.choice(FUNCTIONS), inner)
    return (kind, inner, formula_at_random(draw, depth - 1, leaves))


def value_of(tree: Any, at: dict[str, float]) -> float:
    if isinstance(tree, str):
        return at[tree] if tree in at else float(tree)
    first, *others = (value_of(part, at) for part in tree[1:])
    if tree[0] in FUNCTIONS:
        return float(getattr(math, tree[0])(first))
    if tree[0] == "neg":
        return -first
    (other,) = others
    by_sign = {"+": float.__add__, "-": float.__sub__, "*": float.__mul__, "/": float.__truediv__, "^": float.__pow__}
    return by_sign[tree[0]](first, other)


class Writer:
    """Writes formulas in a notation."""

    def __init__(self, draw: Random, notation: str) -> None:
        self.draw, self.notation = draw, notation

    def write(self, tree: Any) -> str:
        if isinstance(tree, str):
            return tree
        kind, *parts = tree
        if kind in FUNCTIONS:
            return self.call(kind, parts[0])
        if kind == "neg":
            return f"-{self.inner(parts[0], 3)}"
        if kind == "^":
            return self.power(*parts)
        if kind == "/":
            return self.quotient(*parts)
        if kind == "*":
            return self.product(*parts)
        space = self.draw.choice(["", " "])
        minus = "−" if self.notation == "unicode" and kind == "-" else kind
        return f"{self.inner(parts[0], 1)}{space}{minus}{space}{self.inner(parts[1], 2)}"

    def inner(self, tree: Any, level: int) -> str:
        """Write an operand, in brackets where it binds less tightly than the operator."""
        text = self.write(tree)
        own = 4 if isinstance(tree, str) or tree[0] in FUNCTIONS else LEVELS[tree[0]]
        own = 3 if tree[0] == "exp" else own  # it may be a power of e
        return text if own >= level else self.bracketed(text)

    def bracketed(self, text: str) -> str:
        kinds = {"latex": [r"\left({}\right)", r"\bigl({}\bigr)", r"\left[{}\right]", "({})", r"\{{{}\}}"],
                 "text": ["({})", "[{}]", "{{{}}}", "( {} )"], "unicode": ["({})", "[{}]"]}  # fmt: skip
        return self.draw.choice(kinds.get(self.notation, ["({})", "( {} )"])).format(text)

    def call(self, name: str, inner: Any) -> str:
        text = self.write(inner)
        if self.notation == "latex":
            if name == "sqrt":
                return rf"\sqrt{{{text}}}"
            if name == "exp":
                return self.draw.choice([rf"e^{{{text}}}", rf"\exp\left({text}\right)", rf"\mathrm{{e}}^{{{text}}}"])
            return rf"\{'ln' if name == 'log' else name}{self.bracketed(text)}"
        if self.notation == "wolfram":
            if name == "exp":
                return self.draw.choice([f"E^({text})", f"Exp[{text}]"])
            return f"{name.capitalize()}[{text}]"
        if self.notation == "python":
            return f"{self.draw.choice(['np', 'torch', 'math'])}.{name}({text})"
        if self.notation == "unicode" and name == "sqrt":
            return f"√({text})"
        name = self.draw.choice([name, "ln"]) if name == "log" and self.notation != "matlab" else name
        if name == "exp" and self.notation == "text":
            return self.draw.choice([f"exp({text})", f"e^({text})"])
        return f"{name}({text})"

    def power(self, base: Any, power: str) -> str:
        text = self.inner(base, 4)
        if self.notation == "unicode":
            return text + power.translate(RAISED)
        if self.notation == "latex":
            return text + self.draw.choice([f"^{{{power}}}", f"^{power}"])
        return text + {"python": "**", "matlab": ".^"}.get(self.notation, "^") + power

    def quotient(self, above: Any, below: Any) -> str:
        if self.notation == "latex":
            command = self.draw.choice([r"\frac", r"\dfrac", r"\tfrac"])
            texts = self.write(above), self.write(below)
            if all(len(text) == 1 and text.isdigit() for text in texts) and self.draw.random() < 0.5:
                return rf"{command}{texts[0]}{texts[1]}"
            return rf"{command}{{{texts[0]}}}{{{texts[1]}}}"
        return f"{self.inner(above, 2)}{'./' if self.notation == 'matlab' else '/'}{self.inner(below, 3)}"

    def product(self, left: Any, right: Any) -> str:
        one, two = self.inner(left, 2), self.inner(right, 3)
        signs = {"latex": [r"\cdot ", r"\times ", r"\,"], "unicode": ["·", "×", "⋅"], "python": ["*", " * "],
                 "matlab": [".*", "*"], "wolfram": [" ", "*"], "text": ["*", " * ", " ", "·"]}  # fmt: skip
        sign = self.draw.choice(signs[self.notation])
        is_plain = two[0].isalpha() and two[:2] not in ("np", "to", "ma") and one[-1] not in "0123456789"
        is_doubtful = "/" in one or two[0].isdigit() or two[0] == "-" or (isinstance(right, tuple) and right[0] == "/")
        if sign in (" ", r"\,") and (is_doubtful or (one[-1].isdigit() and not two[0].isalpha())):
            sign = r"\cdot " if self.notation == "latex" else "*"
        if self.draw.random() < 0.2 and not is_doubtful and not is_plain and self.notation in ("text", "unicode"):
            sign = "" if one[-1] in ")]}" and two[0] in "([{" else sign
        return f"{one}{sign}{two}"
