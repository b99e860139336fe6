"""Answers as students type them: each is read as one thing, or not at all."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.homework.submission.answers import Formula, UnreadableError
from gradcli.homework.submission.numerals import Typed
from gradcli.homework.submission.plain.numbers import Comma, comma_of
from gradcli.homework.submission.plain.reading import Plain, Wanted, read_plain
from gradcli.language.parser import parse_expression
from gradcli.source import Source

NAMES = frozenset(("x", "y", "w", "x1", "s"))


def read(text: str, *shape: int, comma: Comma = "") -> Plain:
    return read_plain(text, Wanted("number", shape, values={"x": 3.0}), comma)


def formula(text: str) -> str:
    found = read_plain(text, Wanted("formula", names=NAMES))
    assert isinstance(found.read, Formula)
    return found.text


def refused(text: str, *shape: int, comma: Comma = "") -> str:
    with pytest.raises(UnreadableError) as caught:
        read(text, *shape, comma=comma)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1.234,5", "1234.5"),
        ("12,345,678", "12345678"),
        ("1'234.5", "1234.5"),
        ("0{,}32", "0.32"),
        ("minus 0.32", "-0.32"),
        (r"\num{0.32}", "0.32"),
        ("－０．３２", "-0.32"),
        ("≈ -0,32", "-0.32"),
        ("$0.32$", "0.32"),
        ("**0.32**", "0.32"),
        ("0.32 (rounded)", "0.32"),
        ("0.32;", "0.32"),
        ("-3.282×10^-1", "-3.282e-1"),
        ("-3.282*10**-1", "-3.282e-1"),
        ("**-3.282*10**-1**", "-3.282e-1"),
        ("[0.32]", "0.32"),
        ("(tensor(0.32),)", "0.32"),
        ("2*0.5*0.32 = 0.32", "0.32"),
        ("-1.07316 + 1.5 = 0.42684", "0.42684"),
        ("dq/ds * ds/dx = 0.32", "0.32"),
        ("2*0.16 => 0.32", "0.32"),
        ("6.0 = 2x", "6.0"),
        ("2*4.25 = 8,500", "8.500"),
        ("2*4250 = 8,500", "8500"),
        ("32.5 %", "0.325"),
        (r"$32.5\,\%$", "0.325"),
        ("Answer: 0.32", "0.32"),
        ("I think 0.32", "0.32"),
        ("0.32 because s = 4", "0.32"),
        ("0.32 // chain rule", "0.32"),
        ("Out[3]: 0.32", "0.32"),
        ("<b>0.32</b>", "0.32"),
        ("tensor(0.32).item()", "0.32"),
    ],
)
def test_numbers(text: str, plain: str) -> None:
    found = read(text)
    assert found.text.lower() == plain
    assert isinstance(found.read, Typed)
    assert found.read.value == float(plain)
    assert found.read.digits == len(plain.lstrip("-+0.").partition("e")[0].replace(".", ""))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sqrt(2)/2", 0.5**0.5),
        ("√(2)/2", 0.5**0.5),
        ("2√3", 12**0.5),
        (r"\frac{1}{3}", 1 / 3),
        ("1½", 1.5),
        ("-2 ½", -2.5),
        ("-1 1/2", -1.5),
        ("0.666...", 2 / 3),
        ("-0.1(6)", -1 / 6),
    ],
)
def test_computations_are_exact(text: str, value: float) -> None:
    found = read(text).read
    assert isinstance(found, Typed)
    assert np.isclose(float(found.value), value, rtol=1e-14)
    assert found.unit == 0


PAIR = [0.125, -2.5]
SQUARE = [[1.5, 2], [3, -4]]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.125; -2.5", PAIR),
        ("[0.125, -2.5] (2 entries)", PAIR),
        ("{0.125,-2.5}", PAIR),
        ("[0,125; -2,5]", PAIR),
        ("[1/8, -2.5]", PAIR),
        ("[1.25×10^-1, -2.5]", PAIR),
        (r"\begin{pmatrix}0.125\\-2.5\end{pmatrix}", PAIR),
        ("≈ [0.125, -2.5].", PAIR),
        (r"\langle 0.125, -2.5 \rangle", PAIR),
        (r"\begin{bmatrix} \frac{1}{8} \\ -\frac{5}{2} \end{bmatrix}", PAIR),
        ("0,125 und -2,5", PAIR),
        ("1, 2 und 3", [1, 2, 3]),
        ("[0.125, -2.5] (rounded up)", PAIR),
        (r"\pmatrix{1.5 & 2 \cr 3 & -4}", SQUARE),
        ("[[1.5 2. ]\n [3. -4.]]", SQUARE),
        ("[1.5 2\n3 -4]", SQUARE),
        ("np.array([[1.5, 2], [3, -4]])", SQUARE),
        (r"$\begin{bmatrix} 1.5 & 2 \\ 3 & -4 \end{bmatrix}$", SQUARE),
        (r"\left(\begin{array}{cc} 1{,}5 & 2 \\ 3 & -4 \end{array}\right)", SQUARE),
        ("[[1.5, 3], [2, -4]]^T", SQUARE),
        ("torch.Size([])", []),
    ],
)
def test_tensors(text: str, value: list[float]) -> None:
    found = read(text, *np.shape(value)).read
    assert isinstance(found, Typed)
    assert np.shape(found.value) == np.shape(value)
    assert np.array_equal(found.value, value)


@pytest.mark.parametrize(
    ("text", "shape", "found"),
    [
        ("0.125 - 2.5 - 1.5", (), ()),
        ("0.32", (2,), ()),
        ("0.125 - 2.5", (2,), ()),
    ],
)
def test_another_shape_stays_another(text: str, shape: tuple[int, ...], found: tuple[int, ...]) -> None:
    typed = read(text, *shape).read
    assert isinstance(typed, Typed)
    assert np.shape(typed.value) == found


def test_a_doubtful_comma_is_read_as_the_rest_of_the_hand_in() -> None:
    assert refused("1,234") == "two readings: 1.234 or 1234"
    assert read("1,234", comma="decimal").text == "1.234"
    assert read("1,234", comma="thousands").text == "1234"
    assert refused("1,234*2") == "two readings: 1.234 or 1234"


@pytest.mark.parametrize(
    ("texts", "comma"),
    [
        (["1,234", "7"], ""),
        (["0,32", "12,345,678"], ""),
        (["-3,282·10^-1"], "decimal"),
        (["1.234,5", "0.5"], "both"),
    ],
)
def test_the_comma_of_a_hand_in(texts: list[str], comma: str) -> None:
    assert comma_of(texts) == comma


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0.3 = 0.42", "0.3 is not 0.42"),
        ("0.32 (not 0.4)", ""),
        ("0.3 0.4", ""),
        ("-3e2 +0.25", "two readings: [-3e2, +0.25] or -3e2 + 0.25"),
        ("32,512 %", "two readings"),
        ("0.32 mm", "without a unit"),
        ("NaN", "not a finite number"),
        ("?", ""),
        ("1,2,3", ""),
    ],
)
def test_what_has_no_one_reading(text: str, why: str) -> None:
    assert why in refused(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("(x+1)e^x", "(x+1)*exp(x)"),
        ("e⁻²ˣ", "exp(-2*x)"),
        ("sin x", "sin(x)"),
        ("sin 2x cos x", "sin(2*x)*cos(x)"),
        ("sin²x", "(sin(x))^2"),
        ("sin^2(x)", "(sin(x))^2"),
        (r"\sin^{2}x\cos^{2}(x)", "(sin(x))^2*(cos(x))^2"),
        ("2xe^-x", "2*x*exp(-x)"),
        ("|x|", "abs(x)"),
        ("x(x+1)", "x*(x+1)"),
        ("σ(x)(1-σ(x))", "sigmoid(x)*(1-sigmoid(x))"),
        ("0,5x", "0.5*x"),
        ("1/2 x", "1/2*x"),
        (r"\sin(x)\cdot e^{-x}", "sin(x) * exp(-x)"),
        ("2x.", "2*x"),
        ("2 .* sin.(x) .* cos.(x)", "2*sin(x)*cos(x)"),
        ("2 senx cos2x", "2*sin(x)*cos(2*x)"),
        ("(1-x^2)/〖(1+x^2)〗^2", "(1-x^2)/(1+x^2)^2"),
        (r"\frac{\vec{x}}{2}", "x/2"),
    ],
)
def test_formulas(text: str, plain: str) -> None:
    assert parse_expression(Source(formula(text))) == parse_expression(Source(plain))


@pytest.mark.parametrize("text", ["1-tanh^2(x)", "1 - tanh²x", r"1-\tanh^{2}(x)", "1-tanh^2 x"])
def test_tanh_is_no_tan_of_h(text: str) -> None:
    plain = read_plain(text, Wanted("formula", names=frozenset("xh")))
    assert parse_expression(Source(plain.text)) == parse_expression(Source("1-(tanh(x))^2"))


def test_a_name_behind_a_factor_is_no_end_of_a_function() -> None:
    plain = read_plain("sin2h", Wanted("formula", names=frozenset("xh")))
    assert parse_expression(Source(plain.text)) == parse_expression(Source("sin(2*h)"))


@pytest.mark.parametrize(
    "text", ["1/2x", "x/2y", "1/2(x+1)", "sin x/2", "e^2x", "√2x", "sin^-1 x", "x/(x+1)(x+2)", "2x : (1+x²)"]
)
def test_formulas_with_two_readings_have_none(text: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        formula(text)
    assert "two readings" in str(caught.value)


@pytest.mark.parametrize("text", ["[[1, 2.50], [-3, 0]]", "[ [1, 2.50] , [-3, 0] ]", "{{1, 2.50}, {-3, 0}}"])
def test_a_matrix_is_read_with_the_digits_that_were_typed(text: str) -> None:
    found = read_plain(text, Wanted("number", (2, 2)))
    assert isinstance(found.read, Typed)
    assert not found.differs_from("[[1, 2.50], [-3, 0]]")
    assert found.read.digits.tolist() == [[1, 3], [1, 99]]


@pytest.mark.parametrize("text", ["at x = 3", "f at x = 3", "bei x = 3", "2.5 × 106", "3 × 10-1"])
def test_the_place_and_a_power_that_lost_its_mark_are_no_answer(text: str) -> None:
    refused(text)


def test_products_of_matrices_have_the_shape_of_the_derivative() -> None:
    wanted = Wanted("formula", (2,), frozenset("Ax"), shapes={"A": (2, 2), "x": (2,)})
    assert read_plain("(A + A')*x", wanted).text == "(A + A.T) @ x"
    assert read_plain("A^T (x ∘ σ'(Ax))", wanted).text == "A.T @ (x*(sigmoid(A @ x)*(1 - sigmoid(A @ x))))"


@pytest.mark.parametrize("text", ["Wᵀ δ ⊙ z", "W x + z", "W @ δ", "x ⊙ δ"])
def test_a_formula_whose_sizes_do_not_go_together_is_not_read_as_another(text: str) -> None:
    wanted = Wanted("formula", (3,), frozenset("Wxδz"), shapes={"W": (2, 3), "x": (3,), "δ": (2,), "z": (4,)})
    with pytest.raises(UnreadableError, match="do not go together"):
        read_plain(text, wanted)


@pytest.mark.parametrize(
    ("text", "plain"),
    [("3\\frac{1}{2}", "3 + 1/2"), ("\\operatorname{sgn}(x)", "sign(x)"), ("x/||x||_2", "x/norm(x)")],
)
def test_notations_of_latex(text: str, plain: str) -> None:
    assert formula(text) == plain


def test_bars_between_entries_are_no_absolute_values() -> None:
    assert read("[52,1 | -4,2 | 67,3]", 3, comma="decimal").text == "[52.1, -4.2, 67.3]"
    assert read("[1 2 | 3 -4]", 2, 2).text == "[[1, 2], [3, -4]]"
    assert read("[|-1|, |-2|]", 2).text == "[abs(-1), abs(-2)]"


@pytest.mark.parametrize("text", ["0.4 = 0.5", "0.5 = 0.4", "2.31 ≈ 2.32", "7,5 = 7,6"])
def test_two_numbers_of_as_many_decimals_are_one_or_refused(text: str) -> None:
    assert "write the one that you mean" in refused(text, comma="decimal" if "," in text else "")
    assert read("0.46 = 0.5").text == "0.5"
