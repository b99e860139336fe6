from __future__ import annotations

import pytest
from hypothesis import given

from gradcli.errors import ProgramSyntaxError
from gradcli.language.parser import parse_expression, parse_program
from gradcli.language.tree import Binary, Expression, Name, Number, Program
from gradcli.language.unparser import Precedence, precedence, unparse, unparse_statement
from gradcli.source import Source
from tests.language.strategies import expressions, programs, unparse_program

CANONICAL = [
    "2*(x1 + a*x2)*x2",
    "v2**2",
    "(X.T @ (2*(X @ w - y)))/3",
    "(A @ B)*c",
    "2*A @ B",
    "2/n*A @ B",
    "(A*B) @ C",
    "(2*A*B) @ C",
    "(a/b) @ c",
    "(A @ B)%2 @ c",
    "x > 0",
    "f(x, dim=0)",
    "x[:, 1]",
    "x[..., None]",
    "x[::2]",
    "x[1:, None]",
    "x[1:2:3]",
    "x[(0, 1)]",
    "-x",
    "-x**2",
    "(-x)**2",
    "2**-x",
    "2**-x**2",
    "x**y**z",
    "(x**y)**z",
    "--x",
    "x - -y",
    "x*-y",
    "-(x + y)",
    "-(x*y)",
    "-x*y",
    "x - (y - z)",
    "x/(y*z)",
    "x//y%z",
    "(a < b) < c",
    "a < (b < c)",
    "f(a < b)",
    "(3, 2)",
    "(3,)",
    "()",
    "[[1, 2], [3.5, 1e-5]]",
    "v/3e8 + 1.5e9*x + 300000000*y + 1e-12 + 6.02e23",
    "(2).T",
    "2.5.T",
    "(2).exp()",
    "2[0]",
    "(-x).T",
    "(x + y).sum(dim=(0, 1), keepdim=True)",
    "mse_loss(x, y, reduction='mean')",
    "x*inf",
]


def parse(text: str) -> Expression:
    return parse_expression(Source(text))


@pytest.mark.parametrize("text", CANONICAL)
def test_a_text_in_canonical_form_is_kept(text: str) -> None:
    assert unparse(parse(text)) == text


@given(expressions())
def test_what_is_written_reads_back_as_the_same_tree(tree: Expression) -> None:
    assert parse(unparse(tree)) == tree


@pytest.mark.slow
@given(expressions())
def test_a_middle_dot_reads_back_as_the_same_tree(tree: Expression) -> None:
    assert parse(unparse(tree, multiply="·")) == tree


@pytest.mark.slow
@given(programs())
def test_a_program_reads_back_as_the_same_program(program: Program) -> None:
    assert parse_program(Source(unparse_program(program))) == program


def parenthesis_pairs(text: str) -> list[tuple[int, int]]:
    stack, pairs, quote, position = [], [], "", 0
    while position < len(text):
        character = text[position]
        if quote:
            if character == "\\":
                position += 1
            elif character == quote:
                quote = ""
        elif character in "'\"":
            quote = character
        elif character == "(":
            stack.append(position)
        elif character == ")":
            pairs.append((stack.pop(), position))
        position += 1
    return pairs


@pytest.mark.slow
@given(expressions())
def test_no_pair_of_parentheses_can_be_left_out(tree: Expression) -> None:
    text = unparse(tree)
    for opener, closer in parenthesis_pairs(text):
        try:
            shorter = parse(text[:opener] + text[opener + 1 : closer] + text[closer + 1 :])
        except ProgramSyntaxError:
            continue
        assert shorter != tree


def test_multiply_changes_the_sign_of_a_product_alone() -> None:
    assert unparse(parse("2*x**2 @ y"), multiply="·") == "2·x**2 @ y"


def test_rename_spells_variables_and_leaves_functions_alone() -> None:
    assert unparse(parse("f(x, x=2*x) + y.x"), rename={"x": "x₁", "f": "g"}) == "f(x₁, x=2*x₁) + y.x"


def test_a_computed_negative_number_takes_parentheses_where_a_sign_does() -> None:
    assert unparse(Binary("**", Number(-2), Number(-3))) == "(-2)**-3"
    assert unparse(Binary("-", Name("x"), Number(-1.5))) == "x - -1.5"


def test_statements_and_programs() -> None:
    program = parse_program(Source("y=x;;y*2"))
    assert [unparse_statement(statement) for statement in program.statements] == ["y = x", "y*2"]
    assert unparse_program(program, multiply="·") == "y = x\ny·2"


def test_precedence_orders_the_levels() -> None:
    texts = ["a < b", "a + b", "a*b", "-a", "a**b", "a"]
    assert [precedence(parse(text)) for text in texts] == list(Precedence)


@pytest.mark.parametrize(
    ("number", "text"),
    [(2**63 - 1, "9223372036854775807"), (2**63, "9.223372036854776e18"), (-(10**24), "-1e24"), (10**999, "inf")],
)
def test_every_number_can_be_read_again(number: int, text: str) -> None:
    """A formula may have larger numbers than a program can write: they are written as floats."""
    assert unparse(Number(number)) == text
    assert unparse(parse_expression(Source(text))) == text
    assert unparse(Binary("**", Number(number), Number(2))) == (f"({text})**2" if number < 0 else f"{text}**2")
