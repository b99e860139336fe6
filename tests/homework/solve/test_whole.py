"""What can be asked beside single derivatives: second ones, Jacobians, Hessians, constants, values with a property."""

from __future__ import annotations

import pytest

from gradcli.errors import UsageError
from gradcli.homework.answer_file import filled_in
from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.assignment.quantities import read_quantity
from gradcli.homework.grading import Grader
from gradcli.homework.model import Result
from gradcli.homework.submission.lines import read_lines
from gradcli.render.sheet.pages import point
from gradcli.source import Source

CURVE = """\
[[question]]
id = "curve"
program = "f = x**3*y + y**2"
at = { x = 1.5, y = 0.5 }
ask = ["d2f/dx2", "d2f/dxdy", "hessian f", "∇f", { quantity = "d3f/dx2dy", form = "expression" }]
"""
MAP = """\
[[question]]
id = "map"
program = "y = W @ x"
at = { x = [1.5, 2], W = [[1, 2], [3, 4]] }
ask = ["jacobian y x"]
"""
FORM = """\
[[question]]
id = "form"
program = "f = x @ A @ x / 2 + b @ x"
at = { A = [[2, 1], [1, 3]], x = [1.5, 2.5], b = [0.5, 1.5] }
constant = ["b"]
given = { A = "symmetric" }
ask = [{ quantity = "df/dx", form = "expression" }, { quantity = "hessian f x", form = "expression" }]
"""
LOSS = (
    """\
[[question]]
id = "loss"
program = """
    + "'''"
    + """
p = softmax(z, dim=0)
L = -sum(y*log(p))
"""
    + "'''"
    + """
at = { z = [0.5, 1.5, -0.3], y = [0, 1, 0] }
given = { y = "one_hot" }
ask = [{ quantity = "dL/dz", form = "expression" }]
"""
)

CHOICES = """\
[[question]]
id = "leaves"
ask = [
  { quantity = "which", choices = ["w is a leaf", "y is a leaf", "y has a grad_fn"], answer = [1, 3] },
  { quantity = "why", choices = ["it was made by hand", "it is a result"], answer = 1 },
]
"""

ENTRY = """\
[[question]]
id = "entry"
program = "z = W @ x; L = sum(z**2)"
at = { x = [1.5, 2], W = [[1, 2], [3, 4]] }
ask = ["dL/dW[0, 1]", "z[1]"]
"""


def graded(assignment: str, text: str) -> Result:
    grader = Grader(read_assignment(Source(assignment, "week.toml")))
    return grader.grade(read_lines("ada.txt", "ada", text, grader.labels))


@pytest.mark.parametrize(
    ("assignment", "text"),
    [
        (
            CURVE,
            "d²f/dx² = 4.5\n∂²f/(∂x∂y) = 6.75\nH = [[4.5, 6.75], [6.75, 2]]\ngrad f = [3.375, 4.375]\nd3f/dx2dy = 6x",
        ),
        (
            CURVE,
            "f_xx = 4.5\n$\\frac{\\partial^2 f}{\\partial x \\partial y} = 6.75$\nHessian of f = [4.5 6.75; 6.75 2]\n"
            "∇f = (3.375, 4.375)\nd^3f/dx^2dy = 6 x",
        ),
        (FORM, "df/dx = Ax + b\nH = A"),
        (FORM, "df/dx = Aᵀx + [0.5, 1.5]\nhessian f x = (A + A^T)/2"),
        (LOSS, "dL/dz = p - y"),
        (ENTRY, "dL/dW_{12} = 22\nz_2 = 12.5"),
        (LOSS, "dL/dz = softmax(z) - y"),
    ],
)
def test_answers_as_they_are_written_are_right(assignment: str, text: str) -> None:
    found = graded(assignment, text)
    assert [(one.quantity, one.verdict) for one in found.answers if one.verdict != "correct"] == []


def test_wrong_ones_are_wrong() -> None:
    told = "d2f/dx2 = 9\nd2f/dxdy = 2\nhessian f = [4.5, 2]\n∇f = [4.375, 3.375]\nd3f/dx2dy = 6*y"
    assert [one.verdict for one in graded(CURVE, told).answers] == ["wrong", "wrong", "shape", "wrong", "wrong"]
    assert [one.verdict for one in graded(FORM, "df/dx = 2*A@x + b\nH = 2A").answers] == ["wrong", "wrong"]


@pytest.mark.parametrize("assignment", [CURVE, MAP, FORM, LOSS, CHOICES, ENTRY])
def test_the_key_has_full_marks(assignment: str) -> None:
    key = "\n".join(filled_in(Grader(read_assignment(Source(assignment, "week.toml")))))
    found = graded(assignment, key)
    assert found.score == found.max_score


def test_the_sheet_says_what_formulas_may_use() -> None:
    (question,) = read_assignment(Source(FORM, "week.toml")).questions
    assert point(question) == ["A = [[2, 1], [1, 3]] (symmetric)", "x = [1.5, 2.5]", "b = [0.5, 1.5] (constant)"]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("d^2f/dy dx", "d2f/dxdy"),
        ("d2f/dx12", "d2f/dx12"),
        ("grad f", "∇f"),
        ("d2f/dxdydz", None),
    ],
)
def test_the_names_of_such_quantities(text: str, read: str | None) -> None:
    found = read_quantity(text, "f")
    assert (found and str(found)) == read


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('constant = ["b"]', "constant = 1", "constant is 1"),
        ('constant = ["b"]', 'constant = ["x"]', "x is constant"),
        ('A = "symmetric"', 'A = "round"', "no property is called"),
        ('A = "symmetric"', 'Q = "unit"', "has no variable Q"),
        ("[[2, 1], [1, 3]]", "[[2, 1], [0, 3]]", "A is not symmetric in the values"),
        ("hessian f x", "hessian f", "A, x are not all single numbers"),
        ("hessian f x", "hessian f w", "has no variable w"),
    ],
)
def test_what_cannot_be_asked_is_refused_at_its_place(old: str, new: str, says: str) -> None:
    with pytest.raises(UsageError) as error:
        Grader(read_assignment(Source(FORM.replace(old, new), "week.toml")))
    assert says in error.value.message
    assert error.value.span is not None


@pytest.mark.parametrize("answer", ["[]", "[1, 4]", "0", "[true]", "'a'"])
def test_choices_have_right_ones(answer: str) -> None:
    with pytest.raises(UsageError, match="no choice is the right one"):
        read_assignment(Source(CHOICES.replace("[1, 3]", answer), "week.toml"))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"z[1]"', '"z[1, 0]"', "and no entry"),
        ('"z[1]"', '{ quantity = "z[1]", form = "expression" }', "an entry is no formula"),
        ('"z[1]"', '"y[1]"', "has no y"),
    ],
)
def test_an_entry_that_is_not_there_is_refused(old: str, new: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Grader(read_assignment(Source(ENTRY.replace(old, new), "week.toml")))
