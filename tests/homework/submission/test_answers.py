"""Answers: what can be read, what cannot and why, and that everything ends."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.model import Marked
from gradcli.homework.submission.answers import Formula, UnreadableError, read_answer, read_number
from gradcli.homework.submission.numerals import EXACT, Typed
from gradcli.homework.submission.submissions import Given, Submission
from gradcli.source import Source
from tests.programs import some

QUESTION = """\
[[question]]
id = "d"
program = '''
s = x**2
q = s**2
'''
at.x = 3
ask = [
  { quantity = "dq/dx", form = "expression" },
  "dq/dx",
  { quantity = "q", form = "expression" },
]
[[question]]
id = "t"
program = "L = sum((X @ W)**2)"
at = { X = [[1, 2], [3, 4]], W = [[1, 2], [3, 4]] }
ask = ["X.grad", { quantity = "W.grad", form = "expression" }]
""".replace('  "dq/dx",\n', '  "s",\n')
GRADER = Grader(read_assignment(Source(QUESTION, "week1.toml")))


def marked(question: str, quantity: str, text: str) -> Marked:
    result = GRADER.grade(Submission("ada.txt", "ada", (Given(question, quantity, text),)))
    (found,) = [answer for answer in result.answers if (answer.question, answer.quantity) == (question, quantity)]
    return found


def unreadable(text: str) -> str:
    with pytest.raises(UnreadableError) as caught:
        read_number(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "value", "digits"),
    [
        ("−3.25", -3.25, 3),
        (".5", 0.5, 1),
        ("1.00e2", 100, 3),
        ("1e-400", 0, EXACT),
        ("2²", 4, EXACT),
        ("sqrt(2)/2", np.sqrt(0.5), EXACT),
        ("0x10", 16, EXACT),
        ("3 # three", 3, EXACT),
        ("torch.tensor(2.50, dtype=torch.float64)", 2.5, 3),
    ],
)
def test_numbers(text: str, value: float, digits: int) -> None:
    found = read_number(text)
    assert isinstance(found, Typed)
    assert np.isclose(found.value, value, rtol=1e-15)
    assert found.digits == digits


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(1, 2)", [1, 2]),
        ("[[], []]", [[], []]),
        ("[1, 2]*2", [2, 4]),
        ("tensor([[1., 2.],\n        [3., 4.]], requires_grad=True)", [[1, 2], [3, 4]]),
        ("np.array([1., 2.])", [1, 2]),
    ],
)
def test_tensors(text: str, value: list[float]) -> None:
    found = read_number(text)
    assert isinstance(found, Typed)
    assert np.array_equal(found.value, value)
    assert np.shape(found.value) == np.shape(value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1,5", "decimals stand behind a point: 1.5"),
        ("~3", "write the number alone: 3"),
        ("3 m", "write the number without a unit"),
        ("90°", "write the number without a unit"),
        ("x = 3 = 4", "a statement has one '='"),
        ("3; 4", "a value is one expression"),
        ("[1 2]", "missing ',' between '1' and '2'"),
        ("[[1, 2], [3]]", "rows of different lengths"),
        ("[1, nan]", "not a finite number"),
        ("inf", "not a finite number"),
        ("1/0", "not a finite number"),
        ("0/0", "not a finite number"),
        ("1e308*10", "not a finite number"),
        ("1 + 2j", "complex numbers are not part of the language"),
        ("w", "w is a name, and a number was asked for"),
        ("().__class__.__mro__", "a tensor has no attribute '__class__'"),
        ("__builtins__", "__builtins__ is a name, and a number was asked for"),
        ("factorial(10**9)", "there is no function 'factorial'"),
        ("1 == 1", "neither a number nor a tensor of numbers"),
        ("\x1b[31m4", "unknown character '\\x1b'"),
        ("1" + " " * 10_000 + "+ 1", "an answer of 10,004 characters"),
        ("arange(10**9)", "a result of shape (1000000000,) has 1,000,000,000 entries, and 4,096 are the limit"),
        ("[" * 70 + "1" + "]" * 70, "lists in lists, nested too deeply"),
        ("[" * 4900 + "1" + "]" * 4900, "lists in lists, nested too deeply"),
    ],
    ids=lambda text: text[:20],
)
def test_what_cannot_be_read_is_told_why(text: str, why: str) -> None:
    assert unreadable(text).endswith(why)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "x" + "**x" * 1500,
        "[" + "1, " * 1600 + "1]",
        "[" * 2400 + "]" * 2400,
        "einsum('ijk,ijl,ijm->klm', ones(16, 16, 16), ones(16, 16, 16), ones(16, 16, 16))",
        "conv2d(ones(1, 1, 64, 64), ones(1, 1, 32, 32))",
        "cat([" + "ones(4096), " * 300 + "])",
        "tensor(" + ", grad_fn=" * 900,
        "x." * 2400,
    ],
    ids=lambda text: text[:20],
)
def test_hostile_answers_have_a_verdict(text: str) -> None:
    for quantity in some(("X.grad", "W.grad"), 2, len(text)):
        assert marked("t", quantity, text).verdict in ("wrong", "shape", "unreadable")


@pytest.mark.parametrize(
    ("text", "verdict", "remark"),
    [
        ("2*s*2*x", "correct", ""),
        ("108", "wrong", "at x = "),
        ("log(-x**2)", "unreadable", "it has no finite value at any of the points"),
        ("4*y**3", "unreadable", "the program has no y"),
        ("4x", "wrong", "at x = "),
        ("True", "unreadable", "neither a number nor a formula"),
        ("x.__class__", "unreadable", "no attribute '__class__'"),
    ],
)
def test_formulas(text: str, verdict: str, remark: str) -> None:
    found = marked("d", "dq/dx", text)
    assert found.verdict == verdict
    assert remark in found.remark


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("2*X @ (X @ W)", "wrong"),
        ("X + [1, 2, 3]", "unreadable"),
        ("[[52, 76], [72, 106]]", "wrong"),
    ],
)
def test_formulas_of_tensors(text: str, verdict: str) -> None:
    assert marked("t", "W.grad", text).verdict == verdict


@given(st.text(max_size=40) | st.text("0123456789.,+-*/^()[]exE_ \n", max_size=40))
@example("tensor(")
@example("e_")
@example("1_")
@example("[[],[1]]")
@example("0**-1")
def test_any_text_is_read_or_told_why_not(text: str) -> None:
    for read in (read_answer, read_number):
        with suppress(UnreadableError):
            found = read(text)
            assert found is None or isinstance(found, Typed | Formula | bool)
            assert not isinstance(found, Typed) or np.all(np.isfinite(found.value))
    assert marked("d", "dq/dx", text).verdict in ("correct", "wrong", "unreadable", "missing")
