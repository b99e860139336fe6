"""Formulas as students type them, written in the language."""

from __future__ import annotations

import re

from gradcli.homework.submission.answers import Formula, UnreadableError, computed, read_answer
from gradcli.homework.submission.plain.numbers import DOUBTFUL, Comma
from gradcli.homework.submission.plain.products import TwoReadingsError, formula
from gradcli.language.tree import Call, postorder
from gradcli.language.tree import names as names_in

DECIMAL = re.compile(r"(?<![\w.,])\d+,\d+(?!\d|,\d)")


def rewritten(text: str, names: frozenset[str], comma: Comma) -> str:
    """Return a formula in the language: as it stands where it is one, else with decimal points, signs and brackets."""
    if is_formula(text, names):
        return text
    pointed = with_points(text, comma) if "," in text else text
    return pointed if is_formula(pointed, names) else formula(pointed, names)


def is_formula(text: str, names: frozenset[str]) -> bool:
    """Whether the language reads a text that mentions these names alone."""
    try:
        read = read_answer(text)
        if isinstance(read, Formula) and not names:
            computed(read, {})
    except UnreadableError:
        return False
    if not isinstance(read, Formula):
        return True
    called = {node.function for node in postorder(read.tree) if isinstance(node, Call)}
    return names_in(read.tree) <= names | {"pi"} and not called & names


def with_points(text: str, comma: Comma) -> str:
    """Write decimal points for decimal commas."""

    def point(found: re.Match[str]) -> str:
        if not DOUBTFUL.fullmatch(found[0]) or comma == "decimal":
            return found[0].replace(",", ".")
        if comma == "thousands":
            return found[0].replace(",", "")
        raise TwoReadingsError(f"two readings: {found[0].replace(',', '.')} or {found[0].replace(',', '')}")

    return DECIMAL.sub(point, text)
