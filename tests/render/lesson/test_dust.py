"""What rounding leaves of gradients that cancel is 0 on pages, and other entries are what they are."""

from __future__ import annotations

import numpy as np

from gradcli.render.lesson.page import page
from gradcli.render.text.looks import Looks
from tests.render.programs import explained


def test_a_gradient_that_cancels_is_zero_in_the_list_of_gradients() -> None:
    explanation = explained("d = a*b - c**2; r = sqrt(d)/(a + b)", {"a": 3, "b": 2, "c": 1})
    gradients = page(explanation, Looks()).partition("Gradients\n")[2]
    assert abs(float(next(x.gradient for x in explanation.leaves if x.name == "a") or 0)) > 0
    assert "(a + b)**2)  = 0\n" in gradients


def test_an_entry_that_cancels_is_zero_beside_others() -> None:
    explanation = explained("sum(x*c + x*d)", {"x": [1.0, 2.0], "c": [0.1 + 0.2, 1.0], "d": [-0.3, 1.0]})
    assert explanation.rests == {"x"}
    np.testing.assert_array_equal(explanation.without_dust("x", explanation.node("x").grad), [0, 2])
    assert "= [0, 2]" in page(explanation, Looks())
