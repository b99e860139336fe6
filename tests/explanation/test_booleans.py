"""Booleans among the values: 0 and 1 where a program calculates with them, conditions where it asks for one."""

from __future__ import annotations

import numpy as np
import pytest

import gradcli


@pytest.mark.parametrize("value", [True, np.True_, [True, False], np.array([[True], [False]])])
def test_they_are_numbers_where_a_program_calculates(value: object) -> None:
    explanation = gradcli.explain("sum(x*x + 3*x)", x=value)
    assert explanation.value == 4
    assert np.array_equal(explanation.gradients["x"], 2 * np.asarray(value, float) + 3)


def test_they_are_conditions_where_a_program_asks() -> None:
    explanation = gradcli.explain("sum(where(m, x, 2*x))", x=2.0, m=[True, False])
    assert (explanation.value, explanation.gradients["x"], explanation.gradients.get("m")) == (6, 3, None)


def test_a_column_of_them_has_a_gradient() -> None:
    found = gradcli.columns("k*x")(k=np.array([True, False]), x=np.array([2.0, 3.0]))
    assert (found.value.tolist(), found.gradients["k"].tolist()) == ([2, 0], [2, 3])


def test_a_masked_array_is_no_value() -> None:
    assert gradcli.explain("sum(x)", x=np.ma.array([1.0, 2.0])).value == 3
    with pytest.raises(gradcli.EvaluationError, match="masked in places"):
        gradcli.explain("sum(x)", x=np.ma.array([1.0, 2.0], mask=[False, True]))
