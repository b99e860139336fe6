"""What a student typed, read as far as it can be: a number, an array, a formula, None, True, False, a name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.errors import GradcliError
from gradcli.explanation.values import value_of
from gradcli.homework.numerals import LONGEST as DIGITS
from gradcli.homework.numerals import NUMERAL, Typed, read_numeral, spread
from gradcli.language.parser import parse_expression
from gradcli.language.tree import Expression, List, Name, Number, Unary, fold
from gradcli.source import Source

LONGEST = 10_000  # characters of an answer
LARGEST = 2**16  # entries of a value that an answer computes
WORDS = {"none": None, "null": None, "true": True, "false": False}
PASTED = re.compile(r"tensor\((?P<value>.*?)(?:,\s*(?:requires_grad|grad_fn|dtype|device)\s*=.*)?\)", re.DOTALL)


class UnreadableError(Exception):
    """An answer that is none; the message says why."""


@dataclass(frozen=True, slots=True)
class Formula:
    """An answer that is an expression."""

    tree: Expression
    text: str


Read = Typed | Formula | bool | None


@lru_cache(2**12)  # students give the same answers
def read_answer(text: str) -> Read:
    """The answer that a text is; UnreadableError says why it is none.

    `tensor(2., grad_fn=<...>)`, as pasted from a terminal, is the number in it.
    """
    text = text.strip()
    if len(text) > LONGEST:
        raise UnreadableError(f"an answer of {len(text):,} characters")
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    pasted = PASTED.fullmatch(text)
    if pasted:
        text = pasted["value"]
    typed = read_numeral(text)
    if typed is not None:
        return checked(typed)
    if len(text) > DIGITS and NUMERAL.fullmatch(text):
        raise UnreadableError(f"a number of {len(text):,} characters")
    source = Source(text, "answer")
    try:
        tree = parse_expression(source)
    except GradcliError as error:
        raise UnreadableError(error.message) from None
    plain = listed(tree, text) if isinstance(tree, List) else None
    return Formula(tree, text) if plain is None else checked(plain)


def listed(tree: Expression, text: str) -> Typed | None:
    """Nested lists of plain numbers, each with its digits; None where a formula is among them."""

    def step(node: Expression, parts: Any) -> Any:
        if isinstance(node, Number):
            return read_numeral(text[slice(*node.span)])
        if isinstance(node, Unary) and isinstance(node.operand, Number):
            return read_numeral(text[slice(*node.span)])
        return list(parts) if isinstance(node, List) and None not in parts else None

    entries = fold(tree, step)
    return None if entries is None else spread(entries)


def checked(typed: Typed) -> Typed:
    if not np.all(np.isfinite(typed.value)):
        raise UnreadableError("not a finite number")
    return typed


@lru_cache(2**12)
def read_number(text: str) -> Typed | bool | None:
    """The answer as numbers: a formula without names is computed."""
    read = read_answer(text)
    if not isinstance(read, Formula):
        return read
    value = computed(read, {})
    if np.asarray(value).dtype.kind not in "fiu":
        raise UnreadableError("neither a number nor a tensor of numbers")
    return checked(Typed(np.asarray(value, np.float64)[()]))


def computed(formula: Formula, names: dict[str, Any]) -> Any:
    """The value of an answer, within limits; UnreadableError where it has none."""
    largest, mode.largest = mode.largest, LARGEST
    try:
        return value_of(formula.tree, names, Source(formula.text, "answer"))
    except GradcliError as error:
        if isinstance(formula.tree, Name):
            raise UnreadableError(f"{formula.tree.id} is a name, and a number was asked for") from None
        raise UnreadableError(error.message) from None
    except (ArithmeticError, ValueError, TypeError, MemoryError, RecursionError, IndexError) as error:
        raise UnreadableError(str(error) or "it cannot be computed") from None
    finally:
        mode.largest = largest
