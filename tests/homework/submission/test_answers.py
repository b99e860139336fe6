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
        ("9", 9, 1),
        (" -0.50 ", -0.5, 2),
        ("−3.25", -3.25, 3),
        ("+7", 7, 1),
        ("-0", 0, EXACT),
        (".5", 0.5, 1),
        ("3.", 3, 1),
        ("1e5", 1e5, 1),
        ("1.00e2", 100, 3),
        ("6.02E-3", 0.00602, 3),
        ("1_000.5", 1000.5, 5),
        ("1e-400", 0, EXACT),
        ("1/3", 1 / 3, EXACT),
        ("-(1/2)**2", -0.25, EXACT),
        ("2²", 4, EXACT),
        ("--3", 3, EXACT),
        ("2·3", 6, EXACT),
        ("sqrt(2)/2", np.sqrt(0.5), EXACT),
        ("pi", np.pi, EXACT),
        ("exp(1)", np.e, EXACT),
        ("0x10", 16, EXACT),
        ("3 # three", 3, EXACT),
        ("tensor(2.5)", 2.5, 2),
        ("tensor(2.50, grad_fn=<MulBackward0>)", 2.5, 3),
        ("torch.tensor(2.50, dtype=torch.float64)", 2.5, 3),
        ("array(2.5)", 2.5, 2),
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
        ("[1, 2.50]", [1, 2.5]),
        ("[[1, -2], [−3, +4]]", [[1, -2], [-3, 4]]),
        ("(1, 2)", [1, 2]),
        ("[1/2, 2]", [0.5, 2]),
        ("[]", []),
        ("[[], []]", [[], []]),
        ("[1, 2]*2", [2, 4]),
        ("tensor([1., 2.], grad_fn=<MulBackward0>)", [1, 2]),
        ("tensor([[1., 2.],\n        [3., 4.]], requires_grad=True)", [[1, 2], [3, 4]]),
        ("tensor([1., 2.], device='cuda:0', dtype=torch.float64)", [1, 2]),
        ("np.array([1., 2.])", [1, 2]),
        ("eye(2)", [[1, 0], [0, 1]]),
    ],
)
def test_tensors(text: str, value: list[float]) -> None:
    found = read_number(text)
    assert isinstance(found, Typed)
    assert np.array_equal(found.value, value)
    assert np.shape(found.value) == np.shape(value)


def test_the_digits_of_a_tensor_are_those_of_its_entries() -> None:
    found = read_number("[1.50, -20, 1e3]")
    assert isinstance(found, Typed)
    assert (found.digits.tolist(), found.zeros.tolist()) == ([3, 2, 1], [0, 1, 0])
    assert found.unit.tolist() == [0.01, 1, 1000]


@pytest.mark.parametrize(
    ("text", "value"), [("None", None), (" null ", None), ("true", True), ("FALSE", False), ("none", None)]
)
def test_words(text: str, value: bool | None) -> None:
    assert read_answer(text) is value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no expression here"),
        ("?", "unknown character '?'"),
        ("1,5", "decimals stand behind a point: 1.5"),
        ("-0,25", "decimals stand behind a point: -0.25"),
        ("≈ 3.1", "write the number alone: 3.1"),
        ("~3", "write the number alone: 3"),
        ("$3", "write the number alone: 3"),
        ("= 4", "write the number alone: 4"),
        ("3 m", "write 3*m, or the number without a unit"),
        ("3.0f", "write 3.0*f, or the number without a unit"),
        ("50%", "write the number without a unit"),
        ("90°", "write the number without a unit"),
        ("3 = 4", "cannot assign to '3'"),
        ("x = 3 = 4", "a statement has one '='"),
        ("x = 3", "a value is not a statement"),
        ("3; 4", "a value is one expression"),
        ("4 or 5", "'or' cannot be used in an expression"),
        ("[1 2]", "missing ',' between '1' and '2'"),
        ("[1, 2", "unclosed '['"),
        ("[[1, 2], [3]]", "rows of different lengths"),
        ("nan", "not a finite number"),
        ("-Infinity", "not a finite number"),
        ("[1, nan]", "not a finite number"),
        ("inf", "not a finite number"),
        ("1e999", "not a finite number"),
        ("1/0", "not a finite number"),
        ("0/0", "not a finite number"),
        ("(-1)**0.5", "not a finite number"),
        ("1e308*10", "not a finite number"),
        ("1 + 2j", "complex numbers are not part of the language"),
        ("9**9**9**9", "the result of ** does not fit in a 64-bit integer"),
        ("10**400", "the result of ** does not fit in a 64-bit integer"),
        ("w", "w is a name, and a number was asked for"),
        ("2*w + 1", "w is a name, and a number was asked for"),
        ("x.__class__", "x is a name, and a number was asked for"),
        ("().__class__.__mro__", "a tensor has no attribute '__class__'"),
        ("(1).__class__", "a tensor has no attribute '__class__'"),
        ("__import__('os')", "there is no function '__import__'"),
        ("__builtins__", "__builtins__ is a name, and a number was asked for"),
        ("eval('1')", "there is no function 'eval'"),
        ("open('/etc/passwd')", "there is no function 'open'"),
        ("factorial(10**9)", "there is no function 'factorial'"),
        ("lambda: 1", "'lambda' cannot be used in an expression"),
        ("'text'", "neither a number nor a tensor of numbers"),
        ("1 == 1", "neither a number nor a tensor of numbers"),
        ("\x1b[31m4", "unknown character '\\x1b'"),
        ("9" * 400, "a number of 400 characters"),
        ("1" + " " * 10_000 + "+ 1", "an answer of 10,004 characters"),
        ("arange(10**9)", "a result of shape (1000000000,) has 1,000,000,000 entries, and 4,096 are the limit"),
        ("ones(10**6, 10**6)", "and 4,096 are the limit"),
        ("[" * 70 + "1" + "]" * 70, "lists in lists, nested too deeply"),
        ("[" * 4900 + "1" + "]" * 4900, "lists in lists, nested too deeply"),
    ],
    ids=lambda text: text[:20],
)
def test_what_cannot_be_read_is_told_why(text: str, why: str) -> None:
    assert unreadable(text).endswith(why)


