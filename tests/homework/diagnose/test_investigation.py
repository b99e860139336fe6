"""Numbers from outside the graph of an answer: misread snippets, other questions, own earlier numbers."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.homework.diagnose.ordering import in_class_order
from gradcli.homework.grading import Grader
from gradcli.homework.model import Diagnosis, Marked, Result
from tests.homework.asking import assignment, marked

DETACHED = """script = '''
import torch
a = torch.tensor(1.3, requires_grad=True)
p = {'b': torch.tensor(2.7, requires_grad=True)}
c = a * p['b']
d = c.detach() * a + 1.7 * c
g, = torch.autograd.grad(d, a, retain_graph=True)
d.backward()
'''
ask = ["d", "a.grad", "p['b'].grad", "g"]
"""


@pytest.mark.parametrize(
    ("quantity", "given", "code"),
    [
        ("a.grad", "11.610", "detach"),  # 2ab + 1.7b
        ("g", "11.610", "detach"),
        ("g", "4.5900", "fanout-overwrite"),  # the part through c alone
        ("p['b'].grad", "4.5900", "product-own-factor"),
        ("d", "-1.4040", "forward-slip"),
    ],
)
def test_quantities_of_a_snippet(quantity: str, given: str, code: str) -> None:
    answer = marked(assignment(DETACHED), {quantity: given})[quantity]
    assert answer.verdict == "wrong"
    assert code in [one.code for one in answer.diagnoses]


def grader() -> Grader:
    return assignment(
        "program = 'z = w*x + b; a = tanh(z); L = (a - t)**2'\nat = { w = 0.7, x = 1.3, b = 0.2, t = 0.4 }\n"
        "ask = ['z', 'a', 'local da/dz', 'dL/da', 'dL/dz', 'dL/dw']"
    )


def test_a_mistake_on_own_earlier_numbers() -> None:
    """The student forgets b, goes on with that, and then forgets the square in tanh's derivative."""
    z = 0.91
    a = np.tanh(z)
    given = {"z": f"{z:.5f}", "a": f"{a:.5f}", "local da/dz": f"{1 - a:.5f}"}
    found = marked(grader(), given)
    assert found["a"].verdict == "carried"
    assert found["local da/dz"].diagnoses[0].code == "pre-post-activation"
    assert found["local da/dz"].diagnoses[0].certain


def test_suspects_are_made_once_for_the_numbers_that_count() -> None:
    """Of two students with one wrong gradient, whatever else they typed; another gradient makes others."""
    graded = grader()
    key = graded.keys["q"]

    def made(**given: str) -> int:
        marked(graded, {quantity.replace("_", "/"): text for quantity, text in given.items()})
        return len(key.investigation.bases.found)

    first = made(dL_da="1.11111", dL_dz="0.55555", dL_dw="3.33333")
    assert first
    assert made(dL_da="1.11111", dL_dz="0.55555", dL_dw="4.44444") == first
    assert made(dL_da="1.22222", dL_dz="0.55555", dL_dw="4.44444") > first


def test_the_answer_to_something_else_is_never_certain() -> None:
    right = np.tanh(1.11)
    (found,) = marked(grader(), {"dL/dw": f"{right:.5f}"})["dL/dw"].diagnoses
    assert (found.code, found.certain) == ("another-question", False)
    assert found.message == "this is the answer to a"


TWICE = """script = '''
import torch
x = torch.tensor(1.3, dtype=torch.float64, requires_grad=True)
y = torch.tensor(1.1, dtype=torch.float64, requires_grad=True)
u = x**2 * y
v = u + 1.9 * x
v.backward(retain_graph=True)
u.backward()
'''
ask = ["x.grad", "y.grad"]
"""


