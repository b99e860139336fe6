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


def test_the_answer_to_something_else_is_never_certain() -> None:
    right = np.tanh(1.11)
    (found,) = marked(grader(), {"dL/dw": f"{right:.5f}"})["dL/dw"].diagnoses
    assert (found.code, found.certain) == ("another-question", False)
    assert found.message == "this is the answer to a"


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
