"""Credit that follows: rounding on the way, numbers that leave no question, shares of points."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gradcli.homework.grading import Grader
from tests.homework.asking import assignment, marked

POINT = {"w": 0.63, "x": 1.57, "b": -0.41, "t": 0.95}
PROGRAM = "program = 'z = w*x + b; a = sigmoid(z); L = (a - t)**2'\nat = { w = 0.63, x = 1.57, b = -0.41, t = 0.95 }\n"
ASKED = ("z", "a", "local da/dz", "dL/da", "dL/dz", "dL/dw")


def neuron(*asked: str, grading: str = "") -> Grader:
    return assignment(f"{PROGRAM}ask = {list(asked)}\n", grading)


def by_hand(digits: int) -> dict[str, str]:
    """The answers of a student who rounds every step."""

    def r(value: float) -> float:
        return float(f"{value:.{digits - 1}e}")

    z = r(r(POINT["w"] * POINT["x"]) + POINT["b"])
    a = r(1 / (1 + np.exp(-z)))
    slope = r(a * r(1 - a))
    upstream = r(2 * r(a - POINT["t"]))
    down = r(upstream * slope)
    numbers = (z, a, slope, upstream, down, r(down * POINT["x"]))
    return {name: f"{number:.{digits - 1}e}" for name, number in zip(ASKED, numbers, strict=True)}


@pytest.mark.parametrize("digits", [3, 4, 5, 6])
def test_going_on_from_rounded_answers_is_right(digits: int) -> None:
    found = marked(neuron(*ASKED), by_hand(digits))
    assert {name: answer.verdict for name, answer in found.items()} == dict.fromkeys(ASKED, "correct")


@pytest.mark.parametrize(
    ("digits", "verdict", "grading"),
    [(6, "correct", ""), (5, "correct", ""), (4, "correct", ""), (2, "precision", "precision = 3"), (2, "correct", "")],
)
def test_rounding_steps_that_nobody_asked_for(digits: int, verdict: str, grading: str) -> None:
    """With two digits of small numbers all decimals are right, of which the values have no more."""
    found = marked(
        neuron("dL/dz", "dL/dw", grading=grading), {name: by_hand(digits)[name] for name in ("dL/dz", "dL/dw")}
    )
    assert {answer.verdict for answer in found.values()} == {verdict}


@pytest.mark.parametrize("digits", [4, 6])
@pytest.mark.parametrize("seed", range(3))
def test_rounding_once_more_for_the_answer_is_right(seed: int, digits: int) -> None:
    """0.44449 is 0.4445 in four digits, and that is 0.445 in three: each step was rounded as it may be."""
    below = random.Random(seed).randrange(100, 899) / 100
    grader = assignment(f"program = 'q = x*1'\nat = {{ x = {below:.2f}4{'9' * (digits - 4)}6 }}\nask = ['q']\n")
    found = [marked(grader, {"q": f"{below + more:.2f}"})["q"].verdict for more in (-0.01, 0, 0.01, 0.02)]
    assert [verdict == "correct" for verdict in found] == [False, True, True, False]


CANCELLING = "program = 'u = exp(x); v = u - 20.0855; q = v*1234.5'\nat = { x = 3 }\nask = ['q']\n"
RIGHT = (np.exp(3) - 20.0855) * 1234.5


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [
        (f"{RIGHT:.12g}", "correct"),
        (f"{RIGHT * 1.0015:.13g}", "wrong"),
        (f"{(20.085537 - 20.0855) * 1234.5:.9g}", "correct"),  # from a step with eight digits
    ],
)
def test_a_number_of_many_digits_is_judged_by_them(typed: str, verdict: str) -> None:
    assert marked(assignment(CANCELLING), {"q": typed})["q"].verdict == verdict


def test_rounding_to_three_digits_is_named() -> None:
    body = "program = 'u = x*1.337; v = u*2.719; q = v*3.141'\nat = { x = 1.2388 }\nask = ['q']\n"
    answer = marked(assignment(body), {"q": f"{4.51 * 3.141:.4g}"})["q"]  # from 1.66 and 4.51
    assert (answer.verdict, answer.points) == ("precision", 0.0)
    assert [one.message for one in answer.diagnoses] == [
        "you rounded every step to three digits: keep four or more until the end"
    ]


@pytest.mark.slow
@pytest.mark.parametrize("factor", [1.02, -1])
def test_a_number_that_no_rounding_gives_is_wrong(factor: float) -> None:
    right = by_hand(6)
    for name in ASKED:
        found = marked(neuron(name), {name: f"{factor * float(right[name]):.5e}"})[name]
        assert found.verdict == "wrong"


@pytest.mark.parametrize("z", ["1000", "-1000", "45"])
def test_a_saturated_number_earns_nothing_more(z: str) -> None:
    a = "1" if float(z) > 0 else "0"
    answers = {"z": z, "a": a, "local da/dz": "0", "dL/da": f"{2 * (float(a) - 0.95)}", "dL/dz": "0", "dL/dw": "0"}
    found = marked(neuron(*ASKED), answers)
    assert sum(answer.points for answer in found.values()) <= 1.0
    assert found["a"].verdict == found["dL/dz"].verdict == found["dL/dw"].verdict == "wrong"


def test_a_shut_gate_earns_nothing_more_and_an_open_one_does() -> None:
    body = "program = 'z = w*x; a = relu(z); L = (a - t)**2'\nat = { w = 0.6, x = 1.5, t = 2 }\n"
    grader = assignment(f"{body}ask = ['z', 'a', 'dL/da', 'dL/dz', 'dL/dw']\n")
    shut = marked(grader, {"z": "-0.9", "a": "0", "dL/da": "-4", "dL/dz": "0", "dL/dw": "0"})
    assert {answer.verdict for answer in shut.values()} == {"wrong"}
    other = marked(grader, {"z": "2.7", "a": "2.7", "dL/da": "1.4", "dL/dz": "1.4", "dL/dw": "2.1"})
    assert [answer.verdict for answer in other.values()] == ["wrong", "carried", "carried", "carried", "carried"]


def test_a_share_of_the_points_for_what_follows() -> None:
    answers = {"z": "0.7", "a": "0.6682"}
    for grading, points in (
        ("", 1.0),
        ("carry_share = 0.5", 0.5),
        ("carry_share = 0", 0.0),
        ("carry_forward = false", 0.0),
    ):
        assert marked(neuron("z", "a", grading=grading), answers)["a"].points == points


@pytest.mark.parametrize(("entries", "points"), [("all", 0.0), ("each", 0.75)])
def test_a_share_of_the_points_for_right_entries(entries: str, points: float) -> None:
    body = "program = 'Z = 2*X'\nat = { X = [[1, 2], [3, 4]] }\nask = ['Z']\n"
    grader = assignment(body, f"entries = '{entries}'")
    answer = marked(grader, {"Z": "[[2, 4], [6, 9]]"})["Z"]
    assert (answer.verdict, answer.points) == ("wrong", points)
    assert marked(grader, {"Z": "[2, 4, 6, 8]"})["Z"].points == 0.0
    assert marked(grader, {"Z": "[[2, 4], [6, 8]]"})["Z"].points == 1.0


def test_several_own_numbers_are_used_together() -> None:
    program = "program = 'u = x**3; w = sin(u); r = exp(1.2*x); q = w*r'"
    body = f"{program}\nat = {{ x = 0.8 }}\nask = ['w', 'r', 'dr/dx', 'dq/dx']\n"
    own = {"w": "0.8718", "r": "0.3829", "dr/dx": "0.3829"}
    own["dq/dx"] = f"{np.cos(0.512) * 1.92 * 0.3829 + 0.8718 * 0.3829:.5f}"
    assert marked(assignment(body), own)["dq/dx"].verdict == "carried"


def test_a_wrong_number_that_was_not_gone_on_with_earns_nothing() -> None:
    """Two errors that cancel, and the right number where the student's own one stands on the sheet."""
    body = "program = 's = x**2; p = s + 2.2; m = s - 2.7; q = p*m'\nat = { x = 2.6 }\n"
    grader = assignment(f"{body}ask = ['local ds/dx', 'dq/ds', 'dq/dx']\n")
    twice = {"local ds/dx": "2.6", "dq/ds": "-13.02", "dq/dx": "33.852"}
    assert [answer.verdict for answer in marked(grader, twice).values()] == ["wrong", "wrong", "wrong"]
    once = twice | {"dq/dx": "-33.852"}
    assert [answer.verdict for answer in marked(grader, once).values()] == ["wrong", "wrong", "carried"]
    body = "program = 't = x**2 + 1.9*y; d = sqrt(t); q = x/d'\nat = { x = 1.6, y = 2.3 }\n"
    grader = assignment(f"{body}ask = ['d', 'local dd/dt', 'dq/dy']\n")
    found = marked(grader, {"d": "6.93", "local dd/dt": "0.07215", "dq/dy": "-0.03165"})  # right d**2, wrong d
    assert [answer.verdict for answer in found.values()] == ["wrong", "carried", "wrong"]


