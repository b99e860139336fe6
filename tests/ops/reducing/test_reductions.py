"""Reductions at ties, zeros and sizes of 0 and 1; values and gradients as torch gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from gradcli.engine.backward import grad
from gradcli.engine.tensor import tensor
from gradcli.errors import EvaluationError
from gradcli.explanation.values import value_of
from gradcli.ops.support.surface import OPERATIONS
from tests.ops.gradients import value_and_gradients
from tests.programs import explained

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    ("name", "options", "gradient"),
    [
        ("max", {}, [0.5, 0, 0.5]),
        ("amax", {"dim": 0}, [0.5, 0, 0.5]),
        ("norm", {"p": INF}, [0.5, 0, 0.5]),
    ],
)
def test_who_gets_the_gradient_at_a_tie(name: str, options: dict[str, Any], gradient: list[float]) -> None:
    assert value_and_gradients(name, [2, 1, 2], **options)[1] == gradient


def test_a_nan_is_the_largest_entry() -> None:
    value, gradient = value_and_gradients("max", [1, NAN, 2])
    assert (math.isnan(value), gradient) == (True, [0, 1, 0])


@pytest.mark.filterwarnings("ignore:.*degrees of freedom is <= 0:UserWarning")
@pytest.mark.parametrize(
    ("name", "options", "x", "value", "gradient"),
    [
        ("norm", {"p": 3}, [0, 0], 0, [0, 0]),
        ("norm", {"p": 0.5}, [0, 4], 4, [0, 1]),
        ("norm", {"p": 0}, [0, -2, 3], 2, [0, 0, 0]),
        ("var", {}, [2], NAN, [NAN]),
        ("prod", {}, [0, 2, 3], 0, [6, 0, 0]),
        ("cumprod", {"dim": 0}, [2, 0, 4], [2, 0, 0], [1, 10, 0]),
        ("sum", {"dim": 0}, 3, 3, 1),
        ("cumsum", {"dim": 0}, 3, 3, 1),
        ("softmax", {"dim": 0}, [1000, -1000], [1, 0], [0, 0]),
    ],
)
def test_edges(name: str, options: dict[str, Any], x: Any, value: Any, gradient: Any) -> None:
    found = value_and_gradients(name, x, **options)
    np.testing.assert_allclose(found[0], value, rtol=1e-15)
    np.testing.assert_allclose(found[1], gradient, rtol=1e-15)


@pytest.mark.parametrize(
    ("name", "options", "weighted", "second"),
    [
        ("prod", {}, [1, 2, 3], [12, 3, 2]),
        ("prod", {"dim": 0}, [1, 2, 3], [12, 3, 2]),
        ("cumprod", {"dim": 0}, [1, 2, 3], [14, 4, 2]),
    ],
)
def test_products_have_second_derivatives_at_a_zero(
    name: str, options: dict[str, Any], weighted: list[float], second: list[float]
) -> None:
    x = tensor(np.array([0.0, 2, 3]), requires_grad=True)
    out = OPERATIONS[name](x, **options)
    (first,) = grad([out], [x], [np.ones(out.shape)], create_graph=True)
    assert first is not None
    (found,) = grad([first], [x], [np.array(weighted)])
    assert found is not None
    assert found.value.tolist() == second


def test_the_formula_of_a_running_product_holds_at_a_zero_too() -> None:
    (leaf,) = explained("W = [2, 3, 4]; sum(cumprod(W, 0))").leaves
    assert leaf.formula is not None
    np.testing.assert_array_equal(value_of(leaf.formula, {"W": np.array([2.0, 0, 4])}), [1, 10, 0])


def test_the_forms_of_the_correction_agree() -> None:
    x = [1.0, 2.0, 4.0]
    forms: list[dict[str, Any]] = [{"unbiased": False}, {"correction": 0}, {"arguments": (False,)}]
    assert len({str(value_and_gradients("var", x, **form)) for form in forms}) == 1


def test_a_norm_that_is_no_vector_norm_is_refused() -> None:
    with pytest.raises(EvaluationError) as refused:
        OPERATIONS["norm"]([1.0], p="nuc")
    assert "inf" in refused.value.help
