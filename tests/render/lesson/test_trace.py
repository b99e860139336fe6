"""A derivation is told once, names what it goes on from, and cannot be read in two ways."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from gradcli.explanation.build import explain
from gradcli.explanation.chain.links import trace
from gradcli.explanation.reference import explain_example, operations
from gradcli.explanation.sizes.generic import explain_at_any_size
from gradcli.explanation.sizes.merging import Dims
from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_program
from gradcli.language.tree import names
from gradcli.render.lesson.readable import bare, gets
from gradcli.render.lesson.terms import Terms
from gradcli.render.lesson.trace import trace_document, trace_page
from gradcli.render.text.looks import Looks
from gradcli.source import Source
from tests.programs import some

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
            if line.endswith("(as above)"):
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
    for example in some(EXAMPLES, 4):
        found = MISREAD.search(page(example))
        assert found is None, (example, found)


COPIED = [
    ("A = [[1, 2], [3, 4], [5, 6]]; b = [1, 2]; sum((A + b)**2)", "b", ", once for each of the 3 rows of v1", ["3"]),
    (
        "A = [[1, 2], [3, 4], [5, 6]]; b = [[1], [2], [3]]; sum(A*b)",
        "b",
        ", once for each of the 2 columns of v1",
        ["2"],
    ),
    ("A = [[1, 2], [3, 4]]; s = 3; sum(s*A)", "s", ", once for each of the 4 entries of v1", ["4"]),
    ("x = [[1, 2], [3, 4]]; W = [[1, 2], [3, 4]]; b = [1, 2]; sum(linear(x, W, b))", "b", "2 rows of v1", ["2"]),
    ("x = [1, 2]; sum(x)", "x", "", ["1"]),
    ("A = [[1, 2], [3, 4]]; x = [1, 2]; sum(A @ x)", "x", "", ["1"]),
    ("A = [[1, 2], [3, 4]]; b = [1, 2]; sum((A + b)*b)", "b", "", ["2", "2"]),
]


@pytest.mark.parametrize(("example", "name", "told", "counts"), COPIED)
def test_a_path_says_for_how_many_copies_it_stands(example: str, name: str, told: str, counts: list[str]) -> None:
    explanation = explain_example(example)
    traces = [trace(explanation, name, 5)]
    (title,) = (line for line in trace_page(explanation, traces, Looks()).split("\n") if " from " in line)
    assert title.endswith(told or f"to {name}")
    listed = trace_document(explanation, traces)["leaves"][0]["paths"]["listed"]
    assert [path["copies"] for path in listed] == counts


@pytest.mark.parametrize("sign", ["+", "-", "*", "/"])
@pytest.mark.parametrize("shape", [(), (2,), (1, 2), (3, 1), (3, 2)])
def test_a_local_derivative_has_the_shape_of_its_value(sign: str, shape: tuple[int, ...]) -> None:
    values = {"A": np.arange(1.0, 7.0).reshape(3, 2), "b": np.ones(shape) + 1}
    explanation = explain(parse_program(Source(f"sum(A {sign} b)")), values)
    terms = Terms(explanation, Looks())
    for local in (local for node in explanation.nodes for local in node.locals if local.formula is not None):
        text = terms.local(local).removeprefix("= ").replace("·", "*")
        each = gets(text)
        if each is not None:
            part = value_of(parse_program(Source(each[1])).statements[-1].value, values)
            assert np.shape(part) == (() if each[0] == "each entry" else np.shape(local.value)[1:])
            assert np.all(part == local.value)
            continue
        value = value_of(parse_program(Source(bare(text))).statements[-1].value, values)
        if text != bare(text):
            assert np.all(np.broadcast_to(value, np.shape(local.value)) == local.value)
            continue
        assert np.shape(value) in (np.shape(local.value), ()), text
        assert np.ndim(value) or not names(local.formula), text


@pytest.mark.parametrize("layers", [1, 5, 8, 9, 10, 30, 60])
def test_a_long_trace_is_cut_before_what_was_asked_for(layers: int) -> None:
    program = "; ".join(
        ["x = [0.1, 0.2]; W = [[1, 2], [3, 4]]; h0 = x", *(f"h{n + 1} = h{n} @ W" for n in range(layers))]
    )
    explanation = explain(parse_program(Source(f"{program}; sum(h{layers})")), {})
    short, full = (trace_page(explanation, [trace(explanation, "W", None)], Looks(), all=all) for all in (False, True))
    (asked,) = (line for line in full.split("\n") if re.match(r"  ∂\w+/∂W +=", line))
    value = next(leaf.gradient for leaf in explanation.leaves if leaf.name == "W")
    for line in (asked, f"= {Terms(explanation, Looks()).value(value)}"):
        assert line.split() in [found.split() for found in short.split("\n")] or layers == 1
    assert len(short.split("\n")) < 150


def test_a_page_for_sizes_has_no_value_and_no_sign_of_one() -> None:
    """Each line of the forward pass ends with the operation, and there is none for a variable."""
    dims = {"X": Dims(("n", "d")), "w": Dims(("d",)), "y": Dims(("n",))}
    program = parse_program(Source("-sum((X @ w - y)**2)*2"))
    general = explain_at_any_size(program, dims, {}, wrt=["w"])
    rows = trace_page(general, [trace(general, "w", None)], Looks()).split("Forward\n")[1].split("∂")[0].splitlines()
    assert [row.split()[0] for row in rows] == ["v1", "v2", "v3", "v4", "v5", "v6"]
    assert all(re.search(r"  \w+Backward\d$", row) for row in rows)


def test_a_long_path_is_not_put_into_one_formula() -> None:
    """The rule of softmax has its upstream gradient twice: of forty, 2**40 would be written to be thrown away."""
    chain = "; ".join(f"h{n} = softmax(h{n - 1}, 0)" for n in range(1, 41))
    explanation = explain(parse_program(Source(f"{chain}; sum(h40**2)")), {"h0": [0.5, 1.5, -1.0]})
    assert "1 path" in trace_page(explanation, [trace(explanation, "h0", 5)], Looks())