def test_a_reason_is_short() -> None:
    assert len(unreadable("x" * 5000)) < 250
    assert len(unreadable("'" + "x" * 5000)) < 250


LONG = {
    "sums": "4*x**3" + " + 0*x" * 800,
    "brackets": "(" * 2400 + "4*x**3" + ")" * 2400,
    "signs": "--" * 2400 + "4*x**3",
    "calls": "4*x**3 + 0*" + "sin(" * 1000 + "x" + ")" * 1000,
    "products of matrices": "4*x**3 + 0*sum(" + "@".join(["eye(64)"] * 250) + ")",
    "large tensors": "4*x**3" + " + 0*sum(sin(ones(4096)))" * 150,
    "transposes": "4*x**3 + 0*sum(ones(64, 64)" + ".T" * 800 + ")",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_thousands_of_characters_are_judged_like_any_others(text: str) -> None:
    assert len(text) < 10_000
    assert marked("d", "dq/dx", text).verdict == "correct"
    assert marked("d", "dq/dx", f"1 + {text}").verdict == "wrong"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "x" + "**x" * 1500,
        "2" + "**2" * 1500,
        "[" + "1, " * 1600 + "1]",
        "[" * 2400 + "]" * 2400,
        "(" * 5000,
        "einsum('ijk,ijl,ijm->klm', ones(16, 16, 16), ones(16, 16, 16), ones(16, 16, 16))",
        "conv2d(ones(1, 1, 64, 64), ones(1, 1, 32, 32))",
        "cat([" + "ones(4096), " * 300 + "])",
        "tensor(" + ", grad_fn=" * 900,
        "1e" + "9" * 9000,
        "'" * 9999,
        "x." * 2400,
        "9**9**9" * 500,
    ],
    ids=lambda text: text[:20],
)
def test_hostile_answers_have_a_verdict(text: str) -> None:
    for quantity in some(("X.grad", "W.grad"), 2, len(text)):
        assert marked("t", quantity, text).verdict in ("wrong", "shape", "unreadable")


@pytest.mark.parametrize(
    ("text", "verdict", "remark"),
    [
        ("4*x^3", "correct", ""),
        ("4·x³", "correct", ""),
        ("2*s*2*x", "correct", ""),
        ("4*abs(x)**3", "wrong", "at x = -"),
        ("4*x**3 + 1e-3", "wrong", "at x = "),
        ("108", "wrong", "at x = "),
        ("log(x) - log(x) + 4*x**3", "wrong", "yours gives nan"),
        ("log(-x**2)", "unreadable", "it has no finite value at any of the points"),
        ("nan", "unreadable", "not a finite number"),
        ("x/0", "unreadable", "it has no finite value at any of the points"),
        ("4*y**3", "unreadable", "the program has no y"),
        ("dq/dx", "unreadable", "the program has no dq"),
        ("4x^3", "correct", ""),
        ("4x", "wrong", "at x = "),
        ("4*y**3 + z", "unreadable", "the program has no y and z"),
        ("x == x", "wrong", "at x = "),
        ("True", "unreadable", "neither a number nor a formula"),
        ("'x", "unreadable", "is not understood"),
        ("x.__class__", "unreadable", "no attribute '__class__'"),
    ],
)
def test_formulas(text: str, verdict: str, remark: str) -> None:
    found = marked("d", "dq/dx", text)
    assert found.verdict == verdict
    assert remark in found.remark


@pytest.mark.parametrize(("text", "verdict"), [("s**2", "correct"), ("x^4", "correct"), ("q", "unreadable")])
def test_a_name_is_not_its_own_formula(text: str, verdict: str) -> None:
    assert marked("d", "q", text).verdict == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("2*X.T @ (X @ W)", "correct"),
        ("2*(X.T @ X @ W)", "correct"),
        ("2*X @ (X @ W)", "wrong"),
        ("X + [1, 2, 3]", "unreadable"),
        ("[[52, 76], [72, 106]]", "wrong"),
        ("L", "wrong"),
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


@given(st.floats(-1e9, 1e9), st.integers(1, 17))
def test_a_number_with_its_digits(number: float, precision: int) -> None:
    text = f"{number:.{precision}g}"
    found = read_number(text)
    assert isinstance(found, Typed)
    assert found.value == float(text)
