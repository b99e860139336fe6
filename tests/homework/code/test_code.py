"""Engines and layers that students write: right ones are right, a mistake is named with its line."""

from __future__ import annotations

import ast
import json
from collections import Counter
from typing import Any

import pytest

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.code import marking
from gradcli.homework.code.cases import USUAL, Code
from gradcli.homework.code.marking import CodeJudge, missed
from gradcli.homework.code.schemata import together
from gradcli.homework.code.search import Search
from gradcli.homework.grading import Grader
from gradcli.homework.lint.lint import findings
from gradcli.homework.model import Marked
from gradcli.homework.solve.runs.scripts import Outcomes, Refusal, text_of
from gradcli.homework.submission.hand_ins import read_notebook, read_program
from gradcli.source import Source
from gradcli.workers.messages import message_of
from tests.homework.code import arrays, shapes
from tests.homework.code.engines import CLOSURES, LOCAL_GRADS, NUMPY, SHAPES, TAPE
from tests.programs import some

AFFINE = """
import numpy as np

def affine_backward(dout, x, W):
    dx = dout @ W.T
    dW = x.T @ dout
    db = dout.sum(axis=0)
    return dx, dW, db
"""
RELU = """
def relu_backward(dout, x):
    return dout * (x > 0)
"""
WEEK = """
[[question]]
id = "engine"
engine = "Value"

[[question]]
id = "affine"
function = "affine_backward"
program = "y = x @ W + b"
takes = ["dout", "x", "W"]
returns = ["dx", "dW", "db"]
shapes = { dout = ["n", "k"], x = ["n", "d"], W = ["d", "k"], b = ["k"] }

[[question]]
id = "relu"
function = "relu_backward"
program = "y = relu(x)"
takes = ["dout", "x"]
returns = ["dx"]
shapes = { dout = ["n", "d"], x = ["n", "d"] }
"""


@pytest.fixture(scope="module")
def grader() -> Grader:
    return Grader(read_assignment(Source(WEEK, "week.toml")))


def marked(grader: Grader, text: str) -> dict[str, list[Marked]]:
    result = grader.grade(read_program("ada.py", "ada", text, grader.labels))
    return {id: [one for one in result.answers if one.question == id] for id in grader.keys}


@pytest.mark.parametrize("shape", SHAPES)
def test_right_engines_of_all_shapes_are_right(grader: Grader, shape: str) -> None:
    answers = marked(grader, f"{SHAPES[shape]}\n{AFFINE}\n{RELU}")
    assert {one.verdict for each in answers.values() for one in each} == {"correct"}


CASES = """
[[question]]
id = "affine"
function = "affine_backward"
returns = ["dx", "dW", "db"]
cases = [
  { args = [[[1.0], [2]], [[[1, 2], [0, 3]], [[2], [0.5]]]], returns = [[[2, 0.5], [4, 1]], [[1], [8]], [3]] },
  { args = [[[1.0]], [[[1, 2]], [[2], [0.5]]]], returns = [[[2, 0.5]], [[1], [2]], [1]] },
]
"""


def test_a_function_is_tried_with_cases_of_its_own() -> None:
    text = AFFINE.replace("dout, x, W):", "dout, cache):\n    x, W = cache")
    grader = Grader(read_assignment(Source(CASES, "week.toml")))
    assert {one.verdict for one in marked(grader, text)["affine"]} == {"correct"}
    wrong = marked(grader, text.replace("dout.sum(axis=0)", "dout.mean(axis=0)"))["affine"]
    assert [(one.verdict, one.diagnoses[0].code if one.diagnoses else "") for one in wrong] == [
        ("correct", ""),
        ("correct", ""),
        ("wrong", "mean-n"),
    ]