@pytest.mark.parametrize(
    ("quantity", "given", "code"),
    [
        ("x.grad", "6.1900", "power-rule"),  # 2xy + 1.9 and then xy
        ("x.grad", "4.7600", "stale-grad"),
        ("x.grad", "3.3800", "swapped-variable"),
        ("y.grad", "2.2000", "product-own-factor"),  # y in both passes
        ("y.grad", "1.6900", "stale-grad"),
    ],
)
def test_what_earlier_passes_left_is_of_each_leaf(quantity: str, given: str, code: str) -> None:
    """The two leaves are looked into one after the other."""
    checker = assignment(TWICE)
    for first in ("x.grad", "y.grad"):
        marked(checker, {first: "9.9999"})
    assert marked(checker, {quantity: given})[quantity].diagnoses[0].code == code


def test_a_class_decides_between_two_mistakes() -> None:
    def answered(student: str, *codes: str) -> Result:
        found = tuple(Diagnosis(code, "x", "", code, "", 1.0, certain=False) for code in codes)
        return Result(student, student, (Marked("q", "dq/dx", "5", 8.0, "wrong", 0.0, 1.0, "", found),))

    results = [answered("unsure", "sign", "degrees"), *(answered(f"s{n}", "degrees") for n in range(20))]
    first, *_ = in_class_order(results)
    assert [one.code for one in first.answers[0].diagnoses] == ["degrees", "sign"]
    (alone,) = in_class_order(results[:1])
    assert alone == results[0]


@pytest.mark.parametrize("cut", ["s = (a * x).detach()", "with torch.no_grad():\n    s = a * x"])
@pytest.mark.parametrize("typed", ["6.250", "≈6.250", "**6.250**", "6.250 (rounded)", "np.float32(6.250)", "[6.250]"])
def test_a_number_where_there_is_no_gradient(cut: str, typed: str) -> None:
    """A number that comes of overlooking what cuts a graph is wrong, in any notation, and says so."""
    grader = assignment(
        f"script = '''\nimport torch\nx = torch.tensor(2.5, requires_grad=True)\n"
        f"a = torch.tensor(0.7, requires_grad=True)\n{cut}\ny = x ** 3 + s * x\ny.backward()\n'''\nask = ['a.grad']\n"
    )
    answer = marked(grader, {"a.grad": typed})["a.grad"]
    assert answer.verdict == "wrong"
    assert answer.remark
    assert [one.code for one in answer.diagnoses] == ["detach"]
    assert marked(grader, {"a.grad": "`None`"})["a.grad"].verdict == "correct"


@pytest.mark.parametrize("seed", range(18))
def test_a_slip_of_the_pen_in_a_long_number_from_a_rounded_one(seed: int) -> None:
    """The last digit of a number that follows from a rounded one is not the student's, who had more digits."""
    draw = np.random.default_rng(seed)
    z = 0.91 + draw.uniform(0, 1)  # not what is right
    slope = f"{1 - np.tanh(z) ** 2:.5e}"
    place = int(draw.choice([2, 3, 4]))
    other = (int(slope[place]) + 5) % 10
    given = {"z": f"{z:.7f}", "a": f"{np.tanh(z):.7f}", "local da/dz": f"{slope[:place]}{other}{slope[place + 1 :]}"}
    assert "digit-slip" in [one.code for one in marked(grader(), given)["local da/dz"].diagnoses]


def test_a_second_step_of_a_descent_on_an_own_gradient() -> None:
    """The student forgets the 1/n of a mean, and takes the step of that gradient twice."""
    grader = assignment(
        "script = '''\nimport torch\nx = torch.tensor([1.3, -0.7, 2.1])\nw = torch.tensor(0.8, requires_grad=True)\n"
        "optimizer = torch.optim.SGD([w], lr=0.05)\nloss = ((w * x - 1.9) ** 2).mean()\nloss.backward()\n"
        "optimizer.step()\n'''\nask = ['w.grad', 'w']\n"
    )
    x = np.array([1.3, -0.7, 2.1])
    own = np.sum(2 * (0.8 * x - 1.9) * x)
    found = marked(grader, {"w.grad": f"{own:.6f}", "w": f"{0.8 - 2 * 0.05 * own:.6f}"})
    assert found["w.grad"].diagnoses[0].code == "mean-n"
    assert found["w"].verdict == "wrong"
    assert found["w"].diagnoses[0].code == "descent"
