"""The gradient of an index formula, as a person would derive it."""

from __future__ import annotations

import pytest

from gradcli.explanation.index.derivation import derivatives, equations
from gradcli.explanation.index.printing import Writer

CASES = [
    ("out[i,k] = Σj a[i,j]·x[j,k]", "∂x[j,k] = Σi a[i,j]·g[i,k]"),
    ("out[i,k] = Σj x[i,j]·b[j,k]", "∂x[i,j] = Σk g[i,k]·b[j,k]"),
    ("out = (Σi x[i])/3", "∂x[i] = g/3"),
    ("out = (Σi (y[i] - x[i])**2)/3", "∂x[i] = -2·(y[i] - x[i])·g/3"),
    ("out[i] = a[i]/x[i]", "∂x[i] = -g[i]·a[i]/x[i]**2"),
    ("out[i] = exp(x[i])", "∂x[i] = g[i]·exp(x[i])"),
    ("out[i,j] = x[j]", "∂x[j] = Σi g[i,j]"),
    ("out[i,k] = x[i,2,k]", "∂x[i,2,k] = g[i,k]"),
    ("out[i] = x[1 + 2·i]", "∂x[1 + 2·i] = g[i]"),
    ("out = Σi x[i,i]", "∂x[i,i] = g"),
    ("out[i] = x[i,t[i]]", "∂x[i,t[i]] = g[i]"),
    ("out[i,j] = x[t[i,j],j]", "∂x[p,j] = Σi g[i,j] where t[i,j] = p"),
    ("out[i,j] = y[i,j] + (Σk x[i,k] where t[i,k] = j)", "∂x[i,k] = g[i,t[i,k]]"),
    ("out[i] = Σj x[j] where j ≤ i", "∂x[j] = Σi g[i] where j ≤ i"),
    ("out[i] = Σk x[i + k - 1]·w[k]", "∂x[p] = Σk g[p - k + 1]·w[k]"),
    ("out[i] = Σk x[2·i + k - 1]·w[k]", "∂x[p] = Σi g[i]·w[p - 2·i + 1]"),
    ("out[i] = Σk x[2·i + 3·k]·w[k]", "∂x[p] = Σi,k g[i]·w[k] where 2·i + 3·k = p"),
    ("out[i] = (Σa<2 x[2·i + a])/2", "∂x[2·i + a] = g[i]/2 for a < 2"),
    ("out[i] = (Σa<2 x[i + a])/2", "∂x[p] = Σa<2 g[p - a]/2"),
    ("out.flat[i] = x.flat[i]", "∂x.flat[i] = g.flat[i]"),
]


@pytest.mark.parametrize(("forward", "gradient"), CASES)
def test_the_gradient_of_a_formula(forward: str, gradient: str) -> None:
    (equation,) = equations(forward)
    assert Writer().equation(equation) == forward
    assert [Writer().equation(found) for found in derivatives(equation, "x", "g")] == [gradient]


@pytest.mark.parametrize("forward", ["out = max_i x[i]", "out = Σi y[i] where x[i] > 0", "out[i] = tanh(x[i])"])
def test_a_formula_of_another_kind_needs_a_gradient_that_is_written(forward: str) -> None:
    (equation,) = equations(forward)
    with pytest.raises(ValueError, match="no derivative"):
        derivatives(equation, "x", "g")


@pytest.mark.parametrize("text", ["out[i] == ", "out[i] = x[i", "3 = x", "out = x y", "out = ·x"])
def test_a_text_that_is_no_formula(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected|unexpected|ends too early|no entry"):
        equations(text)
