from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.language.names import read_name
from gradcli.render.latex.formulas import Symbols, escaped, symbol
from gradcli.render.latex.pieces import letters

NAMES = st.text(min_size=1, max_size=12).map(read_name).filter(bool)
SAFE = re.compile(
    r"(?:[^\\{}$&#%_^~]|\\[%_#$&{}]|\{''\}|\{[-'`]\}|\\text(?:backslash|asciitilde|asciicircum)\{\}"
    r"|\$(?:[<>|−-]|[_^][0-9]|\\[a-z]+|(?:\\[a-z]+\{)+[A-Za-z]\}+|\\[A-Z][a-z]+)\$)*"
)


@pytest.mark.parametrize(
    ("name", "written"),
    {
        "x": "x", "x1": "x_{1}", "x₁₂": "x_{12}", "theta": r"\theta", "θ": r"\theta", "W_hidden": r"W_{\text{hidden}}",
        "W1_hidden": r"W_{1,\text{hidden}}", "loss": r"\mathit{loss}", "w_ij": "w_{ij}", "lambda_": r"\lambda",
        "ẋ": r"\dot{x}", "alpha_t": r"\alpha_{t}", "_x": r"\text{\_x}", "x__y": r"\text{x\_\_y}", "été": r"\text{été}",
        "вес": r"\text{[U+0432][U+0435][U+0441]}", "h2_1": "h_{2,1}", "x_2d": r"x_{\text{2d}}",
    }.items(),
)  # fmt: skip
def test_names_are_written_as_symbols(name: str, written: str) -> None:
    assert symbol(name) == written


@given(st.text(max_size=40))
def test_no_text_means_anything_to_tex(text: str) -> None:
    assert SAFE.fullmatch(escaped(text)), escaped(text)


@given(st.lists(NAMES, unique=True, max_size=8))
def test_names_keep_apart(names: list[str]) -> None:
    symbols = Symbols(names)
    assert len({symbols[name] for name in names}) == len(names)


def test_long_names_keep_apart_that_begin_alike() -> None:
    symbols = Symbols([f"model_encoder_layers_0_attention_{n}" for n in range(3)])
    assert symbols["model_encoder_layers_0_attention_2"] == r"\text{model\_encoder\_layers\_0\_a\ldots no. 3}"


def test_letters() -> None:
    """As wide as what is read: a backslash before a sign is none, and what stands low is small."""
    assert letters(r"\text{learning\_rate}") == len("learning_rate")
    assert letters(r"\mathit{weight}_{\text{hidden},1}") == 6 + round(0.6 * 8)
    assert letters(r"\alpha_{1}") == 2
    assert letters(r"\operatorname{sum}(g)") == len("sum(g)")
    assert letters(r"X^{\top}\,g") == 4
