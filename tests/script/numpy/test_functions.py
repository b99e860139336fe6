"""The numpy of snippets prints what numpy prints."""

from __future__ import annotations

import numpy as np
import pytest

from tests.script.agreement import REFUSED, agree, limited, programs
from tests.script.running import ours

START = f"""import numpy as np
{REFUSED}
a = np.array([[1, 2, 3], [4, 5, 6]])
b = np.array([1.5, 2.5, 3.5])
f = np.array([1, 2], dtype=np.float32)
"""
UNARY = (
    "exp expm1 log log2 log1p sin cos tan arctan sinh tanh sqrt cbrt square abs sign floor ceil rint isnan isfinite "
    "negative reciprocal degrees sum mean std var prod min max argmin argmax any all median cumsum cumprod ravel "
    "squeeze flip sort argsort unique diff round nonzero argwhere atleast_2d count_nonzero nansum ptp average transpose"
)


@pytest.mark.parametrize("name", UNARY.split())
def test_functions_of_one_array(name: str) -> None:
    agree(f"{START}print(np.{name}(b), np.{name}(f), np.{name}([3, 1, 2]), repr(np.{name}(a)))")


@programs(
    "print(np.maximum(a, 3), np.minimum(1, 2), np.power(2, 3), np.add(a, b), np.divide(1, b), np.arctan2(1.0, b))",
    "print(np.where(a > 2, a, 0), np.where(a > 4), np.clip(a, 2, 4), np.clip(b, None, 2), np.isclose(1, 1 + 1e-9))",
    "print(np.allclose(b, b), np.array_equal(a, a + 1), np.logical_and(a > 1, a < 5), np.greater(a, 2))",
    "print(np.dot(b, b), np.matmul(a, b), np.outer(b, b), np.inner(b, b), np.kron([1, 2], [1, 1]), np.vdot(b, b))",
    "print(np.concatenate([a, a]), np.concatenate([a, a], axis=1), np.stack([b, b]), np.vstack([b, b]), "
    "np.hstack([b, b]))",
    "print(np.column_stack([b, b]), np.split(np.arange(4), 2), np.array_split(b, 2))",
    "print(np.reshape(a, (3, 2)), np.reshape(a, -1), np.expand_dims(b, 0), np.swapaxes(a, 0, 1), np.moveaxis(a, 0, 1))",
    "print(np.sum(a, axis=0), np.mean(a, 1), np.max(a, axis=1, keepdims=True), np.std(b, ddof=1), "
    "np.sum(a, dtype=float))",
    "print(np.percentile(b, 50), np.quantile(b, [0.25, 0.5]), np.unique([1, 1, 2], return_counts=True), np.roll(b, 1))",
    "print(np.tile([1, 2], 2), np.repeat([1, 2], [1, 2]), np.diag([1, 2]), np.diag(np.eye(2)), np.trace(np.eye(3)))",
    "print(np.diagflat(b), np.diagflat([[1, 2], [3, 4]], 1), np.diagflat(b.reshape(-1, 1)) - np.outer(b, b))",
    "print(np.meshgrid([1, 2], [3, 4]))",
    "print(np.triu(a), np.tril(a, -1), np.broadcast_to(b, (2, 3)), np.polyval([1, 2], 3))",
    "print(np.zeros(3), np.ones((2, 2)), np.zeros((2, 3), dtype=int), np.arange(5), np.arange(0, 1, "
    "0.25), np.arange(5, 1, -2))",
    "print(np.linspace(0, 1, 5), np.linspace(0, 1, 3, dtype=np.float32), np.logspace(0, 2, 3), "
    "np.eye(2), np.eye(2, 3, 1))",
    "print(np.full((2,), 7), np.full(2, 1.5), np.zeros_like(a), np.ones_like(b), np.full_like(b, 3), "
    "np.identity(2), np.tri(2))",
    "print(np.array(5), np.array([]), np.array([True, False]), np.array((1, 2.0)), np.array(range(3)), "
    "np.asarray(b) is b)",
    "print(np.array([b, b]).shape, np.array([np.float32(1), 2]), np.array(1, ndmin=2), np.array(a, dtype=float))",
    "print(np.linalg.norm(b), np.linalg.inv(np.array([[2.0, 0], [0, 4]])), np.linalg.det(np.eye(2)), "
    "np.linalg.norm(a, axis=1))",
    "print(np.linalg.solve(np.eye(2), np.ones(2)), *np.linalg.eigh(np.diag([1.0, 2.0])), np.linalg.matrix_rank(a))",
    "try: np.linalg.inv(np.zeros((2, 2)))\nexcept np.linalg.LinAlgError as e: print('singular', e)",
    "try: np.testing.assert_allclose([1.0, 2.0], [1.0, 2.1], rtol=1e-3)\nexcept AssertionError as e: print(e)",
    "np.testing.assert_allclose(b, b); np.testing.assert_array_equal(a, a); print(np.pi, np.e, np.inf, np.nan)",
    "np.set_printoptions(precision=2, suppress=True); print(np.array([1.23456, 1e-10]))",
    "print(np.finfo(np.float32).eps, np.iinfo(np.int64).max, np.isscalar(3), np.arange(1001))",
    "refused(lambda: np.array([[1], [1, 2]])); refused(lambda: np.concatenate([a, b])); refused(lambda: np.zeros(-1))",
    "refused(lambda: np.add(a, np.ones(2))); refused(lambda: np.matmul(a, a)); refused(lambda: np.reshape(a, 4))",
    "refused(lambda: np.zeros(range(10**6))); refused(lambda: np.random.rand(*[1] * 65))",
)  # fmt: skip
def test_functions_are_numpys(program: str) -> None:
    agree(START + program)
    np.set_printoptions(precision=8, suppress=False)


