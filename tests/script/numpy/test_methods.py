from __future__ import annotations

import pytest

from tests.script.agreement import agree, programs
from tests.script.numpy.test_functions import START
from tests.script.running import ours, torchs


@programs(
    "print(a, b, f, repr(a), repr(f), [a, f], a.dtype, repr(a.dtype), f.dtype == np.float32, a.dtype == float)",
    "print(a.shape, a.ndim, a.size, a.T, len(a), a.nbytes, a.itemsize, a.strides, type(a), isinstance(a, np.ndarray))",
    "print(a + b, a * 2, a @ b, a / 2, a ** 2, -a, a > 2, a == a, 1 - a, 2 ** a, a % 2, a // 2, a & 1, ~(a > 1))",
    "print(a[0], a[:, 1], a[0, 1], a[a > 2], a[[0, 1]], a[-1, ::2], a[None].shape, a[..., np.newaxis].shape)",
    "c = a.copy(); c[0] = 0; c[:, 1] += 10; c *= 2; print(c, a); b -= 0.5; print(b)",
    "print(a.sum(), repr(b.sum()), repr(f.mean()), a.max(axis=0), a.min(1), a.argmax(), b.var(ddof=1), (a > 5).any())",
    "print(a.reshape(3, 2), a.reshape(-1), a.reshape((3, -1)), a.transpose(1, 0), a.swapaxes(0, 1), "
    "a.flatten(), a.ravel())",
    "print(a.tolist(), a.item(0), f[0].item(), a.astype(float), a.astype('int32').dtype, a.astype(np.float32).dtype)",
    "c = np.zeros(2); c.fill(3); d = np.array([3, 1, 2]); d.sort(); print(c, d, 2 in d, d.argsort(), "
    "d.clip(2, 3), d.repeat(2))",
    "print(sum(b), max(b), min(b), sorted(b), list(b), abs(-b), round(b[0], 1), [float(v) for v in b], "
    "int(b[0]), bool(b[0] > 1))",
    "for row in a: print(row, row.sum())\nprint({'a': b}, (f,), [*b])",
    "print(np.float32(1.1), repr(np.float32(1.1)), [np.float64(2.0), np.int64(3), np.bool_(True)], "
    "np.float32(1.1) + 1)",
    "print(type(b[0]), type(a[0, 0]), np.float32, isinstance(b[0], float), isinstance(a[0, 0], "
    "np.integer), type(f[0]) == np.float32)",
    "print(f'{b[0]:.3f} {np.float32(2.5):8.2f} {a[0, 0]:d} {b} {b[0]}', '%.2f' % f[0], '{:.1f}'.format(b.mean()))",
    "print(np.float64(1) / 3, 1.0 * np.int64(3), np.int64(7) // 2, np.float32(3) == 3, {np.int64(1): 2}, "
    "np.int64('5'))",
    "refused(lambda: a + np.ones(2)); refused(lambda: a @ a); refused(lambda: a.reshape(4)); refused(lambda: bool(a))",
    "refused(lambda: a[5]); refused(lambda: b.item()); refused(lambda: np.int64(2) ** 10**30); "
    "refused(lambda: f'{a:.2f}')",
    "X = np.column_stack([np.ones(4), np.arange(4.0)]); y = X @ np.array([1.0, 2.0]); w = np.zeros(2)\n"
    "for i in range(100): w -= 0.1 * (X.T @ (X @ w - y)) / len(y)\nprint(w)",
)  # fmt: skip
def test_arrays_are_numpys(program: str) -> None:
    agree(START + program)


@pytest.mark.parametrize(
    "program",
    [
        "t = torch.from_numpy(b); b[0] = 9; print(t); t[1] = 7; print(b)",
        "print(np.array(torch.ones(2)), np.array([torch.tensor(1.0), 2.0]), torch.ones(2).numpy() + 1, "
        "np.exp(torch.zeros(2)))",
        "x = torch.ones(2, requires_grad=True); refused(lambda: x.numpy()); print(x.detach().numpy())",
    ],
)
def test_tensors_and_arrays_share_memory(program: str) -> None:
    text = f"import torch\n{START}{program}"
    assert ours(text) == torchs(text)


def test_memory_is_shared_without_torch() -> None:
    assert ours("import torch\nt = torch.zeros(2)\nn = t.numpy()\nn[0] = 5\nprint(t)") == "tensor([5., 0.])\n"


@programs(
    "np.array(['a'])", "np.array([print])", "np.array([1], dtype=object)", "np.array([1], 'O')", "np.zeros(3, 'f8,f8')"
)
def test_arrays_hold_numbers(program: str) -> None:
    assert ours(f"import numpy as np\n{program}").startswith("Error: TypeError: ")