@pytest.mark.parametrize(
    "cases",
    ["[]", "3", "[{ args = [1.0] }]", "[{ args = [1.0], returns = [] }]", "[{ args = [2026-01-01], returns = [1.0] }]",
     "[{ args = [1.0], returns = [1.0] }, { args = [1.0], returns = [1.0, 2.0] }]",
     "[{ args = [1.0], returns = [[[1.0], [1.0, 2.0]]] }]", '[{ args = [1.0], returns = ["a"] }]'],
)  # fmt: skip
def test_cases_are_calls_and_what_they_return(cases: str) -> None:
    with pytest.raises(UsageError, match="case"):
        read_assignment(Source(f'[[question]]\nid = "f"\nfunction = "f"\ncases = {cases}\n', "week.toml"))


@pytest.mark.parametrize(
    ("engine", "right", "wrong", "code"),
    [
        (CLOSURES, "self.grad += other.data * out.grad", "self.grad = other.data * out.grad", "fanout-overwrite"),
        (LOCAL_GRADS, "child.grad += local_grad * v.grad", "child.grad += local_grad", "upstream"),
        (TAPE, "for out, inputs in reversed(tape):", "for out, inputs in tape:", "order"),
        (NUMPY, "a.grad = a.grad + b.data * t.grad", "a.grad = a.grad - b.data * t.grad", "sign"),
    ],
)
def test_a_mistake_in_an_engine_is_named_with_its_line(
    grader: Grader, engine: str, right: str, wrong: str, code: str
) -> None:
    text = engine.replace(right, wrong)
    line = next(number for number, one in enumerate(text.splitlines(), 1) if one.strip() == wrong)
    off = [one for one in marked(grader, text)["engine"] if one.verdict != "correct"]
    assert off
    for one in off:
        assert [(found.code, found.node) for found in one.diagnoses] == [(code, f"line {line}")]
        assert "and should be" in one.remark


@pytest.mark.parametrize(
    ("right", "wrong", "quantity", "code"),
    [
        ("dout @ W.T", "dout @ W", "dx", "transpose"),
        ("x.T @ dout", "dout.T @ x", "dW", "transpose"),
        ("dout.sum(axis=0)", "dout.mean(axis=0)", "db", "mean-n"),
        ("dout.sum(axis=0)", "dout", "db", "broadcast-unsummed"),
    ],
)
def test_a_mistake_in_a_layer_is_named_with_its_line(
    grader: Grader, right: str, wrong: str, quantity: str, code: str
) -> None:
    answers = {one.quantity: one for one in marked(grader, AFFINE.replace(right, wrong))["affine"]}
    assert answers[quantity].verdict == "wrong"
    assert [found.code for found in answers[quantity].diagnoses] == [code]
    assert str(answers[quantity].diagnoses[0].node).startswith("line ")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("class Value(:", "line 1"),
        (f"{CLOSURES}\n1/0", "division by zero"),
        ("import os\nos.remove('a')\nclass Value: pass", ""),
        ("x = 1\n" * 30_000, "characters"),
        (f"{CLOSURES}x = {'-' * 20_000}1", "nested too deeply"),
        (f"{CLOSURES}x = {'+'.join('1' * 3_000)}", "nested too deeply"),
    ],
)
def test_programs_that_cannot_be_graded(grader: Grader, text: str, why: str) -> None:
    answers = marked(grader, text)["engine"]
    assert {one.verdict for one in answers} == {"unreadable"}
    assert why in answers[0].remark


def test_hostile_values_get_no_marks(grader: Grader) -> None:
    text = CLOSURES.replace("self.grad = 0.0", "self.grad = Yes()") + (
        "\nclass Yes:\n    def __eq__(self, other): return True\n    def __float__(self): return 1.0\n"
        "    def __iadd__(self, other): return self\n"
    )
    assert {one.verdict for one in marked(grader, text)["engine"]} <= {"wrong", "unreadable"}


PLACED = """[1, [2]]; 10**400; 'nan'; {1: 2}; chr(0xd800); None; []; [1.0]; [2.0, 3.0]; [True]; range(9)
[2.0, 3.0, 2.0, 1.0]; [-5.0, 3.0]; [float('inf'), 3.0]; [2.0, float('nan'), 2.0]""".replace("\n", ";").split(";")


