"""A function without brackets, or with its power in the middle: the call that is offered instead can be typed."""

from __future__ import annotations

import re

import pytest

from gradcli.errors import EvaluationError, ProgramSyntaxError
from gradcli.explanation.build import explain
from gradcli.language.applications import is_function
from gradcli.language.catalogue import FAMILY_OF
from gradcli.language.parser import parse_program
from gradcli.language.tree import names
from gradcli.language.unparser import unparse
from gradcli.source import Source

FUNCTIONS = [name for name in FAMILY_OF if is_function(name) and "." not in name]
FORMS = {  # F is the function
    "F x": "F(x)",
    "F 2": "F(2)",
    "F 2*x": "F(2*x)",
    "F 2x": "F(2*x)",
    "1 + 2*F 0.5x + 3": "F(0.5*x)",
    "F θ + 1": "F(θ)",
    "1 + F x": "F(x)",
    "y = 3*F x": "F(x)",
    "2**F x": "F(x)",
    "abs(F x)": "F(x)",
    "add(F x, y)": "F(x)",
    "F x**2": "F(x)",
    "F a.T": "F(a.T)",
    "F x[0]": "F(x[0])",
    "F abs(x)": "F(abs(x))",
    "F exp cos x": "F(exp(cos(x)))",
    "F²(x)": "F(x)**2",
    "F² x": "F(x)**2",
    "F²x": "F(x)**2",
    "F¹²(x + 1)": "F(x + 1)**12",
    "F^2(x)": "F(x)**2",
    "F**2(x)": "F(x)**2",
    "F ** 2 (x)": "F(x)**2",
    "F^2 x": "F(x)**2",
    "F^(2)(x)": "F(x)**2",
    "F^-2(x)": "F(x)**(-2)",
    "F⁻²(x)": "F(x)**(-2)",
    "F²(x": "F(x)**2",
}


def offers(text: str) -> list[str]:
    with pytest.raises(ProgramSyntaxError) as caught:
        parse_program(Source(text))
    return re.findall("'(.*?)'", caught.value.help)


@pytest.mark.parametrize(("form", "offer"), FORMS.items(), ids=FORMS)
@pytest.mark.parametrize("function", ["sin", "log", "relu", "softmax", "log1p", "ln"])
def test_the_call_is_offered_and_can_be_typed(function: str, form: str, offer: str) -> None:
    found = offers(form.replace("F", function))
    assert found == [offer.replace("F", function)]
    parse_program(Source(found[0]))


def test_every_function_is_known() -> None:
    for function in FUNCTIONS:
        assert offers(f"{function} x") == [f"{function}(x)"]
        assert offers(f"{function}²(x)") == [f"{function}(x)**2"]


@pytest.mark.parametrize("power", ["⁻¹", "^-1", "**-1", "^(-1)"])
@pytest.mark.parametrize("function", ["sin", "cos", "tanh"])
def test_the_inverse_is_offered(function: str, power: str) -> None:
    found = offers(f"{function}{power}(x)")
    assert found == [f"a{function}(x)", f"{function}(x)**(-1)"]
    for offer in found:
        parse_program(Source(offer))


PRODUCTS = [
    "x y",
    "mean = 3; mean x",
    "A.sum x",
    "T x",
    "H 2",
    "sin[0] x",
    "x²y",
    "x²(y)",
    "sinᵀ x",
    "x^2(y)",
    "(sin) x",
]


@pytest.mark.parametrize("text", PRODUCTS)
def test_what_is_no_function_is_a_product(text: str) -> None:
    (offer,) = offers(text)
    assert offer.endswith(("*x", "*y", "*2", "*(y)"))


MINUS = {
    "F -x": "F(-x)",
    "2*F -x": "F(-x)",
    "1 - F -x**2": "F(-x**2)",
    "-F -x": "F(-x)",
    "y = F -2*x; y": "F(-2*x)",
    "F -(x + 1)": "F(-(x + 1))",
    "F +x": "F(x)",
    "F*x": "F(x)",
    "F**2": "F(x)",
}


@pytest.mark.parametrize(("form", "offer"), MINUS.items(), ids=MINUS)
@pytest.mark.parametrize("function", ["exp", "log", "sigmoid"])
def test_a_function_without_a_value_is_offered_as_one(function: str, form: str, offer: str) -> None:
    program = parse_program(Source(form.replace("F", function)))
    with pytest.raises(EvaluationError) as caught:
        explain(program, {"x": 1.0})
    call = offer.replace("F", function)
    assert f"for the function {function} type '{call}'" in caught.value.help
    (statement,) = parse_program(Source(call)).statements
    assert names(statement.value) == {"x"}
    assert unparse(statement.value) == call
