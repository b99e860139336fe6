"""One symbol has one value: on no page do two lines give the same left side two values, whatever the program."""

from __future__ import annotations

import re
from collections import defaultdict
from random import Random

import pytest

from gradcli.explanation.chain.links import trace
from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation
from gradcli.render.lesson.page import page
from gradcli.render.lesson.trace import trace_page
from gradcli.render.text.looks import Looks
from tests.programs import some
from tests.render.programs import explained

FUNCTIONS = ("sin", "exp", "tanh", "sigmoid", "relu", "softplus", "square", "abs", "sqrt", "neg")
NAMES = ("a", "b", "c", "g", "L", "v1", "z")
VALUE = re.compile(r"-?\d[\d.]*(e[-+]?\d+)?|-?inf|nan|\[.*\]|None")


class Programs:
    """Programs of names that are used twice, given again, and that mean something to the page: `g`, `L`, `v1`."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.names = ["x", "y"]

    def expression(self, depth: int) -> str:
        kind = self.random.random() if depth else 0
        if kind < 0.3:
            return self.random.choice(self.names)
        first, operator = self.expression(depth - 1), self.random.choice("+-*/+*")
        if kind < 0.5:
            return f"{self.random.choice(FUNCTIONS)}({first})"
        return f"({first})**2" if kind < 0.6 else f"({first} {operator} {self.expression(depth - 1)})"

    def program(self, *, is_vector: bool) -> str:
        statements = []
        for _ in range(self.random.randint(1, 4)):
            name = self.random.choice(NAMES)
            statements.append(f"{name} = {self.expression(3)}")
            self.names.append(name)
        last = f"{self.expression(2)}*x"
        return "; ".join([*statements, f"sum({last})" if is_vector else last])


def values(text: str) -> dict[str, set[str]]:
    """Return the values at the end of the lines of each left side."""
    found, left = defaultdict[str, set[str]](set), ""
    for line in text.split("\n"):
        first, _, rest = line.partition(" = ")
        if first.strip() or " = " not in line:
            left = first.strip()
        value = rest.rpartition(" = ")[2].partition("  (")[0].strip()
        if VALUE.fullmatch(value) and " so " not in line and "," not in left:
            found[left].add(value)
    return found


def pages(explanation: Explanation) -> list[str]:
    traces = [trace(explanation, leaf.name, None) for leaf in explanation.leaves]
    looks = (Looks(), Looks(ascii=True))
    return [
        *(page(explanation, one, all=True) for one in looks),
        *(trace_page(explanation, traces, one, all=True) for one in looks),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(60), 2))
def test_one_symbol_has_one_value(seed: int) -> None:
    is_vector = seed % 3 == 0
    program = Programs(seed).program(is_vector=is_vector)
    given = {"x": [0.4, 0.7], "y": 0.6} if is_vector else {"x": 0.4, "y": 0.7}
    used = {name: value for name, value in given.items() if re.search(rf"\b{name}\b", program)}
    explanation = folded(explained(program, used))
    if any(note.code == "cancelled" for note in explanation.notes):
        return  # a formula says 0, the number what rounding leaves, and the note why
    for text in pages(explanation):
        assert not {left: found for left, found in values(text).items() if len(found) > 1}, text


def test_two_values_would_be_found() -> None:
    assert values("  y  = x·v1  2·3  = 6\n  ∂y/∂x = v1\n        = 3\n  ∂y/∂x  = 7")["∂y/∂x"] == {"3", "7"}


GATES = {
    "asin(3*y**0)": "∂v1/∂y",
    "1/relu(y - 3)": "∂v2/∂v1",
    "log(floor(y) - 1)": "∂v1/∂y",
    "log(floor(y) - 7)": None,
    "1/clamp(y, 2, 3)*0": None,
}


@pytest.mark.parametrize("program", GATES)
def test_a_row_whose_product_is_another_number_says_why(program: str) -> None:
    text = page(explained(program, {"y": 1.0}), Looks())
    rows = [line for line in text.split("\n") if "for the rule of" in line]
    assert not re.search(r"(nan|inf\)?) · 0 +=? *= 0", text), text
    if GATES[program]:
        (row,) = rows
        assert row.endswith("gives 0 here whatever arrives"), row
    else:
        assert not rows