def test_probabilities_that_are_none_are_gone_on_with() -> None:
    at = "at = { Z = [[0.3, 1.7, -0.8], [1.3, -0.2, 1.1]] }"
    body = f"program = 'P = softmax(Z, 1); L = cross_entropy(Z, [0, 2])'\n{at}\n"
    own = np.array([[0.25, 1.4167, -0.6667], [0.5909, -0.0909, 0.5]])
    slope = (own - np.eye(3)[[0, 2]]) / 2
    answers = {"P": f"{own.tolist()}", "dL/dZ": f"{slope.round(5).tolist()}"}
    found = marked(assignment(f"{body}ask = ['P', 'dL/dZ']\n"), answers)
    assert [answer.verdict for answer in found.values()] == ["wrong", "carried"]


GATED = """program = 'u = X @ w; z = u + b; s = sigmoid(z); y = s*u; L = mean(y**2)'
at = { X = [[1.6, 0.8], [0.3, 1.4], [0.6, -1.8]], w = [0.6, -1.8], b = [0.9, -0.8, -0.4] }
ask = ['s', 'dL/dy', 'dL/ds']
"""


@pytest.mark.parametrize(("first", "verdict"), [("0.0586", "carried"), ("0.0588", "carried"), ("0.0664", "wrong")])
def test_each_entry_has_the_room_of_its_own_rounding(first: str, verdict: str) -> None:
    own = {"s": "[0.382, 0.0879, 0.973]", "dL/dy": "[-0.122, -0.137, 2.34]", "dL/ds": f"[{first}, 0.321, 8.41]"}
    assert marked(assignment(GATED), own)["dL/ds"].verdict == verdict


