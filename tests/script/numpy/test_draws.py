from __future__ import annotations

from tests.script.agreement import REFUSED, agree, programs


@programs(
    "print(np.random.rand(), np.random.rand(2), np.random.randn(2, 2), np.random.random(2), np.random.random_sample())",
    "print(np.random.randint(0, 10, 3), np.random.randint(5), np.random.randint(3, size=(2, 2)), "
    "np.random.permutation(5))",
    "print(np.random.normal(0, 1, 2), np.random.normal(size=(2,)), np.random.uniform(-1, 1, size=2), "
    "np.random.standard_normal(2))",
    "print(np.random.choice([1, 2, 3], 2), np.random.choice(5), np.random.choice(3, size=2, p=[0.1, 0.2, 0.7]))",
    "x = np.arange(4); np.random.shuffle(x); y = [1, 2, 3]; np.random.shuffle(y); print(x, y, "
    "np.random.permutation(x))",
    "print(np.random.poisson(3, 2), np.random.binomial(5, 0.5), np.random.exponential(2.0))",
    "g = np.random.default_rng(42); print(g.random(), g.normal(size=2), g.integers(0, 10, size=3), "
    "g.standard_normal(2))",
    "g = np.random.default_rng(1); print(g.uniform(0, 1, 2), g.choice([1, 2, 3]), g.permutation(4), "
    "g.integers(5), g.random((2, 2)))",
    "r = np.random.RandomState(1); print(r.rand(2), r.randn(1), np.random.multivariate_normal([0, 0], "
    "[[1, 0], [0, 1]]))",
    "refused(lambda: np.random.randint(2, 1)); refused(lambda: np.random.choice([])); "
    "refused(lambda: np.random.normal(0, -1))",
)  # fmt: skip
def test_seeded_numbers_are_numpys(program: str) -> None:
    agree(f"import numpy as np{REFUSED}np.random.seed(0)\n{program}")
