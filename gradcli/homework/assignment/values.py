"""The settings of an assignment, and the values of a question."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from gradcli.errors import GradcliError
from gradcli.explanation.lines import numbers
from gradcli.explanation.values import constant
from gradcli.homework.assignment.choices import CHOOSE, Choice, read_choice
from gradcli.homework.assignment.numbers import literals
from gradcli.homework.assignment.places import Table
from gradcli.homework.submission.numerals import Tolerance
from gradcli.language.names import read_name
from gradcli.language.parser import parse_expression
from gradcli.source import Source

SHARES = {  # of the points, where nothing is said
    "carry_share": 1.0,
    "attempt_penalty": 0.0,
    "late_penalty": 0.0,
    "precision_share": 0.0,
}
GRADING = ("rtol", "atol", "precision", "decimals", "carry_forward", "entries", "deadline", *SHARES)
DEADLINE = 'write deadline = "2026-11-20T23:59+01:00"'


def settings(assignment: Table) -> dict[str, Any]:
    """Return the settings by the names that an assignment has for them. Raises UsageError at the place of a fault."""
    tables = {key: assignment.get(key, {}) for key in ("grading", "input")}
    for key, first in (("grading", "rtol = 1e-5"), ("input", "strict = true")):
        if not isinstance(tables[key], dict):
            raise assignment.refuse_key(f"{key} is a table", f"write [{key}], and {first} below it", key)
    grading, typing = (assignment.inner(table, key) for key, table in tables.items())
    grading.known(GRADING, "[grading]")
    typing.known(("strict",), "[input]")
    precision = grading.checked(
        "precision",
        "auto",
        lambda value: value == "auto" or (type(value) is int and 1 <= value <= 15),
        'write precision = "auto", or a number of digits from 1 to 15',
    )
    digits = {} if precision == "auto" else {"precision": precision}
    shares = {
        name: grading.number(name, usual, 1, f"write {name} = 0.5, or another number from 0 to 1", is_open=False)
        for name, usual in SHARES.items()
    }
    return {
        "tolerance": Tolerance(**grading.tolerance("rtol", "atol", "decimals"), **digits),
        "carry_forward": grading.typed("carry_forward", bool, True),
        "entries": grading.checked(
            "entries", "all", lambda value: value in ("all", "each"), 'write entries = "all" or "each"'
        ),
        "strict": typing.typed("strict", bool, False),
        "deadline": deadline_of(grading, is_needed=shares["late_penalty"] > 0),
        **shares,
    }


def deadline_of(grading: Table, *, is_needed: bool) -> datetime | None:
    deadline = grading.get("deadline")
    try:
        deadline = datetime.fromisoformat(deadline) if isinstance(deadline, str) else deadline
    except ValueError:
        deadline = ""
    if deadline is None and is_needed:
        raise grading.refuse("late_penalty needs a deadline", DEADLINE, "late_penalty")
    if not isinstance(deadline, datetime | None):
        raise grading.refuse(f"deadline is {grading.get('deadline')!s:.40}", DEADLINE, "deadline")
    return deadline


def point(question: Table, script: Source | None) -> dict[str, Any]:
    """Return the values of the variables: numbers, nested lists, texts with a constant expression, or a choice of them.

    Those of a script are choices alone, of names to which it gives numbers.
    """
    at = question.inner(question.typed("at", dict, {}), "at")
    values = {read_name(name) or name: given(at, name) for name in at.values}
    known = None if script is None else literals(script.text)
    for name, value in values.items() if script else ():
        if not isinstance(value, Choice):
            raise at.refuse("a script has its values in itself", f"remove {name}, or {CHOOSE}", name)
        if known is not None and name not in known:
            help = f"write {name} = torch.tensor(1.5) in it, or {name} = 1.5"
            raise at.refuse_key(f"the script gives no number to {name}", help, name)
    return values


def given(at: Table, name: str) -> Any:
    value = at.get(name)
    return read_choice(at.inner(value, name), read_value) if isinstance(value, dict) else read_value(at, value, name)


def read_value(table: Table, value: Any, *path: str | int) -> Any:
    """Return a value that stands at a path in a table as numbers."""
    name = (*table.path, *path)[-1]
    span = table.places.value(*table.path, *path)
    try:
        if isinstance(value, str):
            text = Source(value, str(name))
            value = constant(parse_expression(text), text)
        return numbers(value, f"the value of {name}")
    except GradcliError as error:
        if error.span is not None and isinstance(value, str):
            span = table.places.within((*table.path, *path), error.span)
        raise table.refuse_at(span, error.message, "write at = { x = 2, w = [0.5, 1], c = '1/3' }") from None
