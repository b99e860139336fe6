"""Eigenvectors and singular vectors with the signs that torch's LAPACK gives them, by its steps one by one.

Golub and Van Loan, Matrix Computations, 5.4 and 8.3. A symmetric matrix becomes tridiagonal by reflections, and then
diagonal by implicit shifts, from that end of the tridiagonal matrix which is smaller; a wide matrix becomes bidiagonal
by reflections and rotations. Which way each of them turns decides the signs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

LARGEST = 25  # rows of a matrix that LAPACK does not divide
TRIES = 30  # steps an eigenvalue may take, which takes about two
SMALL = 1e-122  # below, squares lose digits
TINY = float(np.finfo(np.float64).tiny)


def _reflector(x: Any) -> tuple[Any, float]:
    """Return v and t such that `x - t*v*(v @ x)` is 0 but for its first entry, whose sign it changes."""
    if not x[1:].any():
        return x, 0.0
    x = x / np.max(np.abs(x))  # so that no square vanishes
    rest = np.linalg.norm(x[1:])
    first = -math.copysign(math.hypot(x[0], rest), x[0])
    v = x / (x[0] - first)
    v[0] = 1
    return v, (first - x[0]) / first


def _reflect(A: Any, v: Any, t: float) -> None:
    """Reflect the rows of A in place."""
    A -= np.multiply.outer(t * v, v @ A)


def _rotation(f: float, g: float) -> tuple[float, float, float]:
    """Return c, s and r with `c*f + s*g = r` and `c*g = s*f`."""
    if g == 0:
        return 1.0, 0.0, f
    if f == 0:
        return 0.0, 1.0, g
    r = math.hypot(f, g)
    if abs(f) > abs(g) and f < 0:
        r = -r
    return f / r, g / r, r


def _of_two(a: float, b: float, c: float) -> tuple[float, float, float, float]:
    """Return both eigenvalues of `[[a, b], [b, c]]`, the larger in size first, and the eigenvector of that."""
    total, apart = a + c, a - c
    root = math.hypot(apart, 2 * b)
    side = 1 if total >= 0 else -1
    first = (total + side * root) / 2
    large, small = (a, c) if abs(a) > abs(c) else (c, a)
    second = (large / first) * small - (b / first) * b if total else -root / 2
    turn = 1 if apart >= 0 else -1
    x, y = -2 * b, apart + turn * root
    length = math.copysign(math.hypot(x, y), y if abs(y) > abs(x) else x)
    x, y = (x / length, y / length) if length else (1.0, 0.0)
    return (first, second, -y, x) if side == turn else (first, second, x, y)


@dataclass
class Tridiagonal:
    """A symmetric tridiagonal matrix on its way to a diagonal one, and the rotations so far."""

    diagonal: list[float]
    beside: list[float]
    vectors: Any
    precision: float

    def solve(self) -> None:
        """Make it diagonal, part by part where there are zeros beside the diagonal."""
        low, size = 0, len(self.diagonal)
        while low < size:
            high = next((k for k in range(low, size - 1) if self._is_split(k)), size - 1)
            if high < size - 1:
                self.beside[high] = 0.0
            largest = max(map(abs, self.diagonal[low : high + 1] + self.beside[low:high]))
            scale = 2.0 ** -math.frexp(largest)[1] if 0 < largest < SMALL else 1.0
            self._scale(low, high, scale)
            self._solve(low, high)
            self._scale(low, high, 1 / scale)
            low = high + 1

    def _scale(self, low: int, high: int, scale: float) -> None:
        """Multiply a part, for which a power of 2 rounds nothing."""
        self.diagonal[low : high + 1] = [scale * x for x in self.diagonal[low : high + 1]]
        self.beside[low:high] = [scale * x for x in self.beside[low:high]]

    def _is_split(self, k: int) -> bool:
        a, b = (math.sqrt(abs(self.diagonal[i])) for i in (k, k + 1))
        return abs(self.beside[k]) <= a * b * self.precision

    def _solve(self, low: int, high: int) -> None:
        """Find the eigenvalues of one part one by one, from its smaller end."""
        d = self.diagonal
        at, last = (high, low) if abs(d[high]) < abs(d[low]) else (low, high)
        step = 1 if last > at else -1
        for _ in range(TRIES * len(d)):
            if (last - at) * step < 0:
                return
            end = next((k for k in range(at, last, step) if self._is_small(k, step)), last)
            if end == at:
                at += step
            elif end == at + step:
                self._solve_two(min(at, end))
                at += 2 * step
            else:
                self._shift(at, end, step)
        raise np.linalg.LinAlgError("Eigenvalues did not converge")

    def _is_small(self, k: int, step: int) -> bool:
        d, place = self.diagonal, min(k, k + step)
        if self.beside[place] ** 2 > self.precision**2 * abs(d[k]) * abs(d[k + step]) + TINY:
            return False
        self.beside[place] = 0.0
        return True

    def _solve_two(self, low: int) -> None:
        d = self.diagonal
        d[low], d[low + 1], c, s = _of_two(d[low], self.beside[low], d[low + 1])
        self._rotate(low + 1, low, c, s)
        self.beside[low] = 0.0

    def _shift(self, at: int, end: int, step: int) -> None:
        """Chase a bulge from the end to where the eigenvalue is to be found."""
        d, e = self.diagonal, self.beside
        outer = min(at, at + step)
        g = (d[at + step] - d[at]) / (2 * e[outer])
        g = d[end] - d[at] + e[outer] / (g + math.copysign(math.hypot(g, 1), g))
        s, c, p = 1.0, 1.0, 0.0
        for near in range(end - step, at - step, -step):
            far, place = near + step, min(near, near + step)
            f, b = s * e[place], c * e[place]
            c, s, r = _rotation(g, f)
            if far != end:
                e[min(far, far + step)] = r
            g = d[far] - p
            r = (d[near] - g) * s + 2 * c * b
            p = s * r
            d[far] = g + p
            g = c * r - b
            self._rotate(near, far, c, s)
        d[at] -= p
        e[outer] = g

    def _rotate(self, near: int, far: int, c: float, s: float) -> None:
        v = self.vectors
        v[:, near], v[:, far] = c * v[:, near] - s * v[:, far], s * v[:, near] + c * v[:, far]


def eigenvectors(A: Any, *, lower: bool = True) -> tuple[Any, Any]:
    """Return the eigenvalues of a symmetric matrix, in order, and the eigenvectors; one triangle is read."""
    size = len(A)
    kept = np.tril(A) if lower else np.triu(A)[::-1, ::-1]  # whose upper triangle goes from the other end
    T = kept.astype(np.float64) + np.tril(kept, -1).T
    Q = np.eye(size)
    for k in range(1, size - 1):
        v, t = _reflector(T[k:, k - 1].copy())
        for side in (T[k:], T[:, k:].T, Q[:, k:].T):
            _reflect(side, v, t)
    if not lower:
        T, Q = T[::-1, ::-1], Q[::-1, ::-1]
    precision = float(np.finfo(A.dtype).eps) / 2
    found = Tridiagonal(np.diag(T).tolist(), np.diag(T, -1).tolist(), np.eye(size), precision)
    found.solve()
    values, vectors = np.array(found.diagonal), Q @ found.vectors
    for k in range(size - 1):  # not any order of equal ones
        least = k + int(np.argmin(values[k:]))
        values[[k, least]], vectors[:, [k, least]] = values[[least, k]], vectors[:, [least, k]]
    return values.astype(A.dtype), vectors.astype(A.dtype)


def bidiagonal(A: Any) -> tuple[Any, Any, Any]:
    """Return Q, B and P with `Q @ B @ P[:len(A)] = A`, which has more columns than rows, and B upper bidiagonal."""
    rows = len(A)
    B, Q, P = A.astype(np.float64), np.eye(rows), np.eye(A.shape[1])
    for k in range(rows):
        v, t = _reflector(B[k, k:].copy())
        _reflect(B[:, k:].T, v, t)
        _reflect(P[k:], v, t)
        if k + 2 < rows:
            v, t = _reflector(B[k + 1 :, k].copy())
            _reflect(B[k + 1 :], v, t)
            _reflect(Q[:, k + 1 :].T, v, t)
    for k in range(rows - 1):  # what is below the diagonal goes above it
        c, s, r = _rotation(B[k, k], B[k + 1, k])
        if r * B[k, k] < 0:  # here LAPACK has its newer convention
            c, s = -c, -s
        turn = np.array([[c, s], [-s, c]])
        B[k : k + 2], Q[:, k : k + 2] = turn @ B[k : k + 2], Q[:, k : k + 2] @ turn.T
    return Q, np.diag(np.diag(B)) + np.diag(np.diag(B, 1)[: rows - 1], 1), P