def test_what_takes_the_place_of_the_runner_gets_no_marks(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Search, "repair", lambda _: None)
    for left in some(PLACED, 3):
        engine = CLOSURES.replace("self.data = data", f"global _run; _run = lambda *_: {left}; self.data = data")
        relu = RELU.replace("    return", f"    global _flat; _flat = lambda _: {left}\n    return")
        for text in (f"{engine}{relu}", f"{CLOSURES}{RELU}\nfloat = lambda _: {left}\n"):
            answers = marked(grader, text)
            assert {one.verdict for one in (*answers["engine"], *answers["relu"])} <= {"wrong", "unreadable"}, text


def test_each_program_runs_with_its_own_changes_alone(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [CLOSURES.replace("+=", "="), LOCAL_GRADS.replace("*", "+"), SHAPES["tape"]]
    heard: dict[str, list[str]] = {}

    def listening(function: Any, question: Any, kind: Any) -> Any:
        heard.setdefault(text_of(question), []).extend(getattr(question, "texts", ()))
        return function(question)

    monkeypatch.setattr(marking, "ask_process", listening)
    judge = CodeJudge(Code("Value", is_engine=True), USUAL)
    for text in texts:
        judge.verdicts(text)
    assert {*texts} < {*heard}
    for text in texts:
        assert heard[text][0].startswith(text)
    assert all("Value" in text for own, others in heard.items() for text in others)


def test_a_notebook_has_code_and_answers(grader: Grader) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Week 3"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", CLOSURES], "outputs": []},
        {"cell_type": "code", "source": AFFINE, "outputs": [{"text": ["dx = 5"]}]},
    ]
    notebook = read_notebook("ada.ipynb", "ada", json.dumps({"cells": cells}), grader.labels)
    result = grader.grade(notebook)
    assert {one.verdict for one in result.answers if one.question == "affine"} == {"correct"}
    assert read_notebook("a.ipynb", "a", "[1, 2]", grader.labels).unreadable


