"""Signs between tensors, and what stands in place of copies."""

from __future__ import annotations

import pytest

from gradcli.explanation.folding import folded
from gradcli.render.latex.pages import eval_page
from gradcli.render.lesson.page import page
from gradcli.render.text.looks import Asked, Looks
from tests.render.programs import explained

VECTORS = {"x": [1.0, 2.0, 4.0], "t": [1.0, 0.0, -1.0]}


@pytest.mark.parametrize("function", ["layer_norm(x, [3])", "cumsum(x, 0)", "flip(x, [0])", "softmax(x, 0)"])
def test_a_product_of_tensors_is_entry_by_entry_also_behind_a_function(function: str) -> None:
    text = page(explained(f"sum({function}*t)", VECTORS), Looks())
    assert text.startswith(f"sum({function} ⊙ t)")
    assert f"= {function.partition('(')[0]}" in text.partition("Gradients\n")[2], "the gradient by t"


def test_a_copied_number_in_a_product_of_matrices_is_a_number_times_ones() -> None:
    text = page(explained("mean(transpose(h, 0, 1) @ u)", {"h": [[1.0, 2], [3, 4]], "u": [[1.0], [2]]}), Looks())
    assert "(u @ ones((1, 2)))/2" in text
    assert "expand" not in text


def test_the_nodes_of_a_quotient_of_a_number_are_both_named() -> None:
    """torch computes it as `reciprocal(y)*2`."""
    assert "ReciprocalBackward0, MulBackward0" in page(folded(explained("2/y", {"y": 4.0})), Looks())


def test_latex_says_of_g_whether_it_is_a_tensor() -> None:
    fragment = eval_page(explained("sum(E/v)", {"E": [[1.0, 2.0], [3.0, 4.0]], "v": [[2.0], [4.0]]}), Asked())
    assert r"-g \odot E" in fragment


def test_latex_shows_an_image_of_one_channel() -> None:
    fragment = eval_page(explained("sum(relu(x))", {"x": [[[[1.0, -2.0], [0.5, 3.0]]]]}), Asked())
    assert r"\begin{bmatrix} 1 & -2 \\ 0.5 & 3 \end{bmatrix}_{1 \times 1 \times 2 \times 2}" in fragment
