"""Each way in which students type is read, alone in a sheet that is typed plainly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.submission.lines import read_lines
from gradcli.source import Source
from tests.homework.klass import typing
from tests.homework.klass.typing import plain_number

X, Y = 2.3456789, -0.71234567
W, C = np.array([[1.23456, -0.0456789, 2.5], [0.75, -3.14159, 1.6180339]]), np.array([0.314159, -2.71828, 1.41421])
TOML = f'''
[[question]]
id = "polynomial"
program = """
W2 = W*1
c = a*1
t = x*1
d = y*1
f = x**2 - 3*x*y
"""
at = {{ x = {X}, y = {Y}, W = {W.tolist()}, a = {C.tolist()} }}
ask = ["t", "d", "local dt/dx", "df/dx", "df/dy", "f", "W2", "c"]
'''
VALUES = {"t": X, "local dt/dx": 1.0, "df/dx": 2 * X - 3 * Y, "df/dy": -3 * X, "W2": W, "c": C}


def headings() -> Iterator[tuple[str, str, str]]:
    for heading in [*typing.HEADINGS, *typing.SECTIONS]:
        yield heading("polynomial"), "df/dx", "df/dx = 6.8284"


def labels() -> Iterator[tuple[str, str, str]]:
    for number, label in enumerate([*typing.LABELS, *typing.FRACTIONS]):
        for quantity in ("df/dx", "local dt/dx", "t"):
            for separator in (typing.SEPARATORS[number % len(typing.SEPARATORS)], ": "):
                yield "[polynomial]", quantity, f"{label(quantity)}{separator}{VALUES[quantity]:#.5g}"


def numbers() -> Iterator[tuple[str, str, str]]:
    for quantity in ("t", "df/dy"):
        text = plain_number(VALUES[quantity], 5)
        for dress in [dress for dresses in typing.NUMBERS.values() for dress in dresses]:
            yield "[polynomial]", quantity, f"{quantity} = {dress(text)}"
        for step in typing.STEPS:
            yield "[polynomial]", quantity, f"{quantity} = {step(VALUES[quantity], plain_number(VALUES[quantity], 6))}"


def tensors() -> Iterator[tuple[str, str, str]]:
    for write in [write for ways in typing.TENSORS.values() for write in ways]:
        for quantity, digits in (("W2", 5), ("c", 5), ("W2", 8)):
            yield "[polynomial]", quantity, f"{quantity} = {write(VALUES[quantity], digits)}"


def couples() -> Iterator[tuple[str, str, str]]:
    for mark in ("; ", ", ", "   ", " and ", "\t"):
        for quantity in ("t", "df/dx", "W2"):
            yield "[polynomial]", quantity, f"t = 2.3457{mark}df/dx = 6.8284{mark}W2 = {W.tolist()}"


@pytest.fixture(scope="module")
def grader() -> Grader:
    return Grader(read_assignment(Source(TOML, "week.toml")))


@pytest.mark.slow
@pytest.mark.parametrize("ways", [headings, labels, numbers, tensors, couples])
def test_each_way_of_typing_is_read(grader: Grader, ways: object) -> None:
    for heading, quantity, text in ways():  # type: ignore[operator]
        sheet = f"{heading}\nf = 10.515\n{text}\nd = -0.7123\n"
        answers = {one.quantity: one for one in grader.grade(read_lines("s", "s", sheet, grader.labels)).answers}
        verdicts = {name: answers[name].verdict for name in ("f", quantity, "d")}
        assert set(verdicts.values()) == {"correct"}, (sheet, verdicts, answers[quantity].remark)