def test_lint_names_the_mistakes_that_the_graphs_do_not_show() -> None:
    assert missed(CodeJudge(Code("Value", is_engine=True), USUAL)) == []
    assert "fanout-overwrite" in missed(CodeJudge(Code("Value", is_engine=True), ["chain"]))
    week = '[[question]]\nid = "e"\nengine = "Value"\nask = ["chain"]\n'
    assert {one.code for one in findings(read_assignment(Source(week, "week.toml")))} == {"missed"}


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ('engine = "a b"', "is no name"),
        ('engine = "Value"\nask = ["cosine"]', "cosine is nothing that is tried"),
        ('function = "f"', "a function is the backward pass of a program"),
        ('function = "f"\nprogram = "y = x"\ntakes = ["g"]\nreturns = ["dx"]', "each variable has a shape"),
        (
            'function = "f"\nprogram = "y = x"\ntakes = ["g", "x"]\nreturns = ["dz"]\nshapes = {g = [2], x = [2]}',
            "dz is no",
        ),
        (
            'function = "f"\nprogram = "y = x / n"\ntakes = ["g", "x"]\nreturns = ["dx"]\nshapes = {g = [2], x = [2]}',
            "n in the program has no shape",
        ),
    ],
)
def test_what_an_assignment_may_not_ask(wrong: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_assignment(Source(f"[[question]]\nid = 'q'\n{wrong}\n", "week.toml"))
    assert why in caught.value.message


def test_programs_as_courses_write_them_are_right_and_their_mistakes_are_named() -> None:
    samples = [*shapes.engines(5, 4, 1), *shapes.layers(5, 3, 1)]
    counts = sum(map(shapes.judged, samples), Counter[str]())
    assert counts["accused"] == 0
    assert counts["seen"] == counts["wrong"] >= 6
    assert counts["named"] >= 0.8 * counts["wrong"]


def test_what_a_class_does_not_define_is_asked_only_by_name() -> None:
    engine = Code("Value", is_engine=True)
    assert {one.verdict for one in CodeJudge(engine, USUAL).verdicts(CLOSURES).values()} == {"correct"}
    assert CodeJudge(engine, ["tanh"]).verdicts(CLOSURES)["tanh"].verdict == "wrong"


def test_gradients_may_gather_under_any_name() -> None:
    judge = CodeJudge(Code("Value", is_engine=True), USUAL)
    text = CLOSURES.replace(".grad", ".bar")
    assert {one.remark for one in judge.verdicts(text).values()} == {""}
    wrong = text.replace("self.bar += other.data * out.bar", "self.bar = other.data * out.bar")
    found = {one.message for verdict in judge.verdicts(wrong).values() for one in verdict.diagnoses}
    assert len(found) == 1
    assert "`self.bar = other.data * out.bar` overwrites" in found.pop()


SLOTS = """
class Value:
    __slots__ = ("data", "adj", "pulls")

    def __init__(self, data, pulls=()):
        self.data, self.adj, self.pulls = data, 0.0, pulls

    def __add__(self, other):
        return Value(self.data + other.data, ((1.0, self), (1.0, other)))

    def __mul__(self, other):
        return Value(self.data * other.data, ((other.data, self), (self.data, other)))

    def __sub__(self, other):
        return Value(self.data - other.data, ((1.0, self), (-1.0, other)))

    def wave(self):
        return Value(self.data**2 + self.data, ((2 * self.data + 1, self),))

    def detach(self):
        return Value(self.data)

    def backward(self, upstream):
        self.adj += upstream
        for weight, node in self.pulls:
            node.backward(weight * upstream)
"""


def test_an_engine_may_have_names_of_its_own_and_take_no_numbers() -> None:
    judge = CodeJudge(Code("Value", is_engine=True), USUAL)
    assert {one.remark for one in judge.verdicts(SLOTS).values()} == {""}
    wrong = judge.verdicts(SLOTS.replace("2 * self.data + 1", "2 * self.data"))["operations"]
    assert wrong.remark.endswith("by the differences of its own values")


PULLED = """
import math


class Var:
    def __init__(self, value):
        self.value, self.uses, self.known = value, [], None

    def grad(self):
        if self.known is None:
            self.known = sum(weight * user.grad() for weight, user in self.uses)
        return self.known

    def __add__(self, other):
        return self.used(1.0, other.used(1.0, Var(self.value + other.value)))

    def __mul__(self, other):
        return self.used(other.value, other.used(self.value, Var(self.value * other.value)))

    def used(self, weight, user):
        self.uses.append((weight, user))
        return user

    def exp(self):
        return self.used(math.exp(self.value), Var(math.exp(self.value)))

    def nodes(self):
        return [user for _, user in self.uses]

    def backward(self):
        self.known = 1.0
"""
LISTED = """
class Var:
    def __init__(self, value, local_gradients=()):
        self.value, self.local_gradients = value, local_gradients

    def __add__(self, other):
        return Var(self.value + other.value, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        return Var(self.value * other.value, ((self, other.value), (other, self.value)))


def get_gradients(output):
    gradients = {}

    def add(node, path):
        for child, local in node.local_gradients:
            gradients[child] = gradients.get(child, 0.0) + path * local
            add(child, path * local)

    add(output, 1.0)
    return gradients
"""


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (PULLED, "self.used(math.exp(self.value), ", "self.used(self.value, "),
        (PULLED, "self.used(1.0, other.used(1.0, ", "self.used(1.0, other.used(-1.0, "),
        (LISTED, "gradients.get(child, 0.0) + path * local", "path * local"),
    ],
)
def test_gradients_may_be_pulled_by_a_method_or_listed_by_a_function(text: str, right: str, wrong: str) -> None:
    judge = CodeJudge(Code("Var", is_engine=True), ["chain", "shared", "diamond", "order", "operations"])
    assert {one.verdict for one in judge.verdicts(text).values()} == {"correct"}
    found, line = named(judge, text, right, wrong)
    assert found == {line}


