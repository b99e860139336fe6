"""Hand-ins as students type them: headings, labels, and where an answer ends."""

from __future__ import annotations

import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.model import Result
from gradcli.homework.submission.lines import read_lines
from gradcli.homework.submission.submissions import Submission
from gradcli.source import Source

TOML = """\
[[question]]
id = "q1"
program = 'p = x**2; q = p**2'
at.x = 3
ask = ["p", "q", "dq/dp", "dq/dx", "local dp/dx"]
[[question]]
id = "two layers"
program = "Z = X @ W; L = sum(Z**2)"
at = { X = [[1, 2], [3, 4]], W = [[1, 2], [3, 4]] }
ask = ["Z", "W.grad", "dL/dZ"]
[[question]]
id = "3"
script = '''
import torch
w1 = torch.tensor(2.0, requires_grad=True)
loss = w1 * w1
loss.backward()
'''
ask = ["w1.grad", "loss"]
"""
MATRIX = "\\begin{pmatrix}\n7 & 10 \\\\\n15 & 22\n\\end{pmatrix}"
GRADER = Grader(read_assignment(Source(TOML, "week.toml")))


def read(text: str) -> Submission:
    return read_lines("ada.txt", "ada", text, GRADER.labels)


def given(text: str) -> list[tuple[str, str, str | None]]:
    return [(one.question, one.quantity, one.text) for one in read(text).given]


def graded(text: str) -> Result:
    return GRADER.grade(read(text))


@pytest.mark.parametrize(
    "heading",
    ["[q1]", "[Q1]", "Q1:", "Q1", "## Q1", "# q1:", "**Q1**", "Question q1", "Question q1:", "[ q1 ]", "__q1__", "Q1)",
     "[q1]:", "**[q1]**", "Question 1:", "Question 1", "## Exercise 1", "Problem #01", "No. 1",
     "①", "第一題", "प्रश्न 1:", "Zu 1:", "Homework 2, Exercise 1", "\\begin{enumerate}\n\\item", "Experiment 1 |",
     "Ex. 1:", "// q1", "Question 7 [q1]", "Exercise q1.", "[q1]  # mine", "Corrigé de l'exercice 1",
     "Solución del problema 1", "Soluzione dell'esercizio 1", "Решение задачи 1", "Rozwiązanie zadania 1"],
)  # fmt: skip
def test_a_heading_names_a_question(heading: str) -> None:
    assert given(f"{heading}\np = 9\n") == [("q1", "p", "9")]


@pytest.mark.parametrize("heading", ["Q: two layers", "q: Two-Layers", "Q: two_layers:", "Q: two laeyrs"])
def test_a_heading_is_no_answer_to_a_quantity_that_is_called_q(heading: str) -> None:
    text = f"Q: q1\np = 9\nQ: 81\nq: x**4\n{heading}\nZ = 5\n"
    assert given(text) == [("q1", "p", "9"), ("q1", "q", "81"), ("q1", "q", "x**4"), ("two layers", "Z", "5")]


@pytest.mark.parametrize("line", ["1. q: 81", "2) q: 81", "a) q: 81", "- q: 81", "(1) q = 81"])
def test_a_quantity_that_is_called_as_questions_are_is_none(line: str) -> None:
    assert given(f"[q1]\n{line}\np = 9\n")[-1] == ("q1", "p", "9")
    assert given(f"[q1]\n{line}\n")[0][:2] == ("q1", "q")


@pytest.mark.parametrize(
    "line",
    [
        "dq/dx = 3", "dq/dx: 3", "- dq/dx = 3", "a) dq/dx = 3", "(a) dq/dx = 3", "1. dq/dx = 3", "∂q/∂x=3", "dq_dx = 3",
        "dq/dx := 3", "dq/dx ≈ 3", "dq/dx ~ 3", "dq/dx -> 3", "dq/dx → 3", "dq/dx is 3", "dq/dx\t3", "| dq/dx | 3 |",
        "* dq/dx = 3", "• dq/dx: 3", "> dq/dx = 3", "**dq/dx** = 3", "**dq/dx:** 3", "`dq/dx` = 3", "$dq/dx = 3$",
        r"$\frac{dq}{dx} = 3$", r"\frac{\partial q}{\partial x} = 3", "d q / d x = 3", "d(q)/d(x) = 3", "x.grad = 3",
        "DQ/DX = 3"[:0] + "dq/dx == 3", "dq/dx 3", "the dq/dx = 3", "[Q1] dq/dx = 3", "Q1: dq/dx = 3", "Q1 dq/dx = 3",
        "[a] dq/dx = 3", "dq/dx =\n3", "dq/dx:\n\n  3", "dq/dx = 3   # three", "dq/dX = 3", "grad x = 3",
        "The derivative dq/dx is 3", "the gradient dq/dx = 3", "答：dq/dx = 3", "Antwort: dq/dx = 3",
    ],
)  # fmt: skip
def test_a_label_names_a_quantity(line: str) -> None:
    assert [(q, label, text.strip("= ")) for q, label, text in given(f"[q1]\n{line}\n") if text] == [
        ("q1", "dq/dx", "3")
    ]
    assert read(f"[q1]\n{line}\n").remarks == ()


