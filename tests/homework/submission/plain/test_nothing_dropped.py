# ruff: noqa: E501 (lists of phrases)
"""Texts around numbers and formulas: what changes nothing is taken off, what may change the answer never is.

The texts are put together: what stands before, the answer, what stands behind, in several languages.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from gradcli.engine.tensor import Tensor
from gradcli.homework.submission.answers import Formula, UnreadableError, computed
from gradcli.homework.submission.numerals import Typed
from gradcli.homework.submission.plain.reading import Plain, Wanted, read_plain
from gradcli.language.parser import parse_expression
from gradcli.source import Source
from tests.homework.submission.plain.notations import LEAVES, NOTATIONS, Writer, formula_at_random, value_of

BEFORE = """
the answer is|Answer:|my result:|so|thus we get|it is|≈|=|approximately|about|I think|we obtain|therefore
das Ergebnis ist|Antwort:|also|ungefähr|ca.|wir erhalten|somit ergibt sich|rund|es gilt
la réponse est|donc|environ|on obtient|résultat :|c'est|soit|je pense|la dérivée vaut
la respuesta es|entonces|aproximadamente|obtenemos|resultado:|por lo tanto|creo que es
la risposta è|quindi|circa|si ottiene|risultato:|il gradiente vale|dunque
a resposta é|então|cerca de|obtemos|portanto|o resultado é
het antwoord is|dus|ongeveer|we krijgen|resultaat:
odpowiedź to|wynik:|około|otrzymujemy|zatem|czyli|w przybliżeniu
ответ:|получаем|примерно|значит|итак|производная равна|думаю
答案是|结果:|约|所以|因此得到|我认为是|答えは|よって|답은
svaret är|därför|odpověď:|přibližně|cevap:|tulos on
"""
BEHIND = """
(rounded)|by the chain rule|because of the product rule|(see notes)|, I think|(exact)|!|.|(4 digits)|because x = 2|// chain rule
(gerundet)|nach der Kettenregel|wegen der Produktregel|(siehe oben)|, denke ich|auf 4 Stellen gerundet|genau
(arrondi)|par la règle de la chaîne|car x = 2|, je crois|exactement
(redondeado)|por la regla de la cadena|porque x = 2|exactamente
(arrotondato)|per la regola della catena|perché x = 2|esattamente
(arredondado)|pela regra da cadeia|porque x = 2|exatamente
(afgerond)|volgens de kettingregel|omdat x = 2
(w przybliżeniu)|z reguły łańcuchowej|ponieważ x = 2
(округлено)|по правилу цепочки|потому что x = 2
（四舍五入）|因为链式法则|です
"""
SPOILING = r"""
not {}|{} is wrong|anything but {}|{} or 6|either {} or 6|neither {}|no, {}|{} (wrong)|{} if x > 3|{} where x = 3|{} unless x = 0
between 4 and {}|at least {}|at most {}|less than {}|more than {}|>{}|>= {}|< {}|≤{}|≠ {}|!= {}|{} ± 1|4 = {}|{} = 4|does not exist at {}
I do not know = {}|undefined = {}|{} does not exist|{} to 6|{}, 6|{} and 6|{}; 6|6 or {}|page {}|see step {}|question {}|{} points
{} (not sure, maybe 6)|{} except at 0|if x = 2 then {}|{} for x > 0|{} when x < 0|the derivative of {}|half of {}|twice {}|minus of {}|{} too many
nicht {}|{} ist falsch|entweder {} oder 6|kein {}|{} oder 6|weniger als {}|{} falls x > 3|{} stimmt nicht|keine Ahnung, {}|mehr als {}
pas {}|{} est faux|{} ou 6|n'est pas {}|{} si x > 3|moins de {}|je ne sais pas {}|ni {} ni 6
no {}|no es {}|{} o 6|{} es falso|no sé, {}|menos de {}|{} si x > 3
non {}|non è {}|{} o 6|{} è sbagliato|meno di {}|non so {}
não {}|não é {}|{} ou 6|{} está errado|menos de {}
niet {}|geen {}|{} of 6|{} is fout|minder dan {}
nie {}|{} lub 6|nie wiem {}|mniej niż {}
не {}|{} или 6|не знаю {}|меньше {}|{} неверно
{}?|maybe {}|{}, perhaps|vielleicht {}|{} (vermutlich)|peut-être {}|quizás {}|tal vez {}|forse {}|talvez {}|misschien {}|może {}
возможно {}|kanske {}|možná {}|belki {}|也许{}|たぶん{}|~~{}~~|~~{}~~ 6|<s>{}</s> 6|\sout{{{}}}|{} (?)|I guess {}|see {}|siehe {}|{} km|{} kJ/kg|{} kg|{} rad|{} [m/s]|~{}~|{{{}|{})|{} =|rows {}|k = {}|{}^|nearly {}|steps 1 and {}
不是{}|{}或6|不知道{}|小于{}|大于{}|{}不对
"""


def phrases(text: str) -> Iterator[str]:
    for line in text.strip().splitlines():
        yield from line.split("|")


def read(text: str, shape: tuple[int, ...] = ()) -> Plain:
    return read_plain(text, Wanted("number", shape, values={"x": 2.0}))


def formula(text: str) -> str:
    return read_plain(text, Wanted("formula", names=frozenset("x"))).text


@pytest.mark.parametrize("number", ["5", "0.3266", "-12.5", "1.5e-3", "[0.5, -2]"])
def test_harmless_words_change_nothing(number: str) -> None:
    draw = random.Random(number)
    behinds = ["", *phrases(BEHIND)]
    shape = (2,) if number.startswith("[") else ()
    plain = read(number, shape).read
    for before in ["", *phrases(BEFORE)]:
        for behind in draw.sample(behinds, 6):
            found = read(f"{before} {number} {behind}", shape).read
            assert isinstance(found, Typed)
            assert isinstance(plain, Typed)
            assert np.array_equal(found.value, plain.value), (before, behind)
            assert np.array_equal(found.digits, plain.digits), (before, behind)


def test_harmless_words_around_formulas_change_nothing() -> None:
    draw = random.Random(1)
    for before in ["", *phrases(BEFORE)]:
        behind = draw.choice(["", *phrases(BEHIND)])
        found = parse_expression(Source(formula(f"{before} 2x(x+1) {behind}")))
        assert found == parse_expression(Source("2*x*(x + 1)")), (before, behind)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_notation_is_read_as_the_formula_or_the_number_that_it_is(notation: str) -> None:
    points = [{"x": 1.3, "y": 0.7}, {"x": 0.45, "y": 2.2}]
    for seed in range(100):
        draw = random.Random(seed)
        for wanted, leaves in ((Wanted("formula", names=frozenset("xy")), LEAVES), (Wanted("number"), LEAVES[2:])):
            tree = formula_at_random(draw, draw.choice([1, 2, 3]), leaves)
            text = Writer(draw, notation).write(tree)
            try:
                truths = [value_of(tree, at) for at in points]
            except (ArithmeticError, ValueError):
                continue
            found = read_plain(text, wanted).read
            for at, truth in zip(points, truths, strict=True):
                assert isinstance(found, Typed | Formula), text
                value = found.value if isinstance(found, Typed) else computed(found, dict(at))
                assert np.shape(value) == (), text
                assert np.isclose(value, truth), (text, found)


@pytest.mark.parametrize("unit", ["J/kg", "m²/s²", "kg m/s", "N·m", "V/(A s)", "m s^-1", "Ω", r"\,\mathrm{m/s}"])
def test_a_unit_behind_a_number_is_read_where_the_question_names_it(unit: str) -> None:
    named = Wanted("number", values={"x": 2.0}, question=f"Give the slope in {unit}.")
    for number in ("5", "312,5", "1.2·10^3", "2*3 = 6"):
        assert read_plain(f"{number} {unit}", named).text == read(number).text
        with pytest.raises(UnreadableError, match="unit"):
            read(f"{number} {unit}")
    with pytest.raises(UnreadableError):
        read_plain("5 m", Wanted("number", values={"m": 3.0}))


@pytest.mark.parametrize("opens", ["", "(", "[", "{", "(("])
@pytest.mark.parametrize("closes", ["", ")", "]", "}", "))"])
def test_a_bracket_that_is_not_closed_or_not_opened_is_never_dropped(opens: str, closes: str) -> None:
    pairs = ["", "()", "[]", "{}", "(())"]
    if f"{opens}{closes}" in pairs:
        assert read(f"{opens}5{closes}").read == read("5").read
    else:
        with pytest.raises(UnreadableError):
            read(f"{opens}5{closes}")


@pytest.mark.parametrize("text", ["x > 0", "x >= 0", "(x) < 1", "1 < x", "y'", "(x*y)'", "5!", "x!", "(2x)!", "x ="])
def test_a_comparison_a_derivative_and_a_factorial_are_no_formulas(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_plain(text, Wanted("formula", names=frozenset("xy")))


@pytest.mark.parametrize("text", ["3//8", "-3//8", "x//2", "7 // 2"])
def test_a_sign_that_is_a_fraction_in_one_language_and_rounds_in_another_has_two_readings(text: str) -> None:
    for wanted in (Wanted("number", values={"x": 2.0}), Wanted("formula", names=frozenset("x"))):
        with pytest.raises(UnreadableError, match="//"):
            read_plain(text, wanted)


@pytest.mark.parametrize("number", ["5", "0", "0.3266"])
def test_words_that_may_change_the_answer_are_never_dropped(number: str) -> None:
    for phrase in phrases(SPOILING):
        for before in ("", "the answer is ", "= ", "Ergebnis: "):
            text = before + phrase.format(number)
            try:
                found = read(text).read
            except UnreadableError:
                continue
            assert not isinstance(found, Typed) or found.value != float(number), text


@pytest.mark.parametrize("prefix", ["", "m", "k", "M", "c", "n"])
def test_a_unit_that_the_question_does_not_have_is_never_dropped(prefix: str) -> None:
    for unit in [
        "A",
        "V",
        "W",
        "N",
        "J",
        "g",
        "m",
        "s",
        "h",
        "d",
        "l",
        "L",
        "Pa",
        "bar",
        "Hz",
        "K",
        "F",
        "eV",
        "mol",
        "rad",
        "in",
        "ft",
        "lb",
        "min",
        "a",
        "b",
        "t",
    ]:
        for text in (f"5 {prefix}{unit}", f"5{prefix}{unit}", f"5 {prefix}{unit}/s", f"5 [{prefix}{unit}]"):
            with pytest.raises(UnreadableError):
                read(text)


def test_marks_that_negate_or_count_are_never_dropped() -> None:
    for text in ("!5", "= !5", "! 5 !6"):
        with pytest.raises(UnreadableError):
            read(text)
    for text in ("(1) (2)", "{1} {2}"):
        found = read(text, (2,)).read
        assert isinstance(found, Typed)
        assert np.shape(found.value) == (), text


@pytest.mark.parametrize("answer", ["2*x", "3x", "exp(x)"])
def test_formulas_in_such_words_are_never_read(answer: str) -> None:
    plain = parse_expression(Source(formula(answer)))
    for phrase in phrases(SPOILING):
        try:
            found = formula(phrase.format(answer))
        except UnreadableError:
            continue
        assert phrase == "4 = {}" or parse_expression(Source(found)) != plain, phrase


@pytest.mark.parametrize("above", ["x^T y", r"x^\top y", "x_1", "e^{x^T y}", "{x^T y}"])
@pytest.mark.parametrize(
    "below", ["y^T y", r"{\mathbf{y}}^\top y", r"\mathbf{1}^\top e^{y}", r"\|y\| \|x\|", "2 y^T x"]
)
def test_a_product_in_the_braces_of_a_command_is_no_list(above: str, below: str) -> None:
    shapes = {"x": (3,), "y": (3,), "x1": ()}
    wanted = Wanted("formula", (3,), frozenset(shapes), shapes=shapes, size=3)
    names = {
        "x": Tensor(np.array([0.3, -1.2, 0.7])),
        "y": Tensor(np.array([1.5, 0.4, -0.6])),
        "x1": Tensor(np.array(0.3)),
    }

    def value(text: str) -> float:
        return float(np.asarray(computed(as_formula(read_plain(text, replace(wanted, shape=())).read), dict(names))))

    quotient = read_plain(rf"\frac{{{above}}}{{{below}}} x", wanted).read
    expected = value(above) / value(below) * np.array([0.3, -1.2, 0.7])
    assert np.allclose(computed(as_formula(quotient), dict(names)), expected)


@pytest.mark.parametrize("size", [2, 3])
def test_a_star_beside_a_transpose_is_a_product_of_matrices_and_in_numpy_it_is_not(size: int) -> None:
    shapes = {"A": (size, size), "B": (size, size)}
    wanted = Wanted("formula", (size, size), frozenset(shapes), shapes=shapes)
    values = {name: Tensor(np.random.default_rng(size).normal(size=shape)) for name, shape in shapes.items()}
    A, B = (np.asarray(values[name].value) for name in "AB")
    for text, right in (
        ("A^T * B", A.T @ B), ("Aᵀ*B", A.T @ B), ("A'*B", A.T @ B), ("A * B'", A @ B.T), (r"A^\top * B", A.T @ B),
        ("A'.*B", A.T * B), ("A.*B", A * B), ("(A*B).*A", A @ B * A), ("A.T*B", A.T * B), ("A*B", A * B),
        ("A.T @ B * A", A.T @ B * A),
    ):  # fmt: skip
        assert np.allclose(computed(as_formula(read_plain(text, wanted).read), dict(values)), right), text


def as_formula(read: object) -> Formula:
    assert isinstance(read, Formula)
    return read


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.\\overline{3}", 1 / 3), ("0.3\u0305", 1 / 3), ("0.1\\overline{6}", 1 / 6), ("0.1\u03056\u0305", 16 / 99),
     ("12_500", 12500), ("Rational(1, 3)", 1 / 3), ("-Fraction(3, 8)", -3 / 8), ("2 x 0.20", 0.4),
     ("1.25 x 10-4", 1.25e-4), ("-1 x 0.2 = -0.2", -0.2), ("0.4 * 0.593269992 = 0.237307997", 0.237307997)],
)  # fmt: skip
def test_numbers_as_they_are_typed(text: str, number: float) -> None:
    found = read_plain(text, Wanted("number")).read
    assert isinstance(found, Typed)
    assert np.isclose(found.value, number)
    with pytest.raises(UnreadableError):
        read_plain(f"{text} = 7", Wanted("number"))


@pytest.mark.parametrize("entries", [("8", "-14"), ("0.5", "1e-3", "-2"), ("-1", "-2")])
def test_a_vector_in_any_brackets_has_the_entries_typed(entries: tuple[str, ...]) -> None:
    row = " ".join(entries)
    texts = [f"({row})", f"({row})ᵀ", f"({row})^T", f"[{row}]", f"[{'; '.join(entries)}]", f"({', '.join(entries)})"]
    texts += [rf"\binom{{{entries[0]}}}{{{entries[1]}}}"] if len(entries) == 2 else []
    for text in texts:
        found = read_plain(text, Wanted("number", (len(entries),))).read
        assert isinstance(found, Typed)
        assert np.array_equal(found.value, [float(entry) for entry in entries]), text
