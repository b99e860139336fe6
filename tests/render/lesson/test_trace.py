"""A derivation is told once, names what it goes on from, and cannot be read in two ways."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from gradcli.explanation.chain.trace import trace
from gradcli.explanation.reference import explain_example, operations
from gradcli.render.lesson.trace import trace_page
from gradcli.render.text.looks import Looks

SHARED = [
    "x = 1; y = 2; a = x*y; sin(a)*(x + y)",
    "x = 1; y = 2; cos(x)*exp(-y)/3 - x",
    "x = 1; y = 2; z = 3; x + y + z",
    "x = 1; x*x + x",
    "x = 1; y = 2; detach(x)*y",
    "A = [[1, 2], [3, 4]]; x = [1, 2]; sum((A @ x)**2)",
    "A = [[1, 2], [3, 4]]; B = [[1, 2], [3, 4]]; sum(A @ B.T - A)",
    "x = [1, 2]; y = [3, 4]; sum(x[0]*y - cos(x))",
]
EXAMPLES = [example for name, one in operations().items() if one.name == name for example in one.examples]
# A minus or a division inside a product, and a derivative in front of a part or behind a matrix product.
MISREAD = re.compile(r"· ?-|@ ∂|[*/·] ?∂\w+/∂\w+(?!\||/)(?=[.\[]|\*\*)|∂\w+/∂\w+(\.m?T\b|\[|\*\*)")


def page(example: str) -> str:
    explanation = explain_example(example)
    traces = [trace(explanation, leaf.name, None) for leaf in explanation.leaves]
    lines = trace_page(explanation, traces, Looks(), all=True).split("\n")
    # An entry of a derivative is the derivative by that entry, so index formulas can be read in two ways, both right.
    return "\n".join(line for line in lines if not re.match(r" {4}[^ =]", line))


@pytest.mark.parametrize("example", SHARED)
def test_a_derivation_is_told_once(example: str) -> None:
    blocks = page(example).split("\n∂")[1:]
    derived: Counter[str] = Counter()
    for block in blocks:
        here: set[str] = set()
        for line in block.splitlines()[1:]:
            quantity = line[2:].split(" ")[0]
            if not quantity.startswith("∂"):
                continue
            if line.endswith("as above"):
                assert derived[quantity]
            else:
                derived[quantity] += 1
            used = set(re.findall(r"(∂\w+/∂\w+) · ∂|(?:^|[ (])(∂\w+/∂\w+)·∂", line.partition("= ")[2]))
            assert {name for pair in used for name in pair if name} <= here
            here.add(quantity)
    assert set(derived.values()) <= {1}


@pytest.mark.parametrize("example", SHARED)
def test_no_page_can_be_read_in_two_ways(example: str) -> None:
    assert not MISREAD.search(page(example))


@pytest.mark.slow
def test_no_example_of_an_operation_can_be_read_in_two_ways() -> None:
    for example in EXAMPLES:
        found = MISREAD.search(page(example))
        assert found is None, (example, found)
