"""What the programs of laws are made of: decimals as people type them, and points at which a program has a value."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import mpmath

from gradcli.language.parser import parse_program
from gradcli.source import Source
from tests.fuzz.case import LAWS, Case
from tests.fuzz.generators.values import decimal
from tests.fuzz.laws import precise

TRIES = 12
SMALL = ["1", "2", "3", "4", "10", "1/2", "1/3", "0.5", "0.1", "100"]
WORD = re.compile(r"[^\W\d]\w*")
NAMES = ["x", "k", "m", "y", "t", "a", "w"]


def number(random: Random) -> str:
    """A positive number: a decimal mostly."""
    return random.choice(SMALL) if random.random() < 0.25 else decimal(random)


def signed(random: Random) -> str:
    return random.choice(["", "", "-"]) + number(random)


def case(
    area: str, random: Random, program: Callable[[Random], str], values: Callable[[Random, str], dict[str, str]]
) -> Case:
    """The first of some programs that has a value at its point, or the last; `values` are texts by variable."""
    for _ in range(TRIES):
        text = program(random)
        given = values(random, text)
        if has_value(text, given):
            break
    return Case(area, (LAWS, text, *(f"{name}={value}" for name, value in given.items())))


def has_value(text: str, given: dict[str, str]) -> bool:
    with mpmath.workdps(precise.DIGITS):
        names: dict[str, Any] = {
            name: precise.value(parse_program(Source(value)).statements[0].value, {}) for name, value in given.items()
        }
        try:
            precise.output(parse_program(Source(text)), names)
        except precise.NotFiniteError:
            return False
        except precise.UnknownError:
            return True
    return True