def test_an_engine_without_a_backward_pass_cannot_be_read() -> None:
    text = LISTED.partition("def get_gradients")[0]
    verdicts = CodeJudge(Code("Var", is_engine=True), ["chain", "shared"]).verdicts(text)
    assert {(one.verdict, one.remark.partition(":")[0][:28]) for one in verdicts.values()} == {
        ("unreadable", "there is no backward() in it")
    }


LAYER = """
import numpy as np


class Linear:
    def __init__(self, inputs, outputs):
        self.params = {"W": np.random.randn(inputs, outputs), "b": np.zeros(outputs)}
        self.grads = {}

    def forward(self, x):
        self.x = x
        return x @ self.params["W"] + self.params["b"]

    def backward(self, dout):
        self.grads["W"] = self.x.T @ dout
        self.grads["b"] = dout.sum(axis=0)
        return dout @ self.params["W"].T


class Scale:
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, g * a
"""
LAYERS = """
[[question]]
id = "linear"
layer = "Linear"
args = ["d", "k"]
shapes = { x = ["n", "d"] }

[[question]]
id = "scale"
layer = "Scale"
shapes = { a = ["n", "d"], b = ["n", "d"] }
"""


@pytest.mark.parametrize(
    ("right", "wrong", "off"),
    [
        ("self.x = x", "self.x = x", []),
        ("dout.sum(axis=0)", "dout.mean(axis=0)", [("linear", "parameters", "line 16")]),
        ("self.x.T @ dout", "self.x.T @ dout / 3", [("linear", "parameters", "line 15")]),
        ('dout @ self.params["W"].T', 'dout @ self.params["W"].T * 2', [("linear", "inputs", "line 17")]),
        ("return g * b, g * a", "return g * a, g * b", [("scale", "inputs", "line 29")]),
    ],
)
def test_classes_of_layers_are_held_up_to_their_forward_pass(right: str, wrong: str, off: list[Any]) -> None:
    grader = Grader(read_assignment(Source(LAYERS, "week.toml")))
    answers = [one for each in marked(grader, LAYER.replace(right, wrong)).values() for one in each]
    seen = [(one.question, one.quantity, *(each.node for each in one.diagnoses)) for one in answers if one.remark]
    assert seen == off


def test_a_layer_may_have_many_sizes_and_a_case_a_table() -> None:
    four = """
[[question]]
id = "two"
function = "two"
program = "y = relu(x @ W) @ V"
takes = ["g", "x", "W", "V"]
returns = ["dV"]
shapes = { g = ["n", "k"], x = ["n", "d"], W = ["d", "h"], V = ["h", "k"] }

[[question]]
id = "table"
function = "scaled"
cases = [{ args = [{ W = [1.0, 2.0] }, 2.0], returns = [[2.0, 4.0]] }]
"""
    grader = Grader(read_assignment(Source(four, "week.toml")))
    text = (
        "import numpy as np\n\ndef two(g, x, W, V):\n    return np.maximum(x @ W, 0).T @ g\n\n"
        "def scaled(cache, k):\n    return cache['W'] * k\n"
    )
    assert {one.verdict for each in marked(grader, text).values() for one in each} == {"correct"}


