from __future__ import annotations

import pytest
from hypothesis import given

from gradcli.errors import ProgramSyntaxError
from gradcli.language.parser import parse_expression, parse_program
from gradcli.language.tree import (
    Attribute,
    Binary,
    Call,
    Expression,
    Literal,
    Method,
    Name,
    Number,
    Slice,
    Tuple,
    Unary,
    postorder,
)
from gradcli.language.unparser import unparse
from gradcli.source import Source
from tests.language.strategies import expressions, unparse_program


def parse(text: str) -> Expression:
    return parse_expression(Source(text))


SAME = [
    ("1e400", "inf"),
    ("x^2", "x**2"),
    ("2^3^2", "2**(3**2)"),
    ("x²", "x**2"),
    ("x²³", "x**23"),
    ("-x²", "-(x**2)"),
    ("x⁻¹⁰", "x**-10"),
    ("(a+b)²·f(x)³", "(a + b)**2*f(x)**3"),
    ("x²**3", "(x**2)**3"),
    ("2**x²", "2**(x**2)"),
    ("A.T²", "A.T**2"),
    ("Xᵀ@y", "X.T @ y"),
    ("a·b⋅c×d*e ⊙ f", "a*b*c*d*e*f"),
    ("a−b", "a - b"),
    ("−a", "-a"),
    ("a≤b", "a <= b"),
    ("a≥b", "a >= b"),
    ("a≠b", "a != b"),
    ("-x**2", "-(x**2)"),
    ("2**-x", "2**(-x)"),
    ("a-b-c", "(a - b) - c"),
    ("a/b/c", "(a/b)/c"),
    ("a*b@c", "(a*b) @ c"),
    ("a+b<c*d", "(a + b) < (c*d)"),
    ("torch.sigmoid(x)", "sigmoid(x)"),
    ("F.relu(x)", "relu(x)"),
    ("F.relu(input=x)", "relu(input=x)"),
    ("nn.functional.relu(x)", "relu(x)"),
    ("torch.nn.functional.softmax(x, dim=0)", "softmax(x, dim=0)"),
    ("np.exp(math.pi)", "exp(pi)"),
    ("f(a, dim=0,)", "f(a, dim=0)"),
    ("[1, 2,]", "[1, 2]"),
    ("x[0, 1,]", "x[0, 1]"),
    ("(\n x\n +\n y # why\n)", "x + y"),
    ("[1,\r\n 2]", "[1, 2]"),
    ("x + \\\n y", "x + y"),
    ("x\u00a0+\u3000y", "x + y"),
    ("\ufeffx", "x"),
    ("ﬁt", "fit"),
    ("e\u0301", "é"),
    ('"mean"', "'mean'"),
    (r"'it\'s'", '"it\'s"'),
]

NUMBERS = [
    ("7", 7),
    ("1_000", 1000),
    ("0", 0),
    ("00", 0),
    ("0xFf", 255),
    ("0b101", 5),
    ("0o17", 15),
    ("1.", 1.0),
    (".5", 0.5),
    ("1e-3", 1e-3),
    ("1E5", 1e5),
    ("1_0.2_5e1_0", 10.25e10),
    ("007.5", 7.5),
    ("9223372036854775807", 2**63 - 1),
]


@pytest.mark.parametrize(("text", "plain"), SAME)
def test_two_spellings_of_one_expression(text: str, plain: str) -> None:
    assert parse(text) == parse(plain)


@pytest.mark.parametrize(("text", "value"), NUMBERS)
def test_numbers_read_as_in_python(text: str, value: float) -> None:
    assert parse(text) == Number(value)


@pytest.mark.parametrize("text", ["x", "_", "x1", "θ", "é", "梯度", "x₁", "µ".replace("µ", "μ"), "Trueish", "e", "pi"])
def test_names_of_any_script_are_kept(text: str) -> None:
    assert parse(text) == Name(text)


def test_a_program_is_statements_between_semicolons_and_lines() -> None:
    program = parse_program(Source("# a model\nx = 1; y = x\r\n\r\n;;f(x,\n  y) # the end"))
    assert [statement.target for statement in program.statements] == ["x", "y", None]
    assert unparse_program(program) == "x = 1\ny = x\nf(x, y)"


def test_structure_of_calls_methods_and_attributes() -> None:
    x, one = Name("x"), Number(1)
    assert parse("f()") == Call("f", ())
    assert parse("x.T") == Attribute(x, "T")
    assert parse("x.T.f(1)") == Method(Attribute(x, "T"), "f", parse("g(1)").arguments)  # type: ignore[attr-defined]
    assert parse("+-1") == Unary("+", Unary("-", one))
    assert parse("x[1:, :]").items == (Slice(one, None), Slice(None, None))  # type: ignore[attr-defined]
    assert parse("(1,)") == Tuple((one,))
    assert parse("...") == Literal(...)


def test_a_matrix_called_f_keeps_its_methods() -> None:
    assert parse("F.sum(dim=0)") == Method(Name("F"), "sum", parse("g(dim=0)").arguments)  # type: ignore[attr-defined]
    assert parse("F.T") == Attribute(Name("F"), "T")


def test_equality_tells_numbers_apart_by_their_spelling() -> None:
    assert parse("1") != parse("1.0")
    assert parse("True") != parse("1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "a value is not a statement"),
        ("1; 2", "a value is one expression"),
        ("", "there is no expression here"),
    ],
)
def test_a_value_is_one_expression(text: str, message: str) -> None:
    with pytest.raises(ProgramSyntaxError, match=message):
        parse(text)


@pytest.mark.slow
@given(expressions())
def test_the_span_of_a_node_holds_its_text(tree: Expression) -> None:
    text = unparse(tree)
    for node in postorder(parse(text)):
        piece = text[slice(*node.span)]
        if isinstance(node, Slice):
            assert parse(f"x[{piece}]").items == (node,)  # type: ignore[attr-defined]
        else:
            assert parse(piece) == node
        if isinstance(node, Call):
            assert text[slice(*node.name_span)] == node.function
        elif isinstance(node, Method | Attribute):
            assert text[slice(*node.name_span)] == node.name


def test_spans_hold_the_original_spelling() -> None:
    text = "θ = (x − y)² + torch.exp(ﬁt)ᵀ ; 3"
    first, second = parse_program(Source(text)).statements
    assert text[slice(*first.target_span)] == "θ"
    assert text[slice(*first.span)] == "θ = (x − y)² + torch.exp(ﬁt)ᵀ"
    assert text[slice(*second.span)] == "3"
    pieces = [text[slice(*node.span)] for node in postorder(first.value)]
    assert pieces == ["x", "y", "(x − y)", "²", "(x − y)²", "ﬁt", "torch.exp(ﬁt)", "torch.exp(ﬁt)ᵀ", text[4:-4]]


def test_parentheses_belong_to_the_span_of_what_they_hold() -> None:
    tree = parse("((x)+y)*2")
    assert isinstance(tree, Binary)
    assert tree.left.span == (0, 7)
