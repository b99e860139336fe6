"""Answers as students type them: numbers, arrays, formulas, None, True, False."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.errors import GradcliError
from gradcli.explanation.values import CONSTANTS, value_of
from gradcli.facts import dataclass
from gradcli.homework.submission.numerals import LONGEST as DIGITS
from gradcli.homework.submission.numerals import NUMERAL, Typed, read_numeral, stacked
from gradcli.homework.wording import listed as listed_names
from gradcli.language.parser import parse_expression
from gradcli.language.tree import Expression, List, Name, Number, Tuple, Unary, fold, postorder
from gradcli.source import Source

LONGEST = 10_000  # characters of an answer
KEPT = 400  # characters of an answer that is remembered: long ones would fill the memory
LARGEST = 2**12  # entries of a value that an answer computes
LONGEST_REASON = 200
DEEPEST = 64  # lists in lists, as many as an array has dimensions
WORDS = {"none": None, "null": None, "true": True, "false": False}
PASTED = re.compile(
    r"(?:(?:torch|np|numpy)\.)?(?:tensor|array|Size)\((?P<value>.*?)(?:,\s*(?:requires_grad|grad_fn|dtype|device)\s*=.*)?\)",
    re.DOTALL,
)


class UnreadableError(Exception):
    """A text that is no answer; the message says why."""


@dataclass(frozen=True, slots=True)
class Formula:
    """An answer that is an expression."""

    tree: Expression
    text: str


Read = Typed | Formula | bool | None


def read_answer(text: str) -> Read:
    """Read an answer. Raises UnreadableError.

    `tensor(2., grad_fn=<...>)`, as pasted from a terminal, is the number in it.
    """
    return remembered(text) if len(text) <= KEPT else read(text)


def read(text: str) -> Read:
    text = text.strip()
    if len(text) > LONGEST:
        raise UnreadableError(f"an answer of {len(text):,} characters")
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if text.lower().lstrip("+-−") in ("nan", "inf", "infinity"):
        raise UnreadableError("not a finite number")
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
        raise UnreadableError(slip_of(text) or reason(error)) from None
    plain = listed(tree, text) if isinstance(tree, List) else None
    return Formula(tree, text) if plain is None else checked(plain)


remembered = lru_cache(2**10)(read)  # students give the same answers


def slip_of(text: str) -> str:
    """Return advice on a number written in an unreadable way; "" for other texts."""
    if re.fullmatch(r"[-+−]?\d+,\d+", text):
        return f"decimals stand behind a point: {text.replace(',', '.')}"
    unit = re.fullmatch(r"(?P<number>[-+−]?[\d.]+(?:[eE][-+]?\d+)?)\s*(?P<unit>%|°|[^\W\d]+)", text)
    if unit and read_numeral(unit["number"]):
        return "write the number without a unit"
    about = re.fullmatch(r"[≈~=<>≤≥±$€£]+\s*(?P<number>\S+)", text)
    if about and read_numeral(about["number"]):
        return f"write the number alone: {about['number']}"
    return ""


def reason(error: GradcliError) -> str:
    """Return the message of an error, in words for an answer alone."""
    message = error.message
    if error.code == "E207":
        message = f"{message.partition(' ')[0]} is a name, and a number was asked for"
    if error.code == "E105" and error.help.endswith("multiply"):
        message = f"{message}: {error.help}"
    return message if len(message) <= LONGEST_REASON else f"{message[:LONGEST_REASON]}..."


def listed(tree: Expression, text: str) -> Typed | None:
    """Return nested lists of plain numbers as an array with the digits of each; None where a formula is among them."""

    def step(node: Expression, parts: Any) -> Any:
        if isinstance(node, Number):
            return read_numeral(text[slice(*node.span)])
        if isinstance(node, Unary) and isinstance(node.operand, Number):
            return read_numeral(text[slice(*node.span)])
        return array_of(parts) if isinstance(node, List) and None not in parts else None

    array: Typed | None = fold(tree, step)
    return array


def array_of(entries: list[Typed]) -> Typed | None:
    """Return a list of numbers, or of lists of one shape, as an array; None where the shapes differ."""
    shapes = {np.shape(entry.value) for entry in entries}
    if len(shapes) > 1:
        return None
    (inner,) = shapes or {()}
    if len(inner) >= DEEPEST:
        raise UnreadableError("lists in lists, nested too deeply")
    return stacked(entries, (len(entries), *inner))


def checked(typed: Typed) -> Typed:
    if not np.isfinite(typed.value).all():
        raise UnreadableError("not a finite number")
    return typed


def read_number(text: str) -> Typed | bool | None:
    """Read an answer as numbers: a formula without names is computed. Raises UnreadableError."""
    read = read_answer(text)
    if not isinstance(read, Formula):
        return read
    value = computed(read, {})
    try:
        kind = np.asarray(value).dtype.kind
    except ValueError:
        raise UnreadableError("rows of different lengths") from None
    if kind not in "fiub" or (kind == "b" and not np.ndim(value)):
        raise UnreadableError("neither a number nor a tensor of numbers")
    array = np.asarray(value, np.float64)
    return checked(with_digits(array, read) if array.ndim else Typed(array[()]))


def with_digits(array: Any, read: Formula) -> Typed:
    """Return an array with the digits of the entries that were typed as numbers; others are exact."""
    entries, waiting = [], [read.tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, List | Tuple):
            waiting.extend(reversed(node.items))
        else:
            entries.append(read_numeral(read.text[slice(*node.span)]) or Typed(0.0))
    if len(entries) != array.size:
        return Typed(array)
    return replace(stacked(entries, array.shape), value=array)


def unknown_names(formula: Formula, names: dict[str, Any]) -> list[str]:
    """Return the names that a formula mentions and the program does not have, all at once."""
    mentioned = (node.id for node in postorder(formula.tree) if isinstance(node, Name))
    return [name for name in dict.fromkeys(mentioned) if name not in names and name not in CONSTANTS]


def computed(formula: Formula, names: dict[str, Any]) -> Any:
    """Return the value of a formula, within limits. Raises UnreadableError where it has none."""
    unknown = unknown_names(formula, names) if names else []
    if unknown:
        raise UnreadableError(f"the program has no {listed_names(unknown)}")
    largest = mode.largest
    mode.largest = max([LARGEST, *(math.prod(getattr(value, "shape", ())) for value in names.values())])
    try:
        return value_of(formula.tree, names, Source(formula.text, "answer"))
    except GradcliError as error:
        raise UnreadableError(reason(error)) from None
    except (ArithmeticError, ValueError, TypeError, RecursionError, IndexError) as error:
        raise UnreadableError(str(error) or "it cannot be computed") from None
    finally:
        mode.largest = largest