RECORDED = """
import math

TAPE = []


def record(value, *inputs):
    out = Value(value)
    TAPE.append((out, inputs))
    return out


class Value:
    def __init__(self, data):
        self.data, self.grad = data, 0.0

    def __add__(self, other):
        return record(self.data + other.data, (self, 1.0), (other, 1.0))

    def __sub__(self, other):
        return record(self.data - other.data, (self, 1.0), (other, -1.0))

    def __mul__(self, other):
        return record(self.data * other.data, (self, other.data), (other, self.data))

    def sin(self):
        return record(math.sin(self.data), (self, math.cos(self.data)))

    def backward(self):
        adjoint = {self: 1.0}
        for out, inputs in reversed(TAPE):
            above = adjoint.get(out, 0.0)
            for node, slope in inputs:
                adjoint[node] = adjoint.get(node, 0.0) + slope * above
        for node, gradient in adjoint.items():
            node.grad += gradient
"""
NORM = """
import numpy as np

def forward(x, cache):
    cache["xc"] = x - x.mean(axis=1, keepdims=True)
    cache["std"] = np.sqrt((cache["xc"] ** 2).mean(axis=1, keepdims=True) + 0.001)
    cache["xhat"] = cache["xc"] / cache["std"]

def norm(dout, x, g, b):
    cache = {"g": g}
    forward(x, cache)
    n, std = x.shape[1], cache["std"]
    dg = (dout * cache["xhat"]).sum(axis=0)
    dxhat = dout * cache["g"]
    dstd = -(dxhat * cache["xc"]).sum(axis=1, keepdims=True) / std**2
    dvar = 0.5 * dstd / std
    dxc = dxhat / std + dvar * 2 * cache["xc"] / n
    dmu = -dxc.sum(axis=1, keepdims=True)
    dx = dxc + dmu / n
    return dx, dg
"""
NORMED = """
[[question]]
id = "norm"
function = "norm"
program = '''
xc = x - mean(x, dim=1, keepdim=True)
y = xc / sqrt(mean(xc**2, dim=1, keepdim=True) + 0.001) * g + b
'''
takes = ["dout", "x", "g", "b"]
returns = ["dx", "dg"]
shapes = { dout = ["n", "d"], x = ["n", "d"], g = ["d"], b = ["d"] }
"""


def named(judge: CodeJudge, text: str, right: str, wrong: str) -> tuple[set[str], str]:
    """Return the lines that are named where a place of a program is wrong, and the line of that."""
    assert text.count(right) == 1
    verdicts = judge.verdicts(text.replace(right, wrong)).values()
    lines = {str(diagnosis.node) for verdict in verdicts for diagnosis in verdict.diagnoses}
    return lines, f"line {text.partition(right)[0].count(chr(10)) + 1}"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(self, math.cos(self.data))", "(self, math.cos(math.sin(self.data)))"),
        ("(self, 1.0), (other, -1.0)", "(self, -1.0), (other, 1.0)"),
        ("reversed(TAPE)", "TAPE"),
        ("slope * above", "slope"),
    ],
)
def test_a_tape_that_is_never_cleared_hides_no_line(right: str, wrong: str) -> None:
    lines, line = named(CodeJudge(Code("Value", is_engine=True), USUAL), RECORDED, right, wrong)
    assert lines == {line}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('cache["xhat"]).sum', 'cache["xc"]).sum'),
        ('dout * cache["g"]', "dout"),
        ("dvar * 2 *", "dvar *"),
        ("dxc + dmu / n", "dxc"),
    ],
)
def test_a_step_of_a_long_backward_pass_is_named(right: str, wrong: str) -> None:
    question = read_assignment(Source(NORMED, "week.toml")).questions[0]
    assert question.code is not None
    judge = CodeJudge(question.code, question.quantities)
    assert {verdict.verdict for verdict in judge.verdicts(NORM).values()} == {"correct"}
    lines, line = named(judge, NORM, right, wrong)
    assert lines == {line}


def test_what_has_no_answer_comes_back_beside_the_answers() -> None:
    outcomes = ((1.5, Refusal(": the snippet takes more than 100,000 steps", "")),)
    assert message_of(outcomes, Outcomes)


NEURON = """
[[question]]
id = "neuron"
function = "neuron"
cases = [
  { args = [{ new = "Value", args = [2.0] }, { new = "Value", args = [-3.0] }, 0.5], returns = [-5.5] },
]
"""


