"""Formulas as MathML: brackets where the program has them, bars for quotients, colours for nodes, powers of ten."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from gradcli.language.parser import parse_expression
from gradcli.render.page.mathml import Paint
from gradcli.source import Source
from tests.render.programs import CASES, explained

PAINT = Paint(CASES["square"].explain(), "z")


def told(markup: str) -> str:
    """MathML as a line: `a/b` for a fraction, `a^b` for a power, `a_b` for a low index; long ones in braces."""
    return line(ElementTree.fromstring(f"<mrow>{markup}</mrow>"))


def line(element: ElementTree.Element) -> str:
    parts = [line(part) for part in element]
    sign = {"mfrac": "/", "msup": "^", "msub": "_"}.get(element.tag)
    if sign:
        return sign.join(part if len(part) < 3 else f"{{{part}}}" for part in parts)
    return f"√{{{parts[0]}}}" if element.tag == "msqrt" else (element.text or "") + "".join(parts)


@pytest.mark.parametrize(
    ("text", "written"),
    {
        "(a + b)*c": "(a+b)·c",
        "a + b*c": "a+b·c",
        "a - (b - c)": "a−(b−c)",
        "-(a + b)": "−(a+b)",
        "(a + b)/(c - 1)": "{a+b}/{c−1}",
        "(a/b)**2": "{(a/b)}^2",
        "(a**2)**3": "{(a^2)}^3",
        "2**-x": "2^−x",
        "sqrt(a*b)": "√{a·b}",
        "x1*W_2": "x_1·W_2",
        "A.T @ g": "A^⊤g",
        "sum(g, dim=0)": "sum(g,dim=0)",
        "x.sum(dim=0)": "x.sum(dim=0)",
        "where(x > 0, 1, 2)": "where(x>0,1,2)",
        "where(x > 0, 1, 0)": "[x>0]",
        "where(x > 0, y, 0)": "y·[x>0]",
        "x == y": "x=y",
    }.items(),
)
def test_formulas(text: str, written: str) -> None:
    assert told(PAINT.formula(parse_expression(Source(text)))) == written


def test_names_have_the_colours_of_their_nodes() -> None:
    assert 'class="c0"' in PAINT.name("x1")
    assert "class" not in PAINT.name("other")
    assert told(PAINT.derivative("z", "x1")) == "∂z/{∂x_1}"


def test_a_local_derivative_says_what_it_holds() -> None:
    explanation = explained("loss = relu(x) + x", {"x": 2.0})
    paint = Paint(explanation, "loss")
    locals = {local.input: local for local in explanation.nodes[-1].locals}
    assert told(paint.local("loss", locals["x"])) == "{{∂loss}/∂x|}_{v_1}"
