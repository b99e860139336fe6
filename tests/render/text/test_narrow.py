"""Narrow terminals: tables and points break where a reader expects it."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gradcli.explanation.build import explain
from gradcli.explanation.verify import verify
from gradcli.language.parser import parse_program
from gradcli.render.lesson.page import page
from gradcli.render.lesson.verification import verification_page
from gradcli.render.run.timeline import timeline_page
from gradcli.render.text.looks import Looks
from gradcli.render.text.wrapping import GLUE, wrapped
from gradcli.source import Source
from tests.script.running import recorded

NET = """
import torch
torch.manual_seed(0)
linear, relu = torch.nn.Linear, torch.nn.ReLU
net = torch.nn.Sequential(linear(2, 8), relu(), linear(8, 8), relu(), linear(8, 1))
x = torch.randn(8, 2)
for epoch in range(2):
    net.zero_grad()
    ((net(x) - x.sum(1, keepdim=True))**2).mean().backward()
"""


def test_a_heading_stands_above_its_column() -> None:
    """Tables that are wider than the terminal say on each line which column it is."""
    rows = verify(parse_program(Source("sum(A*b)")), {"A": np.arange(4.0).reshape(2, 2) / 3, "b": np.ones(2) / 7})
    run = recorded(NET)
    for width in (40, 50, 60):
        page = timeline_page(run, Looks(width=width))
        (table,) = re.findall(r"^Training.*?(?=^Leaves)", page, re.DOTALL | re.MULTILINE)
        lines = table.splitlines()[1:]
        head = next(line for line in lines if "dead units" in line)
        below = lines[lines.index(head) + 1]
        assert head.index("dead units") == re.search(r"\d+ of \d+", below).start()  # type: ignore[union-attr]
        assert max(map(len, lines)) <= width
        narrow = verification_page(rows, Looks(width=width)).splitlines()
        assert [line.split()[0] for line in narrow if "chain rule" in line] == ["A", "b"]
        assert sum("relative error" in line for line in narrow) == 2


def test_a_point_breaks_between_variables() -> None:
    values = {name: np.arange(1.0, size) for name, size in (("a", 4), ("b", 3), ("weights", 7), ("y", 3))}
    explanation = explain(parse_program(Source("sum(a)*sum(b)*sum(weights)*sum(y)")), values)
    for width in range(40, 100):
        lines = page(explanation, Looks(width=width)).partition("\n\n")[0].splitlines()
        for name, value in values.items():
            assert any(re.search(rf"\b{name} = \[1, .*{len(value)}\]", line) for line in lines), lines


@given(st.sampled_from(["2*(y - X @ w)", "f(a, b + c)", "(a + b)*(c - d)"]), st.integers(16, 30))
def test_a_remark_moves_to_a_line_of_its_own_before_a_bracket_is_broken(text: str, width: int) -> None:
    lines = [f"{text}{GLUE}{GLUE}(simplified)"[part] for part in wrapped(f"{text}{GLUE}{GLUE}(simplified)", width)]
    assert all(line.count("(") == line.count(")") for line in lines), lines
    assert all(len(line) <= width for line in lines)