@pytest.mark.parametrize(
    "line", ["[Q1] dq/dx = 3", "Q1: dq/dx = 3", "Q1 dq/dx = 3", "Question q1: dq/dx = 3", "dq/dx = 3"]
)
def test_a_line_may_name_its_question(line: str) -> None:
    assert given(f"{line}\n") == [("q1", "dq/dx", "3")]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Z = tensor([[7., 10.],\n        [15., 22.]],\n       grad_fn=<MmBackward0>)",
         "tensor([[7., 10.],\n        [15., 22.]],\n       grad_fn=<MmBackward0>)"),
        ("Z =\n[[7. 10.]\n [15. 22.]]", "[[7. 10.]\n [15. 22.]]"),
        (f"Z = {MATRIX}", MATRIX),
    ],
)  # fmt: skip
def test_an_answer_of_several_lines(text: str, answer: str) -> None:
    whole = f"[two layers]\n{text}\ndL/dZ = 1\n"
    assert given(whole) == [("two layers", "Z", answer), ("two layers", "dL/dZ", "1")]
    assert read(whole).remarks == ()


@pytest.mark.parametrize("bad", ["Z = [1, 2", "Z = (((", "Z = [[1, 2],\n [3, 4]", "Z = {"])
def test_a_bracket_that_is_never_closed_costs_its_own_answer(bad: str) -> None:
    result = graded(f"[two layers]\n{bad}\ndL/dZ = [[14, 20], [30, 44]]\n[q1]\np = 9\n")
    verdicts = {answer.quantity: answer.verdict for answer in result.answers}
    assert (verdicts["Z"], verdicts["dL/dZ"], verdicts["p"]) == ("unreadable", "correct", "correct")


@pytest.mark.parametrize(
    "line",
    [
        "p = 9; q = 81",
        "p = 9, q = 81",
        "p: 9\nq: 81",
        "p = 9、q = 81",
        "p = 9 | q = 81",
        "p,9\nq,81",
        "| p | 9 |\n|---|---|\n| q | 81 |",
        "p\t9\nq\t81",
    ],
)
def test_several_answers(line: str) -> None:
    assert given(f"[q1]\n{line}\n") == [("q1", "p", "9"), ("q1", "q", "81")]


@pytest.mark.parametrize(
    "text",
    [
        ">>> p\n9\n>>> print(q)\n81", "In [1]: p\nOut[1]: 9\n\nIn [2]: q\nOut[2]: 81", "print(p)\n9\nprint(q)\n81",
        "p\n9\nq\n81", "(p) 9\n(q) 81", "[p] = 9\n[q] = 81", "[p] =\n9\n[q] =\n81", "p  9\nq  81",
    ],
)  # fmt: skip
def test_answers_that_are_copied_or_set_apart(text: str) -> None:
    assert given(f"[q1]\n{text}\n") == [("q1", "p", "9"), ("q1", "q", "81")]


def test_a_hand_in_that_is_quoted_as_a_whole() -> None:
    assert given("> [q1]\n> p =\n> 9\n>\n> q = 81\n") == [("q1", "p", "9"), ("q1", "q", "81")]


def test_what_nobody_asked_for_is_said_with_the_nearest() -> None:
    result = graded("[q2]\np = 9\n[q1]\ndq/dz = 3\nx.gard = 1\nlayers: 3\n[three layers]\nZ = 3\n")
    said = {(one.question, one.quantity): one.remark for one in result.answers if not one.max_points}
    assert said == {
        ("q2", "p"): "there is no such question; did you mean [q1]?",
        ("q1", "dq/dz"): "this was not asked; did you mean dq/dx?",
        ("q1", "x.gard"): "this was not asked; did you mean dq/dx?",
        ("three layers", "Z"): "there is no such question; did you mean [two layers]?",
    }
    assert result.remarks == (
        "line 1, [q2]: there is no such question; did you mean [q1]?",
        "line 6 is no [question], and no quantity = answer: layers: 3",
        "line 7, [three layers]: there is no such question; did you mean [two layers]?",
    )


def test_strict_reads_the_plain_notation_alone() -> None:
    strict = Grader(read_assignment(Source("[input]\nstrict = true\n" + TOML, "week.toml")))
    assert strict.labels.is_strict
    assert strict.labels.question("Q1") is None
    assert strict.labels.ask("q1", "dq_dx") is None
    submission = read_lines("ada.txt", "ada", "[q1]\np = 9,0\nq = ≈81\ndq/dp = 18\n", GRADER.labels)
    verdicts = [answer.verdict for answer in strict.grade(submission).answers[:3]]
    assert verdicts == ["unreadable", "unreadable", "correct"]
    assert [answer.read_as for answer in GRADER.grade(submission).answers[:3]] == ["9.0", "81", ""]


