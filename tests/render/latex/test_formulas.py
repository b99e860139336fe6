from __future__ import annotations

import pytest
from hypothesis import given

from gradcli.language.parser import parse_program
from gradcli.language.tree import Expression
from gradcli.render.latex.formulas import DOTS, Symbols, Writer
from gradcli.source import Source
from tests.language.strategies import expressions

RANKS = {"X": 2, "A": 2, "B": 2, "w": 1, "v": 1}


def parsed(text: str) -> Expression:
    return parse_program(Source(text)).statements[-1].value


def written(text: str) -> str:
    return Writer(Symbols(), RANKS).formula(parsed(text)).text


@pytest.mark.parametrize(
    ("text", "latex"),
    {
        "2*x2*(x1+a*x2)": r"2\,x_{2}\,(x_{1} + a\,x_{2})",
        "x**2**3": "x^{2^{3}}",
        "(x**2)**3": "(x^{2})^{3}",
        "-x**2": "-x^{2}",
        "(-x)**2": "(-x)^{2}",
        "2**-x": "2^{-x}",
        "sin(x)**2": r"\sin^{2}(x)",
        "sin(x)**y": r"(\sin(x))^{y}",
        "exp(-x**2)*sin(x)": r"\mathrm{e}^{-x^{2}}\,\sin(x)",
        "1/(1+1/x)": r"\frac{1}{1 + \frac{1}{x}}",
        "1/(1+1/(1+1/x))": r"1 / \left(1 + \frac{1}{1 + \frac{1}{x}}\right)",
        "(1/2)**x": r"\left(\frac{1}{2}\right)^{x}",
        "a-(b-c)": "a - (b - c)",
        "a-(-b)": "a - (-b)",
        "-(-x)": "-(-x)",
        "2*3*x": r"2 \cdot 3\,x",
        "x*-2": r"x \cdot (-2)",
        "loss*x": r"\mathit{loss} \cdot x",
        "X @ w - 1": r"X\,w - 1",
        "v @ w": r"v^{\top} w",
        "A*B": r"A \odot B",
        "A*x": r"A\,x",
        "A**2": r"A^{\circ 2}",
        "w**2": "w^{2}",
        "A.T @ B": r"A^{\top}\,B",
        "A.T.T": r"(A^{\top})^{\top}",
        "inv(A)": "A^{-1}",
        "x[0,1:]": "x[0, 1{:}]",
        "x[...,::2]": r"x[\ldots, {:}{:}2]",
        "where(x>0, x, 0)": r"\begin{cases} x & \text{if } x > 0 \\ 0 & \text{otherwise} \end{cases}",
        "[[1,2],[3,-4]]": r"\begin{bmatrix} 1 & 2 \\ 3 & -4 \end{bmatrix}",
        "[1,2.5]": r"[1,\, 2.5]",
        "[[1,2],[3]]": None,
        "sum(x, dim=0)": r"\operatorname{sum}(x, \text{dim}=0)",
        "x.sum(dim=0)": r"\operatorname{sum}(x, \text{dim}=0)",
        "x//2 % 3": r"\left\lfloor \frac{x}{2} \right\rfloor \bmod 3",
        "1e-7*x": r"10^{-7}\,x",
        "1.5e300**x": r"(1.5 \cdot 10^{300})^{x}",
        "log_softmax(x)": r"\operatorname{log\_softmax}(x)",
        "abs(x/2)": r"\left\lvert \frac{x}{2} \right\rvert",
        "sqrt(x+1)": r"\sqrt{x + 1}",
        "sigmoid(x)": r"\sigma(x)",
        "x <= 2": r"x \le 2",
    }.items(),
)
def test_formulas(text: str, latex: str | None) -> None:
    assert written(text) == latex if latex is not None else written(text)


@pytest.mark.parametrize("text", ["+".join(["x"] * 2000), "sin(" * 60 + "x" + ")" * 60, "x" + "**x" * 60])
def test_of_a_formula_that_nobody_reads_there_are_dots(text: str) -> None:
    assert written(text) == DOTS


@pytest.mark.slow
@given(expressions())
def test_groups_are_balanced(tree: Expression) -> None:
    text = Writer(Symbols(), RANKS).formula(tree).text
    assert text.replace("\\{", "").replace("\\}", "").count("{") == text.replace("\\{", "").replace("\\}", "").count(
        "}"
    )
    assert text.count(r"\left") == text.count(r"\right")
    assert text.count(r"\begin") == text.count(r"\end{")
