"""Hints lead from the rule over symbols to numbers, in names that the program has; the end shows the derivation."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.practice.session import Session
from gradcli.homework.practice.topics import ORDER, topic
from gradcli.render.practice.turns import OF_SCRIPTS, Hints, hints
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import short
from gradcli.source import Source

LOOKS = Looks(color=False, width=None)
OWN = """
[[question]]
id = "sum"
program = "w = {w}; u = w*x; y = u**2 + 3*x; L = sum(y*v)"
at = {{ x = 1.5, v = [2.0, -3.0] }}
ask = ["dL/dx", "dL/dy", "dL/dv", "y"]
"""


@pytest.mark.parametrize("name", ORDER)
def test_hints_of_a_topic(name: str) -> None:
    """Each answer ends with a derivation; that of a script says what arrived, or why nothing did."""
    kinds = Counter[str]()
    for exercise in Session(topic(name), seed=4):
        words, symbols, numbers = hints(exercise.key, exercise.ask, LOOKS)
        value = exercise.key.expected[exercise.ask.quantity]
        assert words
        told = f"{words} {symbols} {numbers}"
        assert not re.search(r"\bv\d|expand|squeeze", told), "names and operations of the program alone"
        assert not re.search(r"[·+] -", told), "a negative factor stands in brackets"
        names = [side.split(" = ")[0] for side in symbols.split("; ")]
        assert len(names) == len(set(names)), "no name has two meanings"
        if value is None:
            assert "grad" in numbers
        elif not isinstance(value, bool | str):
            assert numbers.endswith(f"= {short(value)}")
            assert exercise.question.is_script or numbers.count(" = ") > 1
        kinds[exercise.ask.quantity.kind] += 1
    assert kinds


def derived(w: str, ask: str) -> Hints:
    session = Session(read_assignment(Source(OWN.format(w=w), "own.toml")), seed=1)
    return next(hints(one.key, one.ask, LOOKS) for one in session if one.ask.written == ask)


def test_a_derivative_past_a_name_says_what_it_holds() -> None:
    symbols = derived("2", "dL/dx")[1]
    assert "∂y/∂x|u" in symbols
    assert symbols.count("∂y/∂x|u = 3") == 1


def test_a_number_times_a_tensor() -> None:
    assert derived("2", "dL/dv")[1] == "∂L/∂v = y in each entry"


def test_each_kind_of_question_about_a_script_has_its_words() -> None:
    exercises = [one for one in Session(topic("accumulation"), seed=2) if one.ask.quantity.of.count(".") == 1]
    words = {one.ask.quantity.of.split(".")[1]: hints(one.key, one.ask, LOOKS)[0] for one in exercises}
    assert words == {name: OF_SCRIPTS[f".{name}"] for name in words}
    assert np.all([f".{name}" in OF_SCRIPTS for name in ("grad", "is_leaf", "requires_grad", "grad_fn")])