@pytest.mark.parametrize(
    "answer",
    ["(7, 6)", "[7; 6]", "\\begin{pmatrix}7\\\\6\\end{pmatrix}", "[7, 6]^\\top", "\\left(7, 6\\right)^{T}", "[7, 6]'"],
)
def test_a_gradient_of_several_numbers_in_one_line(answer: str) -> None:
    program = "program = 'f = x**2 + 3*x*y'\nat = { x = 2, y = 1 }\nask = ['df/dx', 'df/dy']\n"
    labels = Grader(read_assignment(Source(f"[[question]]\nid = 'f'\n{program}", "week.toml"))).labels
    found = read_lines("ada.txt", "ada", f"[f]\n∇f = {answer}\n", labels)
    assert [(one.quantity, one.text) for one in found.given] == [("df/dx", "7"), ("df/dy", "6")]


LABELS = [
    "dq/dx", "∂q/∂x", "δq/δx", "D[q, x]", "diff(q, x)", "grad(q, x)", "∇_x q", r"\frac{\partial q}{\partial x}",
    "q_x", "x_bar", "x̄", r"\bar{x}", "dx", "x.grad",
]  # fmt: skip


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(
    "before",
    [
        "",
        "so ",
        "thus, ",
        "Rückwärts: ",
        "donc ",
        "=> ",
        "∴ ",
        "a) ",
        "- ",
        "Backward pass: ",
        "D'où ",
        "Por lo tanto, ",
        "On obtient donc ",
        "したがって ",
    ],
)
def test_words_and_arrows_before_a_label_change_nothing(label: str, before: str) -> None:
    asked = [answer for answer in graded(f"[q1]\n{before}{label} = 108").answers if answer.verdict != "missing"]
    assert [(answer.quantity, answer.verdict) for answer in asked] == [("dq/dx", "correct")]


@pytest.mark.parametrize("before", ["local ", "not ", "half of ", "minus ", "no ", "the inverse of "])
def test_words_that_make_another_quantity_are_never_taken_off_a_label(before: str) -> None:
    answers = graded(f"[q1]\n{before}dq/dx = 108").answers
    assert all(answer.verdict != "correct" for answer in answers)


def test_an_answer_may_stand_before_its_label() -> None:
    assert [one.verdict for one in graded("[q1]\n108 = dq/dx").answers if one.quantity == "dq/dx"] == ["correct"]
    assert [one.verdict for one in graded("[q1]\n107 = dq/dx").answers if one.quantity == "dq/dx"] == ["wrong"]


@pytest.mark.parametrize(
    "line",
    ["d/dx((x²)²) = 108", "∂ (x²)² / ∂x = 108", "Final answer: dq/dx = 108", "dq/dx | 108",
     "la derivata parziale di q rispetto a x vale 108",
     "частная производная q по x равна 108", "pochodna q po x wynosi 108", "q对x的偏导数为 108"],
)  # fmt: skip
def test_derivatives_of_the_formula_itself_and_in_words_are_labels(line: str) -> None:
    assert [one.verdict for one in graded(f"[q1]\n{line}").answers if one.quantity == "dq/dx"] == ["correct"]


@pytest.mark.parametrize("line", ["∂z/∂x = 108", "d/dx(z) = 108", "dp/dw = 108", "d/dx = 108"])
def test_a_derivative_of_something_else_is_not_that_of_the_output(line: str) -> None:
    assert all(one.verdict != "correct" for one in graded(f"[q1]\n{line}").answers)


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("∂L/∂W_kj = (p_k - y_k) x_j", "correct"),
        (r"\frac{\partial L}{\partial W_{ij}} = (p_i - y_i) x_j", "correct"),
        ("dL/dW_jk = (p_j - y_j) x_k", "correct"),
        ("∂L/∂W_jk = (p_k - y_k) x_j", "wrong"),  # the axes are turned
        ("∂L/∂W_kj = (y_k - p_k) x_j", "wrong"),
    ],
)
def test_the_indices_of_a_label_say_which_axis_is_which(line: str, verdict: str) -> None:
    program = "program = 'p = softmax(W @ x, dim=0); L = -sum(y*log(p))'\ngiven = { y = 'one_hot' }\n"
    at = "at = { W = [[1, 2], [0.5, 1], [2, 1]], x = [0.3, 0.4], y = [0, 1, 0] }\n"
    ask = "ask = [{ quantity = 'dL/dW', form = 'expression' }]\n"
    grader = Grader(read_assignment(Source(f"[[question]]\nid = 'q'\n{program}{at}{ask}", "week.toml")))
    (found,) = grader.grade(read_lines("ada.txt", "ada", f"[q]\n{line}\n", grader.labels)).answers
    assert found.verdict == verdict, found.remark
