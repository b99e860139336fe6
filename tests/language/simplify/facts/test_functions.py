"""What is said of functions is true of the engine's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli.ops
from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_expression
from gradcli.language.simplify.algebra.functions import Builder
from gradcli.language.simplify.facts.functions import (
    ELEMENTWISE,
    LINEAR,
    NONNEGATIVE,
    OPERATORS,
    PARTIAL,
    PASSING,
)
from gradcli.language.simplify.facts.shapes import RULES
from gradcli.language.simplify.reading import Reader
from gradcli.language.tree import fold
from gradcli.ops.support.surface import OPERATIONS
from gradcli.source import Source

gradcli.ops.load()

POINT: dict[str, Any] = {
    "v": np.array([0.5, -1.5, 2]),
    "u": np.array([0.25, 0.75]),
    "M": np.array([[1, 0.5, -2], [0.25, 3, 1.5]]),
    "N": np.array([[2, -1], [0.5, 1], [1, 4]]),
    "S": np.array([[0.5, -1], [2, 0.25]]),
    "s": np.float64(0.5),
}
GRID = np.array([-3, -1.5, -0.6, 0, 0.3, 0.5, 0.99, 1.5, 4])
ARGUMENTS = {
    "addcdiv": "{}, 0.5, 2",
    "addcmul": "{}, 0.5, 2",
    "atan2": "{}, 0.5",
    "clamp": "{}, -1, 1",
    "clamp_max": "{}, 1",
    "clamp_min": "{}, 1",
    "hypot": "{}, 0.5",
    "lerp": "{}, 0.5, 2",
    "logaddexp": "{}, 0.5",
    "masked_fill": "{}, x > 100, 0",
    "maximum": "{}, 0.5",
    "minimum": "{}, 0.5",
    "prelu_kernel": "{}, 0.5",
    "threshold": "{}, 0.5, 2",
    "where": "{} > 0, {}, 2",
    "xlogy": "{}, 0.5",
}
OF_NAN = {"linear": "linear(x, M)", "det": "det(S*x[0])", "dot": "dot(x, v)", "mse_loss": "mse_loss(x, v)"}
CALLS = {
    "@": ["M @ N", "M @ v", "v @ N", "v @ v", "reshape(M, (1, 2, 3)) @ N", "M @ reshape(N, (1, 3, 2))"],
    ".T": ["M.T", "v.T"],
    ".mT": ["M.mT", "reshape(M, (3, 2, 1)).mT"],
    "clone": ["clone(M)"],
    "diagonal": ["diagonal(S)"],
    "diagonal_backward": ["diagonal_backward(u, shape=(2, 2))"],
    "layer_norm": ["layer_norm(v, (3,))"],
    "rms_norm": ["rms_norm(v, (3,))"],
    "det": ["det(S)"],
    "inverse": ["inverse(S)"],
    "linear": ["linear(v, M)", "linear(v, M, u)", "linear(N.T, M, u)"],
    "logdet": ["logdet(S)"],
    "safe_softmax": ["safe_softmax(M, dim=1)"],
    "amax": ["amax(M, dim=1)", "amax(M, (0, 1))"],
    "amin": ["amin(M, dim=(0, 1), keepdim=True)", "amin(M, 1)"],
    "max": ["max(M)"],
    "min": ["min(v)"],
    "transpose": ["transpose(M, 0, 1)", "transpose(reshape(M, (1, 2, 3)), 0, 2)"],
    "cumsum": ["cumsum(M, dim=1)"],
    "detach": ["detach(M)"],
    "diag": ["diag(S)"],
    "expand": ["expand(s, (2, 3))", "expand(v, (2, 3))"],
    "eye": ["eye(2, 3)", "eye(2)"],
    "flip": ["flip(v, (0,))"],
    "index_backward": ["index_backward(u, [0, 2], shape=(3,), dims=(0,))"],
    "log_softmax": ["log_softmax(M, dim=1)"],
    "logsumexp": ["logsumexp(M, dim=0)", "logsumexp(M, dim=1, keepdim=True)"],
    "Index": ["v[0]", "M[-1, 2]", "M[1]"],
    "mean": ["mean(M)", "mean(M, dim=0)", "mean(M, dim=-1, keepdim=True)"],
    "norm": ["norm(M)", "norm(M, dim=1)"],
    "one_hot": ["one_hot(2, 4)", "one_hot([0, 2], 3)"],
    "ones_like": ["ones_like(M)"],
    "outer": ["outer(u, v)"],
    "permute": ["permute(M, (1, 0))"],
    "prod": ["prod(M)", "prod(M, dim=1)"],
    "reshape": ["reshape(M, (3, 2))", "reshape(M, (-1,))"],
    "roll": ["roll(v, 1)"],
    "select_backward": ["select_backward(s, shape=(3,), dim=0, index=1)"],
    "slice_backward": ["slice_backward(u, shape=(3,), dim=0, start=1, stop=3)"],
    "softmax": ["softmax(M, dim=1)"],
    "squeeze": ["squeeze(reshape(v, (3, 1)), 1)"],
    "std": ["std(M)", "std(M, dim=1)"],
    "sum": ["sum(M)", "sum(M, dim=0)", "sum(M, dim=(0, 1), keepdim=True)", "sum(M, 0)"],
    "trace": ["trace(S)"],
    "unsqueeze": ["unsqueeze(v, 0)", "unsqueeze(M, dim=-1)"],
    "var": ["var(M)", "var(M, dim=0)"],
    "zeros": ["zeros((2, 3))"],
    "zeros_like": ["zeros_like(M)"],
}


def evaluated(text: str, **point: Any) -> Any:
    return np.asarray(value_of(parse_expression(Source(text)), {**POINT, **point}))


def of(name: str, letter: str) -> str:
    return f"{name}({ARGUMENTS.get(name, '{}').replace('{}', letter)})"


def test_every_function_exists() -> None:
    assert ELEMENTWISE | (LINEAR.keys() | RULES.keys() | NONNEGATIVE) - {"@", ".T", ".mT", "Index"} <= OPERATIONS.keys()
    assert PARTIAL <= ELEMENTWISE
    assert LINEAR.keys() | RULES.keys() == CALLS.keys()


@pytest.mark.parametrize("name", sorted(ELEMENTWISE))
def test_they_work_entry_by_entry(name: str) -> None:
    whole = evaluated(of(name, "x"), x=GRID)
    one_by_one = [evaluated(of(name, "x"), x=np.float64(x)) for x in GRID]
    np.testing.assert_array_equal(whole, one_by_one)
    assert np.isfinite(whole).all() or name in PARTIAL | {"acosh"}


@pytest.mark.parametrize("name", sorted(PASSING - (LINEAR.keys() - {"sum", "mean"})))
def test_nan_passes(name: str) -> None:
    options = ", dim=0" if name in ("log_softmax", "softmax", "logsumexp") else ""
    text = f"{name}(x{options})" if name in RULES or options else of(name, "x")
    text = {**OF_NAN, "where": "where(v > 0, x, x)"}.get(name, text)
    if name.startswith("conv"):
        sizes = (1, 1, *(1 for _ in range(int(name[-2]) - 1)))
        text = f"{name}(reshape(x, {(*sizes, 3)}), reshape(x, {(*sizes, 3)}))"
    assert np.isnan(evaluated(text, x=np.array([np.nan, 1, 2]))).any()


@pytest.mark.parametrize("name", sorted(NONNEGATIVE))
def test_they_are_never_negative(name: str) -> None:
    options = ", dim=0" if name == "softmax" else ""
    found = evaluated(f"{name}(x{options})", x=GRID)
    assert not (found < 0).any()


@pytest.mark.parametrize("name", sorted(LINEAR))
def test_a_number_comes_out_of_linear_functions(name: str) -> None:
    for text in CALLS[name]:
        for letter in [x for position, x in enumerate("MNSvus") if x in text][: len(LINEAR[name])]:
            once, twice = evaluated(text), evaluated(text, **{letter: 3 * POINT[letter]})
            factor = 9 if f"{letter} @ {letter}" in text else 3
            np.testing.assert_allclose(twice, factor * once, rtol=1e-12)


@pytest.mark.parametrize("text", [text for name in RULES for text in CALLS[name]])
def test_shapes_are_those_of_the_results(text: str) -> None:
    shapes = {name: np.shape(x) for name, x in POINT.items()}
    reader = Reader(Builder(), shapes)
    found = fold(parse_expression(Source(text)), reader.combine)
    if "-1,)" not in text:
        assert not found.extent.unknown
        assert found.extent.shape == evaluated(text).shape


def test_operators_are_functions_too() -> None:
    for operator in OPERATORS:
        assert evaluated(f"M {operator} 2").shape == POINT["M"].shape
