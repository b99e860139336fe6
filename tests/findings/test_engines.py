"""Engines that students write: what is wrong with them is found, and nothing where they are right."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.findings.finding import findings

ENGINE = """
import math
class {kind}:
    def __init__(self, data, {parents}=()):
        self.data, self.grad, self.{parents} = data, 0.0, tuple({parents})
        self._back = lambda: None
    def __add__(self, other):
        out = {kind}(self.data + other.data, (self, other))
        def back():
            self.grad += out.grad
            other.grad += out.grad
        out._back = back
        return out
    def __mul__(self, other):
        out = {kind}(self.data * other.data, (self, other))
        def back():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._back = back
        return out
    def tanh(self):
        t = math.tanh(self.data)
        out = {kind}(t, (self,))
        def back():
            self.grad += (1 - t * t) * out.grad
        out._back = back
        return out
    def backward(self):
        order, seen = [], set()
        def visit(x):
            if x not in seen:
                seen.add(x)
                for parent in x.{parents}:
                    visit(parent)
                order.append(x)
        visit(self)
        self.grad = 1.0
        for x in reversed(order):
            x._back()
def model(w, b, x):
    return (w * {kind}(x) + b).tanh()
w, b = {kind}(0.5), {kind}(-0.25)
for _ in range(4):
    w.grad = b.grad = 0.0
    miss = model(w, b, 0.75) + {kind}(-0.9)
    loss = miss * miss + w * w
    loss.backward()
    w.data -= 0.1 * w.grad
    b.data -= 0.1 * b.grad
print(w.data, b.data)
"""
NAMES = [{"kind": "Value", "parents": "_prev"}, {"kind": "Scalar", "parents": "children"}]
FAULTS = {
    "w.grad = b.grad = 0.0": ("pass", "accumulated", "w"),
    "out = {kind}(t, (self,))": ("out = {kind}(t)", "left-graph", "tanh"),
    "self.grad += other.data": ("self.grad = other.data", "overwritten", "self"),
    "reversed(order)": ("order", "engine-order", "w"),
    "if x not in seen:": ("if x is not None:", "engine-order", "w"),
    "(1 - t * t) * out.grad": ("(1 - t) * out.grad", "function-wrong-factor", "tanh"),
    "other.grad += self.data * out.grad": ("other.grad += other.data * out.grad", "function-wrong-input", "__mul__"),
    "self.grad += out.grad": ("self.grad = out.grad", "", ""),  # no sum in the lesson is used twice
}


@pytest.mark.parametrize("names", NAMES)
def test_an_engine_that_is_right_has_no_findings(names: dict[str, str]) -> None:
    assert findings(ENGINE.format(**names)) == ()
    assert findings(ENGINE.format(**names).replace("self.grad += out.grad", "self.grad = self.grad + out.grad")) == ()


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("part", FAULTS)
def test_a_planted_fault_is_found_at_its_line(names: dict[str, str], part: str) -> None:
    fault, code, name = FAULTS[part]
    text = ENGINE.replace(part, fault).format(**names)
    told = findings(text)
    assert [one.code for one in told] == ([code] if code else [])
    assert all(name in one.name.split(", ") for one in told)


@pytest.mark.parametrize(
    "call", ["(miss * miss + w * w).backward()", "backprop(loss)", "backprop(miss * miss + w * w)"]
)
@pytest.mark.parametrize("part", [part for part in FAULTS if FAULTS[part][1]])
def test_a_pass_may_run_from_what_has_no_name_or_by_a_function(call: str, part: str) -> None:
    fault, code, _ = FAULTS[part]
    name = call.partition("(")[0]
    text = ENGINE.replace(part, fault).replace("    loss.backward()", f"    {call}").format(**NAMES[0])
    head, _, tail = text.partition("    def backward(self)") if name else ("", "", "")
    body, _, rest = tail.partition("def model")
    if name:
        text = head + "    pass\n" + dedent(f"    def {name}(self){body}") + f"def model{rest}"
    assert [one.code for one in findings(text)] == [code]


def test_what_is_tried_leaves_the_gradients_as_they_were() -> None:
    text = ENGINE.format(**NAMES[0]).replace("w.grad = b.grad = 0.0", "pass")
    printed: list[str] = []
    findings(text, write=printed.append)
    variables: dict[str, object] = {}
    exec(text.replace("print(w.data, b.data)", "told = (w.data, b.data)"), variables)
    assert "".join(printed).split() == [str(x) for x in variables["told"]]  # type: ignore[attr-defined]


SLOPES = """
class Node:
    def __init__(self, value, inputs=(), slopes=()):
        self.value, self.inputs, self.slopes, self.grad = value, inputs, slopes, 0.0
    def __add__(self, other):
        return Node(self.value + other.value, (self, other), (1.0, 1.0))
    def __mul__(self, other):
        return Node(self.value * other.value, (self, other), (other.value, self.value))
    def backward(self):
        order, waiting = [], [self]
        while waiting:
            node = waiting.pop()
            if node in order:
                order.remove(node)
            order.append(node)
            waiting.extend(node.inputs)
        self.grad = 1.0
        for node in order:
            for x, slope in zip(node.inputs, node.slopes):
                x.grad += slope * node.grad
a, b = Node(2.0), Node(-3.0)
s = a * b
y = (s * b + a) * s
y.backward()
print(a.grad, b.grad)
"""


def test_an_engine_may_keep_its_slopes_in_place_of_functions() -> None:
    assert findings(SLOPES) == ()
    (finding,) = findings(SLOPES.replace("order.remove(node)", "continue").replace("waiting.pop()", "waiting.pop(0)"))
    assert (finding.code, finding.name.split(", ")[0]) == ("engine-order", "a")
    assert "-66; each number once, after all its uses, gives -120" in finding.because
