"""What is said about wrong numbers: slips of the pen, nothing where nothing is known, and no digits unless revealed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gradcli.guard import guard
from gradcli.homework.diagnose.diagnosis import Detective
from gradcli.homework.disclosure import revealed
from gradcli.homework.mistakes.catalogue import MISTAKES, TITLES
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem
from gradcli.homework.submission.submissions import read_text
from gradcli.render.check.marking import diagnoses
from tests.homework.asking import apart, assignment, exam, marked, question, typed
from tests.homework.drawing import network_tape, scalar_tape
from tests.homework.tapes import Tape
from tests.programs import run, some

DIAMOND = "s = x**2; p = s + 1; m = s - 1; q = p*m", "{ x = 5 }"
WAVE = "u = x**3; q = sin(u)", "{ x = 0.7 }"
LAYER = "h = X @ W + v; L = mean(h**2)", "{ X = [[1, 2], [3, -1]], W = [[0.5, -1], [2, 1.5]], v = [0.1, -0.2] }"
H = np.array([[4.6, 1.8], [-0.4, -4.7]])
X, G = np.array([[1.0, 2], [3, -1]]), H / 2
AB = "{ A = [[1.3, 0.4], [-0.6, 2.1]], B = [[0.7, -1.9], [1.1, 0.2]] }"
A, B = np.array([[1.3, 0.4], [-0.6, 2.1]]), np.array([[0.7, -1.9], [1.1, 0.2]])
CUBE = "w = torch.tensor(1.9, requires_grad=True)\n(w**3).backward()", ""
STEPS = (
    "w = torch.tensor(1.9, requires_grad=True)\no = torch.optim.SGD([w], lr=0.05)\nfor _ in range(2):\n"
    "    o.zero_grad()\n    (w**3).backward()\n    o.step()",
    "",
)
TANH = "a = tanh(x); q = 3*a", "{ x = 0.6 }"
SCORES = "Z = X @ W; L = cross_entropy(Z, [0, 1])", "{ X = [[1.2, -0.5], [0.3, 2.1]], W = [[0.4, -0.7], [0.9, 0.2]] }"
Z = np.array([[1.2, -0.5], [0.3, 2.1]]) @ np.array([[0.4, -0.7], [0.9, 0.2]])
P = np.exp(Z) / np.exp(Z).sum(1, keepdims=True)
TYPED: dict[str, tuple[tuple[str, str], str, str]] = {  # as students type them
    "fanout-overwrite": (DIAMOND, "dq/ds", "26"),
    "path-missed": (DIAMOND, "dq/dx", "260"),
    "inner-dropped": (WAVE, "dq/dx", str(np.cos(0.343))),
    "local-not-total": (WAVE, "dq/dx", "1.47"),
    "outer-at-wrong-point": (WAVE, "dq/dx", str(np.cos(0.7) * 1.47)),
    "outer-at-derivative": (WAVE, "dq/dx", f"{np.cos(1.47):.4f}"),
    "sign": (DIAMOND, "dq/dx", "-500"),
    "batch-n": (LAYER, "dL/dv", str((2 * G.sum(0)).tolist())),
    "mean-n": (LAYER, "dL/dv", str((4 * G.sum(0)).tolist())),
    "power-rule": (WAVE, "dq/dx", str(np.cos(0.343) * 0.49)),
    "product-own-factor": (("q = x*y", "{ x = 3.5, y = 1.25 }"), "dq/dx", "3.50"),
    "quotient": (("q = x/y", "{ x = 3.5, y = 1.25 }"), "dq/dy", "-2.8"),
    "pre-post-activation": (("a = sigmoid(z); q = a**2", "{ z = 0.4 }"), "local da/dz", "0.24"),
    "activation-rule": (TANH, "dq/dx", f"{3 * np.tanh(0.6) * (1 - np.tanh(0.6)):.5f}"),
    "softmax": (SCORES, "dL/dZ", str((P / 2).tolist())),
    "relu-gate": (("a = relu(z*w); q = 3*a", "{ z = -1.4, w = 2.3 }"), "dq/dz", "6.90"),
    "broadcast-unsummed": (LAYER, "dL/dv", str(G.tolist())),
    "transpose": (LAYER, "dL/dW", str((X.T @ G).T.tolist())),
    "factors-order": (("M = A @ B; q = sum(M**2)", AB), "M", str((B @ A).tolist())),
    "elementwise": (("M = A @ B; q = sum(M**2)", AB), "M", str((A * B).tolist())),
    "determinant": (
        ("q = det(M)", "{ M = [[2.5, 0.5], [1.5, 3.5]] }"),
        "dq/dM",
        "[[0.4375, -0.1875], [-0.0625, 0.3125]]",
    ),
    "flipped-kernel": (
        ("y = conv1d(x, w); L = sum(y)", "{ x = [[[1.5, 2.5, 0.5]]], w = [[[0.5, -1.5]]] }"),
        "y",
        "[[[-1.0, -3.5]]]",
    ),
    "result-for-input": (
        ("z = w*x; a = tanh(z); q = 5*a", "{ w = 0.7, x = 1.3 }"),
        "dq/dw",
        f"{5 * (1 - np.tanh(0.91) ** 2) * 0.91:.5f}",
    ),
    "stale-grad": (CUBE, "w.grad", "21.660"),
    "detach": (("w = torch.tensor(1.9, requires_grad=True)\n((w**2).detach()*w).backward()", ""), "w.grad", "10.830"),
    "descent": (STEPS, "w", "1.3585"),
    "chain-added": (WAVE, "dq/dx", f"{np.cos(0.343) + 1.47:.4f}"),
    "swapped-variable": (("q = x*y**2", "{ x = 3.5, y = 1.25 }"), "dq/dx", "8.75"),
    "not-a-gradient": (("q = x*y**2", "{ x = 3.5, y = 1.25 }"), "dq/dx", "3.34375"),
    "degrees": (WAVE, "dq/dx", str(np.cos(np.radians(0.343)) * 1.47)),
    "decimal-point": (WAVE, "dq/dx", f"{np.cos(0.343) * 14.7:.4f}"),
    "digit-slip": (WAVE, "dq/dx", "1.3484"),
    "rounding": (WAVE, "dq/dx", "1.383"),
    "forward-slip": (DIAMOND, "q", "676"),
}


def small(program: tuple[str, str], *asks: Any) -> str:
    if not program[1]:
        return f"script = '''import torch\n{program[0]}'''\nask = {list(asks)!r}\n"
    return f"program = '{program[0]}'\nat = {program[1]}\nask = {list(asks)!r}\n"


def test_every_mistake_has_an_example() -> None:
    assert set(TYPED) | {"another-question"} == set(TITLES)


@pytest.mark.slow
@pytest.mark.parametrize("code", TYPED)
def test_a_typed_answer_is_explained(code: str) -> None:
    program, quantity, text = TYPED[code]
    answer = marked(assignment(small(program, quantity)), {quantity: text})[quantity]
    assert answer.verdict in ("wrong", "shape", "precision")
    assert code in [one.code for one in answer.diagnoses[:2]]


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(25), 4))
@pytest.mark.parametrize("tape_of", [scalar_tape, network_tape])
def test_the_right_answer_has_no_diagnosis(tape_of: Callable[[int], Tape], seed: int) -> None:
    tape, grader = exam(tape_of, seed)
    answers = {name: typed(tape.values[name]) for name in tape.named}
    answers |= {f"d{tape.output}/d{name}": typed(tape.right[name]) for name in tape.named if name in tape.right}
    for answer in marked(grader, answers).values():
        assert (answer.verdict, answer.points, answer.diagnoses, answer.ledger) == ("correct", 1.0, (), ())


@pytest.mark.slow
@pytest.mark.parametrize("tape_of", [scalar_tape, network_tape])
def test_a_random_number_is_mostly_unknown(tape_of: Callable[[int], Tape]) -> None:
    explained = total = 0
    for seed in some(range(12), 4):
        tape, grader = exam(tape_of, seed)
        choose = np.random.default_rng(seed)
        for name in tape.named:
            quantity = f"d{tape.output}/d{name}"
            wrong = choose.normal(size=np.shape(tape.values[name])) * 10
            if name in tape.right and apart(wrong, tape.right[name]):
                answer = marked(grader, {quantity: typed(wrong)})[quantity]
                assert answer.verdict == "wrong"
                explained += bool(answer.diagnoses)
                total += 1
    assert explained < 0.05 * total


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(15), 4))
def test_the_decimal_point(seed: int) -> None:
    for tape_of in (scalar_tape, network_tape):
        tape, grader = exam(tape_of, seed)
        by = next(iter(tape.leaves))
        for places in (-3, -1, 1, 2):
            wrong = tape.right[by] * 10.0**places
            if apart(wrong, tape.right[by]):
                answer = marked(grader, {f"d{tape.output}/d{by}": typed(wrong)})[f"d{tape.output}/d{by}"]
                (found,) = [one for one in answer.diagnoses if one.code == "decimal-point"] or [None]
                assert (found and found.node == by) or any(" + " not in one.code for one in answer.diagnoses)


@pytest.mark.parametrize(
    ("text", "said"),
    [("1.3843", []), ("1.3", ["cut off"]), ("1.383", ["close"]), ("1.39", ["every step"]), ("2", []), ("1.5", [])],
)  # fmt: skip
def test_digits_that_are_cut_off(text: str, said: list[str]) -> None:
    """The right number is 1.38437."""
    answer = marked(assignment(small(WAVE, "dq/dx")), {"dq/dx": text})["dq/dx"]
    messages = [one.message for one in answer.diagnoses if one.code == "rounding"]
    assert len(messages) == len(said)
    assert all(word in message for word, message in zip(said, messages, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("tape_of", [scalar_tape, network_tape])
def test_a_diagnosis_never_changes_a_grade(tape_of: Callable[[int], Tape], monkeypatch: pytest.MonkeyPatch) -> None:
    def graded(seed: int) -> list[tuple[str, float]]:
        tape = tape_of(seed)
        asks = [f"d{tape.output}/d{name}" for name in tape.named if name in tape.right]
        choose = random.Random(seed)
        factors = {quantity: choose.choice([1, 1, -1, 2, 0.3, 10]) for quantity in asks}
        answers = {quantity: typed(factors[quantity] * tape.right[quantity.split("/d")[1]]) for quantity in asks}
        found = marked(assignment(question(tape, asks)), answers)
        return [(answer.verdict, answer.points) for answer in found.values()]

    explained = [graded(seed) for seed in some(range(10), 3)]

    def fail(*_: object) -> None:
        raise RuntimeError("no diagnosis today")

    monkeypatch.setattr(Detective, "diagnoses", fail)
    monkeypatch.setattr(guard, "is_strict", False)
    monkeypatch.setattr(guard, "warned", set())
    with pytest.warns(UserWarning, match="the mistake behind an answer was not looked for"):
        assert [graded(seed) for seed in some(range(10), 3)] == explained


@pytest.mark.parametrize("code", some(TYPED, 3))
def test_a_rule_tells_no_numbers(code: str) -> None:
    """Below the level `value` there are no digits but those that the program has."""
    (program, at), quantity, text = TYPED[code]
    grader = assignment(small((program, at), quantity))
    result = grader.grade(read_text("student.txt", "student", f"[q]\n{quantity} = {text}"))
    for level in ("rule", "node", "verdict"):
        (answer,) = revealed(result, level).answers
        for one in answer.diagnoses:
            digits = set(re.findall(r"\d+(?:\.\d+)?", one.message))
            assert digits <= set(re.findall(r"\d+(?:\.\d+)?", program)), one.message
            assert not one.detail
            assert not one.rule
            assert not re.search(r"has slipped|other sign|minus|transpose:|added; it|divided twice", one.message)
        assert answer.verdict == "shape" or not answer.remark  # the shape is that of the variable
        shown = "\n".join(diagnoses(answer))
        assert [name for name in TITLES if "-" in name and name in shown] == [], "for teachers"


def problems(tape: Tape) -> Iterator[Problem]:
    """The problem of every gradient of a program."""
    graph = Graph(run(tape.text, dict(tape.leaves)).evaluation, tape.text)
    first = Problem(graph, "gradient", graph.output, graph.output)
    yield from (first.at(graph.names[name]) for name in tape.named if name in tape.right)


@pytest.mark.parametrize("seed", some(range(15), 4))
def test_no_message_of_the_catalogue_has_numbers(seed: int) -> None:
    for tape in (scalar_tape(seed), network_tape(seed)):
        known = set(re.findall(r"\d+", tape.text)) | ({"2"} if "mse" in tape.text else set())  # of its square
        for problem in problems(tape):
            for maker in [maker for one in MISTAKES for maker in (*one.slip_makers, *one.guess_makers)]:
                for mistake in maker(problem):
                    assert set(re.findall(r"\d+", mistake.message)) <= known, mistake
                    assert "\n" not in mistake.message + mistake.rule
