"""Mistakes that a teacher adds are found, said as the teacher says them, and refused where they cannot be used."""

from __future__ import annotations

import pytest

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.disclosure import revealed
from gradcli.homework.grading import Grader
from gradcli.homework.submission.submissions import read_text
from gradcli.source import Source

QUESTION = """
[[question]]
id = "mean"
program = "L = mean((Z - Y)**2)"
at = { Z = [[1.2, 0.7], [0.4, -0.9], [2.1, 1.6]], Y = [[0.3, 0.1], [0.8, 0.2], [1.1, -0.6]] }
ask = ["dL/dZ", { quantity = "dL/dY", form = "expression" }]
"""
OWN = """
[[mistake]]
of = "dL/dZ"
is = "5*(Z - Y)/7"
say = "you divided by the wrong week"
code = "week"
"""


def grader(text: str) -> Grader:
    return Grader(read_assignment(Source(text, "week1.toml")))


def test_it_is_found_and_said() -> None:
    answer = "[[0.642857, 0.428571], [-0.285714, -0.785714], [0.714286, 1.571429]]"
    result = grader(QUESTION + OWN).grade(read_text("a", "a", f"[mean]\ndL/dZ = {answer}\n"))
    for level in ("rule", "value"):
        (found,) = revealed(result, level).answers[0].diagnoses
        assert (found.code, found.message, found.certain) == ("week", "you divided by the wrong week", True)


def test_it_is_found_in_a_formula() -> None:
    own = OWN.replace("dL/dZ", "dL/dY")
    result = grader(QUESTION + own).grade(read_text("a", "a", "[mean]\ndL/dY = 5*(Z - Y)/7\n"))
    assert [one.code for one in result.answers[1].diagnoses] == ["week"]


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("(Z - Y)", "(Z - X)", "has no value: the program has no X"),
        ("(Z - Y)/7", "(Z - Y)/", "formula"),
        ('code = "week"', 'code = "a + b"', "cannot be a code"),
        ('code = "week"', 'cod = "week"', "a mistake has no cod"),
        ('code = "week"', 'question = "other"', "dL/dZ is not asked for"),
        ('is = "5*(Z - Y)/7"', "is = 5", "is of a mistake is 5"),
    ],
)
def test_it_is_refused(right: str, wrong: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        grader(QUESTION + OWN.replace(right, wrong, 1))
    assert said in caught.value.message or said == "formula"
    assert caught.value.span is not None
    assert caught.value.help
