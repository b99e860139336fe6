"""Random trees of the expression language, for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    List,
    Literal,
    Method,
    Name,
    Number,
    Program,
    Slice,
    Statement,
    Tuple,
    Unary,
)
from gradcli.language.unparser import unparse_statement

NAMES = st.sampled_from(
    ["x", "y", "x1", "W", "theta", "θ", "é", "梯度", "x₁", "_", "e", "E", "relu", "Trueish", "no_t"]
)
NUMBERS = st.one_of(
    st.integers(0, 20),
    st.integers(0, 2**63 - 1),
    st.floats(min_value=0, allow_nan=False, allow_infinity=False),
    st.sampled_from([0.5, 1e-30]),
).map(Number)
LITERALS = st.one_of(
    st.sampled_from([True, False, None, ...]),
    st.sampled_from(["mean", "", "it's", 'say "x"', "a\\b", "two\nlines", "#;)", "both ' and \""]),
    st.text(max_size=5),
).map(Literal)
LEAVES = st.one_of(NAMES.map(Name), NAMES.map(Name), NUMBERS, LITERALS)


def _arguments(values: SearchStrategy[Expression]) -> SearchStrategy[tuple[Argument, ...]]:
    positional = st.lists(values.map(Argument), max_size=3)
    keyword = st.lists(st.tuples(values, NAMES), max_size=2, unique_by=lambda pair: pair[1])
    named = keyword.map(lambda pairs: [Argument(value, name) for value, name in pairs])
    return st.tuples(positional, named).map(lambda parts: (*parts[0], *parts[1]))


def _branches(smaller: SearchStrategy[Expression]) -> SearchStrategy[Expression]:
    @st.composite
    def parts(draw: st.DrawFn) -> Expression:  # a short name for `smaller`, whose own repr grows with every level
        return draw(smaller)

    below = parts()
    maybe = st.one_of(st.none(), below)
    items = st.lists(below, max_size=3).map(tuple)
    slices = st.builds(Slice, maybe, maybe, maybe)
    indices = st.lists(st.one_of(below, slices), min_size=1, max_size=3).map(tuple)
    operators = st.sampled_from(["+", "-", "*", "/", "//", "%", "@", "**"])
    comparisons = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    return st.one_of(
        st.builds(Binary, operators, below, below),
        st.builds(Binary, operators, below, below),
        st.builds(Unary, st.sampled_from("+-"), below),
        st.builds(Compare, comparisons, below, below),
        st.builds(Call, NAMES, _arguments(below)),
        st.builds(Method, below, NAMES, _arguments(below)),
        st.builds(Attribute, below, NAMES),
        st.builds(Index, below, indices),
        st.builds(List, items),
        st.builds(Tuple, items),
    )


def expressions(max_leaves: int = 12) -> SearchStrategy[Expression]:
    """Trees that a program can spell: numbers are not negative, names are written as names are kept."""
    return st.recursive(LEAVES, _branches, max_leaves=max_leaves)


def programs() -> SearchStrategy[Program]:
    statement = st.builds(Statement, st.one_of(st.none(), NAMES), expressions(5))
    return st.lists(statement, min_size=1, max_size=4).map(lambda statements: Program(tuple(statements)))


def unparse_program(program: Program, *, multiply: str = "*") -> str:
    """The text of a program, one statement a line."""
    return "\n".join(unparse_statement(statement, multiply=multiply) for statement in program.statements)
