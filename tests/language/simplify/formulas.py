"""Random scalar formulas for hypothesis, and points at which they are compared."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from gradcli.language.tree import Argument, Binary, Call, Compare, Expression, Name, Number, Unary

FUNCTIONS = [
    "abs", "acos", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "exp", "expm1", "log", "log1p",
    "logsigmoid", "reciprocal", "relu", "rsqrt", "sigmoid", "sign", "sin", "sinh", "softplus", "sqrt", "square",
    "tan", "tanh",
]  # fmt: skip
NUMBERS = st.one_of(st.integers(0, 4), st.sampled_from([0.5, 0.1, 1.5, 2.25, 1e-3])).map(Number)
NAMES = st.sampled_from("xy").map(Name)
LEAVES = st.one_of(NAMES, NAMES, NUMBERS)
EXPONENTS = st.sampled_from(
    [Number(2), Number(3), Number(0.5), Number(1.5), Unary("-", Number(1)), Unary("-", Number(2))]
)
POINTS = [(0.3, 0.7), (-0.4, 1.3), (1, 2), (2.5, -1.5), (0, 1), (-2, -3), (1, 1), (0.5, 0)]


def _branches(below: SearchStrategy[Expression]) -> SearchStrategy[Expression]:
    conditions = st.builds(Compare, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), below, below)
    cases = st.tuples(conditions, below, below)
    return st.one_of(
        st.builds(Binary, st.sampled_from("+-*/"), below, below),
        st.builds(Binary, st.sampled_from("+*"), below, below),
        st.builds(Binary, st.just("**"), below, st.one_of(EXPONENTS, EXPONENTS, below)),
        st.builds(Unary, st.just("-"), below),
        st.builds(lambda name, x: Call(name, (Argument(x),)), st.sampled_from(FUNCTIONS), below),
        cases.map(lambda parts: Call("where", tuple(map(Argument, parts)))),
    )


def formulas(max_leaves: int = 10) -> SearchStrategy[Expression]:
    return st.recursive(LEAVES, _branches, max_leaves=max_leaves)