def test_a_function_may_take_objects_of_a_class_of_the_hand_in() -> None:
    grader = Grader(read_assignment(Source(NEURON, "week.toml")))
    text = f"{CLOSURES}\ndef neuron(w, x, b):\n    return w * x + b\n"
    assert [one.verdict for one in marked(grader, text)["neuron"]] == ["correct"]
    assert [one.verdict for one in marked(grader, text.replace("+ b\n", "+ w\n"))["neuron"]] == ["wrong"]
    with pytest.raises(UsageError, match="arguments of a call"):
        read_assignment(Source(NEURON.replace('"Value", args = [2.0]', '"os.x()"'), "week.toml"))


def test_a_list_of_a_script_may_hold_what_is_no_number() -> None:
    text = """
[[question]]
id = "losses"
script = \"\"\"
import torch
losses = [float("nan"), float("inf"), 1.5]
w = torch.tensor(2.0, requires_grad=True)
(w * w).backward()
\"\"\"
ask = ["w.grad"]
"""
    assert Grader(read_assignment(Source(text, "week.toml"))).keys


SCALED = """
import numpy as np


class Gain:
    def __init__(self, dim):
        self.params = {"gain": np.ones(dim), "shift": np.zeros(dim)}
        self.grads = {}

    def forward(self, x):
        self.size = np.sqrt((x ** 2).mean(axis=-1, keepdims=True) + 0.1)
        self.unit = x / self.size
        return self.params["gain"] * self.unit + self.params["shift"]

    def backward(self, dout):
        n = dout.shape[-1]
        self.grads["shift"] = dout.sum(axis=0)
        self.grads["gain"] = (dout * self.unit).sum(axis=0)
        dunit = dout * self.params["gain"]
        along = (dunit * self.unit).sum(axis=-1, keepdims=True)
        return (dunit - self.unit * along / n) / self.size
"""
GAIN = '[[question]]\nid = "gain"\nlayer = "Gain"\nargs = ["d"]\nshapes = { x = ["n", "d"] }\n'


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('dunit = dout * self.params["gain"]', "dunit = dout"),  # a gain of 1 would hide it
        ("(dout * self.unit).sum(axis=0)", "dout.sum(axis=0)"),
    ],
)
def test_a_layer_is_tried_with_parameters_of_which_each_counts(right: str, wrong: str) -> None:
    grader = Grader(read_assignment(Source(GAIN, "week.toml")))
    assert {one.verdict for one in marked(grader, SCALED)["gain"]} == {"correct"}
    text = SCALED.replace(right, wrong)
    line = SCALED[: SCALED.index(right)].count("\n") + 1
    off = [one for one in marked(grader, text)["gain"] if one.verdict == "wrong"]
    assert [[found.node for found in one.diagnoses] for one in off] == [[f"line {line}"]]


def test_the_rule_of_another_activation_is_named() -> None:
    text = "import numpy as np\n\n\ndef back(g, x):\n    t = np.tanh(x)\n    return g * t * (1 - t)\n"
    question = (
        '[[question]]\nid = "b"\nfunction = "back"\nprogram = "y = tanh(x)"\ntakes = ["dy", "x"]\nreturns = ["dx"]\n'
        'shapes = { dy = ["n"], x = ["n"] }\n'
    )
    (found,) = marked(Grader(read_assignment(Source(question, "week.toml"))), text)["b"]
    assert "has the rule of a sigmoid, and `t` is a tanh" in found.diagnoses[0].message


EXP = """def exp(self):
        out = Value(math.exp(self.data), (self,))

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out

    """


@pytest.mark.parametrize("operation", ["__add__", "__mul__"])
def test_an_operation_that_is_not_recorded_is_named(grader: Grader, operation: str) -> None:
    head, mark, body = CLOSURES.partition(f"def {operation}(")
    text = f"import math\n{head}{EXP}{mark}{body.replace('out._backward = _backward', 'pass', 1)}"
    off = [one for one in marked(grader, text)["engine"] if one.verdict == "wrong"]
    assert off
    assert {found.code for one in off for found in one.diagnoses} == {"unrecorded"}


