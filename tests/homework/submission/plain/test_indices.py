"""Index notation, `Σ_i (p_i - y_i) x_ij`: what is read has the value that numpy gives, or the reason is told."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from gradcli.engine.tensor import Tensor
from gradcli.homework.submission.answers import Formula, UnreadableError, computed
from gradcli.homework.submission.plain.reading import Wanted, read_plain

SHAPES = {"X": (3, 2), "W": (2, 3), "p": (3,), "y": (3,), "w": (2,), "a": (), "W2": (3, 3)}
VALUES = {name: np.random.default_rng(len(name) + ord(name[0])).normal(size=shape) for name, shape in SHAPES.items()}
AXES = {"X": "nd", "W": "dn", "p": "n", "y": "n", "w": "d", "W2": "nn"}  # of which length each is
WAYS = ("{}_{}", "{}_{{{}}}")


def read(text: str, shape: tuple[int, ...]) -> str:
    return read_plain(text, Wanted("formula", shape, frozenset(SHAPES), shapes=SHAPES)).text


def value(text: str, shape: tuple[int, ...]) -> np.ndarray:
    found = read_plain(text, Wanted("formula", shape, frozenset(SHAPES), shapes=SHAPES)).read
    assert isinstance(found, Formula), text
    return np.asarray(computed(found, {name: Tensor(entry) for name, entry in VALUES.items()}))


@pytest.mark.parametrize("seed", range(60))
def test_a_sum_of_products_at_random_is_what_einsum_gives(seed: int) -> None:
    draw = Random(seed)
    letters = {"n": ["i", "k"], "d": ["j", "l"]}
    factors = [(name, "".join(draw.choice(letters[kind]) for kind in AXES[name]))
               for name in draw.choices([*AXES], k=draw.choice([1, 2, 3]))]  # fmt: skip
    factors = [(name, index) for name, index in factors if len(set(index)) == len(index)] or [("X", "ij")]
    used = sorted({letter for _, index in factors for letter in index})
    free = draw.sample(used, min(len(used), draw.choice([0, 1, 2])))
    bound = [letter for letter in used if letter not in free]
    draw.shuffle(bound)
    expected = np.einsum(
        f"{','.join(index for _, index in factors)}->{''.join(free)}", *(VALUES[n] for n, _ in factors)
    )
    written = [draw.choice(WAYS).format(name, index) for name, index in factors]
    sums = "".join(draw.choice([f"Σ_{n} ", f"\\sum_{{{n}}} ", f"\\sum_{n} ", f"∑_{{{n}=1}}^{draw.choice('nN')} "])
                   for n in bound)  # fmt: skip
    label = f"\\frac{{\\partial L}}{{\\partial V_{{{''.join(free)}}}}} = " if free else ""
    text = label + sums + draw.choice([" ", " \\cdot "]).join(written)
    assert np.allclose(value(text, expected.shape), expected), text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"∂L/∂w_j = \sum_i (p_i - y_i) X_{ij}", VALUES["X"].T @ (VALUES["p"] - VALUES["y"])),
        (r"\sum_{i=1}^{n} (p^{(i)} - y^{(i)}) x_j^{(i)}", VALUES["X"].T @ (VALUES["p"] - VALUES["y"])),
        ("Σ_i (wᵀ x_i − y_i) x_i", VALUES["X"].T @ (VALUES["X"] @ VALUES["w"] - VALUES["y"])),
        ("∑ᵢ (pᵢ − yᵢ) xᵢⱼ", VALUES["X"].T @ (VALUES["p"] - VALUES["y"])),
        (r"\frac{e^{p_i}}{\sum_k e^{p_k}}", np.exp(VALUES["p"]) / np.exp(VALUES["p"]).sum()),
        ("∂p_i/∂z_j = p_i (δ_ij − p_j)", np.diag(VALUES["p"]) - np.outer(VALUES["p"], VALUES["p"])),
        ("∂h_j/∂x_i = (1 − tanh(p_j)²) W2_ji", (1 - np.tanh(VALUES["p"]) ** 2)[:, None] * VALUES["W2"]),
        ("a Σ_k W2_ki p_k", VALUES["a"] * (VALUES["W2"].T @ VALUES["p"])),
        ("w_j/Σ_k w_k", VALUES["w"] / VALUES["w"].sum()),
    ],
)
def test_published_formulas_with_indices(text: str, expected: np.ndarray) -> None:
    assert np.allclose(value(text, expected.shape), expected), text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(p_i - y_i) x_ij", "neither"),
        ("∂L/∂w_j = (p_i - y_i) x_ij", "neither summed over nor in the label: i"),
        ("Σ_{i=2}^n p_i x_ij", "the sum from i = 2 to n"),
        ("Σ_{i=1}^2 p_i x_ij", "the sum from i = 1 to 2"),
        ("Σ_i p_i x_ji", "the index i runs over"),
        ("Σ_{i≠j} p_i x_ij", "a sum over"),
        ("Σ_k p_i x_ij", "k is summed over"),
        ("Σ_i p x_ij", "neither"),
        ("Σ_i p_ij x_ij", "p has 1 axes"),
        ("Σ_i W x_ij", "W stands without"),
    ],
)
def test_indices_that_do_not_fit_are_refused(text: str, why: str) -> None:
    with pytest.raises(UnreadableError, match=why):
        read(text, (2,))