@pytest.mark.slow
@programs(
    "np.zeros(10**12)",
    "np.zeros((10**6, 10**6))",
    "np.arange(10**12)",
    "np.linspace(0, 1, 10**12)",
    "np.add(np.zeros((10**6, 1)), np.zeros((1, 10**6)))",
    "np.where(np.zeros((10**6, 1)), np.zeros((1, 10**6)), 0)",
    "np.clip(np.zeros((10**6, 1)), np.zeros((1, 10**6)), None)",
    "np.outer(np.zeros(10**6), np.zeros(10**6))",
    "np.dot(np.zeros((10**6, 1)), np.zeros((1, 10**6)))",
    "np.matmul(np.ones((4000, 4000), dtype=int), np.ones((4000, 4000), dtype=int))",
    "np.zeros(10**6).repeat(10**6)",
    "np.tile(np.zeros(10**6), 10**6)",
    "np.broadcast_to(0, (10**6, 10**6))",
    "x = [0] * 1000; [x := [x] * 1000 for _ in range(2)]; np.array(x)",
    "np.random.rand(10**6, 10**6)",
    "np.random.normal(size=10**12)",
    "np.random.normal(np.zeros(10**4), size=(10**4, 10**4))",
    "np.random.default_rng(0).integers(5, size=10**12)",
    "np.random.permutation(10**12)",
    "np.random.choice(10**12, 5)",
    "np.diag(np.zeros(10**6))",
    "np.diagflat(np.zeros((1000, 1000)))",
    "np.triu(np.zeros(10**6))",
    "np.meshgrid(np.zeros(10**5), np.zeros(10**5))",
    "np.eye(10**6)",
    "np.linalg.inv(np.eye(2000))",
    "np.concatenate([np.zeros(10**7)] * 100)",
    "np.array_split(np.zeros(2), 10**9)",
    "np.full((10**5, 10**5), 1)",
)
def test_sizes_are_measured_before_memory_is_taken(program: str) -> None:
    limited(f"import numpy as np\n{program}")


@pytest.mark.parametrize(
    "call", ["np.diag(a, {})", "np.diagonal(a, {})", "np.trace(a, {})", "a.diagonal(offset={})", "a.trace({})"]
)
def test_no_offset_reads_other_memory(call: str) -> None:
    agree(f"{START}print({call.format(1 - 2**31)}, {call.format(2**31 - 1)})")
    least, nearly = (call.format(offset) for offset in ("-(2**31)", 1 - 2**31))
    assert ours(f"{START}print(np.array_equal({least}, {nearly}))") == "True\n"
