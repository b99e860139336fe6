"""The same seed gives torch's numbers: as they were recorded to be printed, and live where torch can be had."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.errors import AutogradError
from gradcli.script.torch.random.generator import Generator
from tests.script.running import ours, torchs

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
Draw = tuple[str, int, str]  # what, how many numbers, of which dtype
OURS: dict[str, Callable[[Generator, int, np.dtype[Any]], Any]] = {
    "rand": lambda g, n, dtype: g.uniform((n,), dtype),
    "uniform": lambda g, n, dtype: g.uniform((n,), dtype, -0.3, 0.9),
    "randn": lambda g, n, dtype: g.normal((n,), dtype),
    "normal": lambda g, n, dtype: g.normal((n,), dtype, 0.7, 1.3),
    "randint": lambda g, n, dtype: g.integers(-3, 7, (n,)),
    "wide randint": lambda g, n, dtype: g.integers(-(2**40), 2**60, (n,)),
    "randperm": lambda g, n, dtype: g.permutation(n),
    "bernoulli": lambda g, n, dtype: g.bernoulli(0.3, (n,)),
    "chances": lambda g, n, dtype: g.bernoulli(g.uniform((n,), np.dtype(np.float32)), (n,)),
    "exponential": lambda g, n, dtype: g.exponential((n,), dtype, 1.7),
    "random64": lambda g, n, dtype: np.array([g.random64() for _ in range(n)], np.int64),
}


def draw_from_torch(torch: Any, what: str, n: int, dtype_name: str) -> Any:
    """The same draw from torch's default generator, as an array.

    `bernoulli` gets its probability as a tensor, for with a number torch draws otherwise on processors of Intel.
    """
    dtype = getattr(torch, dtype_name)
    theirs: dict[str, Callable[[], Any]] = {
        "rand": lambda: torch.rand(n, dtype=dtype),
        "uniform": lambda: torch.empty(n, dtype=dtype).uniform_(-0.3, 0.9),
        "randn": lambda: torch.randn(n, dtype=dtype),
        "normal": lambda: torch.empty(n, dtype=dtype).normal_(0.7, 1.3),
        "randint": lambda: torch.randint(-3, 7, (n,)),
        "wide randint": lambda: torch.randint(-(2**40), 2**60, (n,)),
        "randperm": lambda: torch.randperm(n),
        "bernoulli": lambda: torch.bernoulli(torch.full((n,), 0.3, dtype=torch.float64)).bool(),
        "chances": lambda: torch.bernoulli(torch.rand(n)).bool(),
        "exponential": lambda: torch.empty(n, dtype=dtype).exponential_(1.7),
        "random64": lambda: torch.stack([torch.empty((), dtype=torch.int64).random_() for _ in range(n)]),
    }
    return theirs[what]().numpy()


SIZES = [1, 2, 3, 5, 15, 16, 17, 20, 31, 32, 100, 1000]

seeds = st.integers(-(2**63), 2**64 - 1) | st.integers(0, 50)
sizes = st.integers(0, 40) | st.sampled_from(SIZES)
draws = st.tuples(st.sampled_from(sorted(OURS)), sizes.filter(bool), st.sampled_from(["float16", "float32", "float64"]))


def draw_ours(generator: Generator, what: str, size: int, dtype: str) -> Any:
    return OURS[what](generator, size, np.dtype(dtype))


def check(numbers: Any, expected: Any) -> None:
    """Numbers agree to seven digits, or to fourteen in double precision: libraries differ in the last one."""
    tolerance = {"float64": 1e-14, "float32": 1e-6, "float16": 2e-3}.get(expected.dtype.name, 0)
    np.testing.assert_allclose(numbers, expected, rtol=tolerance, atol=tolerance / 10)


@given(seeds, draws, draws)
def test_the_same_state_gives_the_same_numbers(seed: int, first: Draw, second: Draw) -> None:
    generator = Generator(seed)
    generator.normal((3,), SINGLE)
    state = generator.get_state()
    numbers = [draw_ours(generator, *draw) for draw in (first, second)]
    generator.manual_seed(0)
    generator.set_state(state)
    assert generator.initial_seed() == seed % 2**64
    for draw, before in zip((first, second), numbers, strict=True):
        assert np.array_equal(before, draw_ours(generator, *draw))


def test_an_unforeseen_seed_can_be_used_again() -> None:
    generator = Generator()
    assert generator.initial_seed() == 67280421310721
    seed = generator.seed()
    assert seed == generator.initial_seed()
    assert generator.random64() == Generator(seed).random64()


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("uniform", ((2,), SINGLE, 2, 1), "uniform_ expects to return a [from, to) range, but found from=2 > to=1"),
        ("normal", ((2,), SINGLE, 0, -1), "normal expects std >= 0.0, but found std -1"),
        ("exponential", ((2,), SINGLE, -1), "exponential_ expects lambda > 0.0, but found lambda=-1"),
        ("permutation", (-1,), "Trying to create tensor with negative dimension -1: [-1]"),
        ("bernoulli", (2, (3,)), "bernoulli_ expects p to be in [0, 1], but got p=2"),
        ("multinomial", (np.arange(3), 1), "multinomial only supports floating-point dtypes for input, got: Long"),
        ("multinomial", (np.ones(3), 0), "cannot sample n_sample <= 0 samples"),
        ("multinomial", (np.ones(3), 4), "cannot sample n_sample > prob_dist.size(-1) samples without replacement"),
        ("multinomial", (-np.ones(3), 1), "probability tensor contains either `inf`, `nan` or element < 0"),
        ("multinomial", (np.zeros(3), 1), "invalid multinomial distribution (sum of probabilities <= 0)"),
    ],
)
def test_refusals_are_in_the_words_of_torch(method: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(AutogradError) as refused:
        getattr(Generator(), method)(*arguments)
    assert refused.value.message == message


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_a_seed_has_64_bits(seed: int) -> None:
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        Generator(seed)


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.mark.slow
@given(seeds, st.lists(draws, max_size=8))
def test_any_row_of_draws_is_that_of_torch(torch: Any, seed: int, row: list[Draw]) -> None:
    generator = Generator(seed)
    assert torch.manual_seed(seed).initial_seed() == generator.initial_seed()
    for draw in row:
        check(draw_ours(generator, *draw), draw_from_torch(torch, *draw))


@pytest.mark.parametrize("seed", [*range(21), 42, 1234])
def test_printed_numbers_are_those_of_torch(seed: int) -> None:
    text = f"import torch\ntorch.manual_seed({seed})\nfor n in {SIZES}:\n    print(torch.randn(n), torch.rand(n))\n"
    assert ours(text) == torchs(text)


@given(seeds, st.sampled_from([np.float32, np.float64]), st.integers(1, 12), st.booleans(), st.data())
def test_choices_are_those_of_torch(
    torch: Any, seed: int, dtype: type, n: int, again: bool, data: st.DataObject
) -> None:
    count = data.draw(st.integers(1, 20 if again else n))
    generator = Generator(seed)
    torch.manual_seed(seed)
    weights = generator.uniform((2, n), np.dtype(dtype), 0.1)
    torch.rand(2, n, dtype=torch.from_numpy(weights).dtype)
    expected = torch.multinomial(torch.from_numpy(weights), count, again)
    assert generator.multinomial(weights, count, again).tolist() == expected.tolist()
