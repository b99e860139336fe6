"""Formulas for shapes without numbers, checked at sizes that they were not made from."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from gradcli.errors import GradcliError
from gradcli.explanation.build import explain
from gradcli.explanation.derivatives.total import ones_like_output
from gradcli.explanation.folding import folded
from gradcli.explanation.sizes.generic import explain_at_any_size, formulas_at_any_size
from gradcli.explanation.sizes.merging import Dims
from gradcli.explanation.values import Variables, value_of
from gradcli.language.parser import parse_program
from gradcli.language.unparser import unparse
from gradcli.source import Source
from tests.programs import some

X, W, Y, V, SQUARE = ("n", "d"), ("d",), ("n",), ("d", "k"), ("n", "n")
DATA = {"X": X, "w": W, "y": Y}
PROGRAMS: dict[str, dict[str, tuple[str | int, ...]]] = {
    "mean((X @ w - y)**2)": DATA,
    "sum((X @ w - y)**2)/2": DATA,
    "mse_loss(X @ w, y)": DATA,
    "mean((X @ w - y)**2) + l*sum(w**2)": DATA,
    "mean((X @ w + b - y)**2)": DATA,
    "norm(X @ w - y)**2/n": DATA,
    "mean(abs(X @ w - y))": DATA,
    "mean(log(1 + exp(-y*(X @ w))))": DATA,
    "binary_cross_entropy_with_logits(X @ w, y)": DATA,
    "cross_entropy(x @ W, 1)": {"x": ("d",), "W": ("d", "k")},
    "x @ A @ x": {"x": Y, "A": SQUARE},
    "x @ A @ x/2 - b @ x": {"x": Y, "A": SQUARE, "b": Y},
    "(x - m) @ A @ (x - m)": {"x": Y, "m": Y, "A": SQUARE},
    "norm(X)": {"X": X},
    "sum((X @ w)**2)*mean(t[1:])": {"X": X, "w": W, "t": ("m",)},
    "sum(conv1d(x, M)**2)": {"x": ("m", "d", "k"), "M": ("n", "d", 2)},
    "norm(X @ V)**2": {"X": X, "V": V},
    "sum((X - U @ V)**2)": {"X": X, "U": ("n", "k"), "V": ("k", "d")},
    "sqrt(sum(X**2))": {"X": X},
    "trace(X @ B)": {"X": X, "B": ("d", "n")},
    "trace(X.T @ A @ X)": {"X": X, "A": SQUARE},
    "trace(A @ A)": {"A": SQUARE},
    "logdet(A)": {"A": SQUARE},
    "sum(X @ V @ C)": {"X": X, "V": V, "C": ("k", "m")},
    "sum((A @ B @ C)**2)": {"A": ("n", "d"), "B": ("d", "k"), "C": ("k", "m")},
    "sum(tanh(X @ V) @ c)": {"X": X, "V": V, "c": ("k",)},
    "mean(relu(X @ V + b)**2)": {"X": X, "V": V, "b": ("k",)},
    "mean(X)": {"X": X},
    "mean(X)/9.81": {"X": X},
    "var(x)/1.35": {"x": Y},
    "mean(log(1 + (x/2.3849)**2))": {"x": Y},
    "-mean(x[2:])/0.02585": {"x": Y},
    "sum(mean(X, dim=0)**2)": {"X": X},
    "var(x)": {"x": Y},
    "std(x)*mean(x)": {"x": Y},
    "sum(softmax(X, dim=1)*Z)": {"X": X, "Z": X},
    "sum(softmax(Q @ K.T/sqrt(d), dim=1) @ Z)": {"Q": X, "K": X, "Z": X},
    "sum(scaled_dot_product_attention(Q, K, Z))": {"Q": X, "K": X, "Z": X},
    "sum(linear(X, M, b)**2)": {"X": X, "M": ("k", "d"), "b": ("k",)},
    "sum(x @ V)**2": {"x": W, "V": V},
    "X @ w": {"X": X, "w": W},
    "sum(X @ w + b)": {"X": X, "w": W},
    "dot(a, b)**2": {"a": Y, "b": Y},
    "sum(outer(a, b)*X)": {"a": Y, "b": W, "X": X},
    "sum((X - a[:, None]*b)**2)": {"X": X, "a": Y, "b": W},
    "sum(X.T @ X @ V)": {"X": X, "V": V},
    "mean((relu(X @ V + b) @ M + c - Z)**2)": {
        "X": X,
        "V": V,
        "b": ("k",),
        "M": ("k", "m"),
        "c": ("m",),
        "Z": ("n", "m"),
    },
    "cross_entropy(X @ V + b, P)": {"X": X, "V": V, "b": ("k",), "P": ("n", "k")},
    "-mean(sum(P*log_softmax(X @ V, dim=1), dim=1))": {"X": X, "V": V, "P": ("n", "k")},
    "-sum(t*log(softmax(z)))": {"t": Y, "z": Y},
    "-sum(x)*log(y[0])": {"x": X, "y": Y},
    "tanh(X @ w)/sqrt(d)": {"X": X, "w": W},
    "sum(X @ P)": {"X": X, "P": ("d", 3)},
    "sum(softmax(X, dim=0))": {"X": X},
    "v = 1/(sum(x)**2 + 2.065); x[0]": {"x": Y},
}
EVERY = pytest.mark.parametrize("text", some(PROGRAMS, 4))
SIZES = [{"n": 4, "d": 3, "k": 6, "m": 2}, {"n": 2, "d": 9, "k": 4, "m": 8}]


def drawn(text: str, sizes: dict[str, int]) -> dict[str, Any]:
    """Values at sizes that no formula was made from; a size is also a number, another name is 0.7."""
    draw = np.random.default_rng(len(text))
    found: dict[str, Any] = {}
    for name, shape in PROGRAMS[text].items():
        value = draw.uniform(0.1, 0.9, [size if isinstance(size, int) else sizes[size] for size in shape])
        is_square = shape == SQUARE
        found[name] = value + 3 * np.eye(len(value)) if is_square else value
    missing = Variables.of(parse_program(Source(text))).missing(found)
    return {**{name: float(sizes.get(name, 0.7)) for name in missing}, **found}


@pytest.mark.slow
@EVERY
def test_a_formula_holds_at_other_sizes(text: str) -> None:
    program = parse_program(Source(text))
    dims = {name: Dims(sizes) for name, sizes in PROGRAMS[text].items()}
    general = explain_at_any_size(program, dims, {}, is_traced=False)
    for sizes in SIZES:
        values = drawn(text, sizes)
        upstream = ones_like_output(program, values, None)
        wrt = [leaf.name for leaf in general.leaves]
        right = explain(program, values, wrt=wrt, upstream=upstream)
        named = {name: size for name, size in sizes.items() if name not in PROGRAMS[text]}
        point = {**values, **named, "upstream": upstream}
        for leaf, own in zip(general.leaves, right.leaves, strict=True):
            assert leaf.formula is not None, leaf.name
            names = {**point}
            for x in general.intermediates:
                names[x.name] = value_of(x.expression, names)
            found = np.broadcast_to(value_of(leaf.formula, names), np.shape(own.gradient))
            np.testing.assert_allclose(found, own.gradient, rtol=1e-9, atol=1e-12, err_msg=unparse(leaf.formula))


@pytest.mark.slow
@EVERY
def test_no_number_of_a_size_is_left(text: str) -> None:
    """Every rule and every expression of the derivation is the same whichever sizes it was made from."""
    program = parse_program(Source(text))
    dims = {name: Dims(sizes) for name, sizes in PROGRAMS[text].items()}
    general = folded(explain_at_any_size(program, dims, {}))
    for node in general.nodes:
        written = [unparse(node.expression), *(unparse(local.rule) for local in node.locals)]
        for one in written:
            assert set(re.findall(r"(?<![\w.])\d+(?![\w.])", one)) <= {"0", "1", "2", "3", "4"}, one


@pytest.mark.parametrize(
    ("text", "dims"),
    {
        "mean(x[::2])": {"x": Y},  # n/2 entries, or (n + 1)/2
        "mean(x[1::2]**2)": {"x": Y},
        "mean(avg_pool1d(x, 2)**2)": {"x": ("m", "d", "k")},
        "sum(x[:13]*x[:13])/n": {"x": Y},  # all entries, or 13
    }.items(),
)
def test_what_no_formula_of_sizes_says_is_refused(text: str, dims: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(GradcliError, match="depends on the sizes in more than numbers"):
        explain_at_any_size(parse_program(Source(text)), {name: Dims(sizes) for name, sizes in dims.items()}, {})


def test_as_in_the_matrix_cookbook() -> None:
    expected = {
        ("mean((X @ w - y)**2)", "w"): "2/n*X.T @ (X @ w - y)",
        ("x @ A @ x", "A"): "outer(x, x)",
        ("trace(X @ B)", "X"): "B.T",
        ("norm(X)", "X"): "X/norm(X)",
        ("var(x)", "x"): "2*(x - mean(x))/(n - 1)",
    }
    for (text, name), formula in expected.items():
        dims = {known: Dims(sizes) for known, sizes in PROGRAMS[text].items()}
        general = explain_at_any_size(parse_program(Source(text)), dims, {}, is_traced=False)
        (leaf,) = (leaf for leaf in general.leaves if leaf.name == name)
        assert leaf.formula is not None
        assert unparse(leaf.formula) == formula


def test_second_derivatives() -> None:
    program = parse_program(Source("mean((X @ w - y)**2)"))
    found = formulas_at_any_size(
        program, {name: Dims(sizes) for name, sizes in DATA.items()}, {}, 2, mixed=False, wrt=["w"], of=None
    )
    assert [one.formula and unparse(one.formula) for one in found] == ["2/n*X.T @ X"]


def test_a_size_is_no_variable() -> None:
    with pytest.raises(GradcliError, match="n is a size, and a variable with a shape"):
        explain_at_any_size(parse_program(Source("sum(X) + sum(n)")), {"X": Dims(X), "n": Dims(W)}, {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X @ y", "size mismatch, got input (n), mat (nxd), vec (n)"),
        ("X + y", "The size of tensor a (d) must match the size of tensor b (n) at non-singleton dimension 1"),
    ],
)
def test_shapes_that_do_not_fit_are_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(GradcliError) as raised:
        explain_at_any_size(parse_program(Source(text)), {"X": Dims(X), "y": Dims(Y)}, {})
    assert raised.value.message == message