def test_an_updated_weight_has_no_part_in_the_gradient_that_updates_it() -> None:
    lines = ["import torch", "w = torch.tensor(0.6, requires_grad=True)", "y = torch.tanh(w * 1.3 + 0.9)",
             "y.backward()", "with torch.no_grad():", "    w -= 0.2 * w.grad"]  # fmt: skip
    grader = assignment("script = '''\n" + "\n".join(lines) + "\n'''\nask = ['y', 'w.grad', 'w']\n")
    right = 1.3 * (1 - np.tanh(1.68) ** 2)
    for w in ("0.632", "0.711"):
        found = marked(grader, {"y": "0.933", "w.grad": f"{1.01 * right:.4f}", "w": w})
        assert found["w.grad"].verdict == "wrong"


def test_the_gradient_of_a_cross_entropy_needs_no_gradient_by_the_probabilities() -> None:
    program = "program = 'p = softmax(z, 0); L = -sum(y*log(p))'\n"
    grader = assignment(f"{program}at = {{ z = [1.5, 0.3, -0.9], y = [0, 0, 1] }}\nask = ['p', 'dL/dp', 'dL/dz']\n")
    own = {"p": "[0.394, 0.287, 0.319]", "dL/dp": "[-2.538, -3.484, -3.135]", "dL/dz": "[0.394, 0.287, -0.681]"}
    assert marked(grader, own)["dL/dz"].verdict == "carried"


def test_what_follows_from_a_step_with_two_digits() -> None:
    """A step that was rounded to two digits is gone on from: all below it has too few digits, and none is wrong."""
    z = 1.6  # for 1.605, of which the product was rounded to 1.2
    a = 1 / (1 + np.exp(-z))
    given = {"z": f"{z:.6f}", "a": f"{a:.6f}", "L": f"{(a - 0.75) ** 2:.6f}", "dL/da": f"{2 * (a - 0.75):.6f}"}
    grader = assignment(
        "program = 'z = w*x + b; a = sigmoid(z); L = (a - t)**2'\n"
        "at = { w = 1.3, x = 0.95, b = 0.37, t = 0.75 }\nask = ['z', 'a', 'L', 'dL/da']"
    )
    found = {quantity: one.verdict for quantity, one in marked(grader, given).items()}
    assert found == dict.fromkeys(given, "precision")


DECIMALS = "program = 'y = x**2/7'\nat = { x = 0.5 }\nask = [%s]\n"


@pytest.mark.parametrize(
    ("ask", "grading", "text", "verdict"),
    [
        ("'y'", "", "0.04", "correct"),  # 0.0357
        ("'y'", "precision = 2", "0.04", "precision"),
        ("'y'", "decimals = 3", "0.036", "correct"),
        ("'y'", "decimals = 3", "0.0365", "wrong"),
        ("{ quantity = 'y', decimals = 4 }", "", "0.036", "precision"),
        ("'y'", "", "0.25/7 ≈ 0.04", "correct"),
    ],
)
def test_decimals_are_counted_where_an_assignment_says_so(ask: str, grading: str, text: str, verdict: str) -> None:
    assert marked(assignment(DECIMALS % ask, grading), {"y": text})["y"].verdict == verdict


def test_too_few_digits_may_have_a_share_of_the_points() -> None:
    grader = assignment(DECIMALS % "'y'", "decimals = 3\nprecision_share = 0.5")
    assert marked(grader, {"y": "0.04"})["y"].points == 0.5