@pytest.mark.parametrize(
    ("right", "wrong", "quantity"),
    [
        ("Value.fit(-g, b.data)", "-g", "broadcast"),
        ("lambda g: a.data.T @ g", "lambda g: a.data @ g", "matmul"),
        ("lambda g: a.data.T @ g", "lambda g: g @ a.data.T", "matmul"),
        ("np.full(self.data.shape, g)", "np.full(self.data.shape, 1.0)", "sum"),
        ("g = g.sum(axis=axes, keepdims=True)", "g = g.mean(axis=axes, keepdims=True)", "broadcast"),
    ],
)
def test_an_engine_of_arrays_is_tried_with_arrays(right: str, wrong: str, quantity: str) -> None:
    judge = CodeJudge(Code("Value", is_engine=True), ("operations",))
    assert {one.verdict for one in judge.verdicts(arrays.ENGINE).values()} == {"correct"}
    found, line = named(judge, arrays.ENGINE, right, wrong)
    assert found == {line}
    judge = CodeJudge(Code("Value", is_engine=True), ("chain", quantity))
    verdicts = judge.verdicts(arrays.ENGINE.replace(right, wrong, 1))
    assert [verdicts[name].verdict for name in ("chain", quantity)] == ["correct", "wrong"]


SOFTMAX_QUESTION = """
[[question]]
id = "loss"
function = "softmax_loss_backward"
program = "L = mean(-sum(T * log_softmax(X @ W + b, 1), 1))"
takes = ["X", "W", "b", "T"]
returns = ["dX", "dW", "db"]
shapes = { X = ["n", "d"], W = ["d", "k"], b = ["k"], T = ["n", "k"] }
given = { T = "one_hot" }
"""


def test_the_arguments_of_a_function_have_the_properties_that_are_given() -> None:
    grader = Grader(read_assignment(Source(SOFTMAX_QUESTION, "week.toml")))
    assert {one.verdict for one in marked(grader, arrays.SOFTMAX)["loss"]} == {"correct"}
    for wrong in ('{ Q = "one_hot" }', '{ T = "one" }', '{ T = "symmetric" }', "{ T = 1 }"):
        with pytest.raises(UsageError, match="has no property"):
            read_assignment(Source(SOFTMAX_QUESTION.replace('{ T = "one_hot" }', wrong), "week.toml"))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("dy.sum(axis=0)", "dy.mean(axis=0)"),
        ("for layer in self.layers[::-1]:", "for layer in self.layers:"),
        ("dy * (1 - self.y ** 2)", "dy * (1 - self.y)"),
    ],
)
def test_a_network_may_keep_its_layers_in_a_list(right: str, wrong: str) -> None:
    code = Code("Net", is_engine=False, is_layer=True, takes=("x",), shapes={"x": ["n", "d"]},
                returns=("inputs", "parameters"), arguments=("d", "h", "k"))  # fmt: skip
    judge = CodeJudge(code, code.returns)
    assert {one.verdict for one in judge.verdicts(arrays.NETWORK).values()} == {"correct"}
    found, line = named(judge, arrays.NETWORK, right, wrong)
    assert found == {line}


def test_a_change_without_an_end_ends_alone() -> None:
    text = "_change = 0\ndef f():\n    while _change < 1:\n        pass\n"
    program, held = together(ast.parse(text), [])
    assert (program.count("_turn()"), held) == (1, [])


def test_numbers_need_not_stand_beside_nodes_where_data_become_arrays() -> None:
    lines = arrays.ENGINE.replace("Value.of(other)", "other").splitlines()
    text = "\n".join(line for line in lines if "__r" not in line)
    text = text.replace("        return x if isinstance(x, Value) else Value(x)", "        return x")
    verdicts = CodeJudge(Code("Value", is_engine=True), USUAL).verdicts(text)
    assert {one.verdict for one in verdicts.values()} == {"correct"}
