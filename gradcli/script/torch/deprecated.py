"""Functions that torch keeps beside newer ones, such as `torch.svd` and `torch.range`, or for complex numbers alone."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from gradcli.engine.modes import mode, warn_once
from gradcli.engine.primitive import OUT
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.indexing.entries import named
from gradcli.ops.reducing.distances import cdist
from gradcli.ops.support.calling import ops
from gradcli.ops.support.covering import as_node
from gradcli.ops.support.forgetting import forgotten
from gradcli.ops.support.pairs import ReturnType
from gradcli.script.machine import running
from gradcli.script.torch.operations.forward import refuse_forward
from gradcli.script.torch.outdated import CHOLESKY, QR, RANGE
from gradcli.script.torch.tensor.options import made, number, read_options, row
from gradcli.script.torch.tensor.spacing import check_step


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> ReturnType:
    """Factor as torch.linalg.svd, but do not transpose the last factor."""
    U, S, Vh = ops.svd(input, full_matrices=not some)
    return ReturnType("svd", U=U, S=S, V=ops.mT(Vh))


def qr(input: Tensor, some: bool = True) -> ReturnType:
    warn_once(QR)
    return ops.qr(input, "reduced" if some else "complete")  # type: ignore[no-any-return]


def cholesky(input: Tensor, upper: bool = False) -> Any:
    refuse_forward("cholesky", input)
    warn_once(CHOLESKY)
    try:
        found = ops.cholesky(input, upper)
    except AutogradError as error:
        raise AutogradError(error.message.replace("linalg.cholesky", "cholesky", 1), code=error.code) from None
    return as_node(found, "CholeskyBackward0", saves=(OUT,))


def pinverse(input: Tensor, rcond: float = 1e-15) -> Any:
    return ops.pinv(input, rcond)


def range_(start: Any = 0, end: Any = None, step: Any = 1, **keywords: Any) -> Tensor:
    """Return evenly spaced numbers, the end included."""
    warnings.warn(RANGE, UserWarning, stacklevel=2)
    first, last = (0, start) if end is None else (start, end)
    first, last, step = (number("range", "start", value, 1) for value in (first, last, step))
    check_step(first, last, step)
    count = math.floor((last - first) / step) + 1
    running.machine.budget.fits(count, "the tensor")
    options = read_options("range", keywords)
    return row((first + np.arange(count) * step).astype(options.real), options)


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Any:
    """Return the powers of each entry of a vector in a row; in torch.linalg they increase."""
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.shape[0] if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    running.machine.budget.fits(count * x.shape[0], "the tensor")
    powers = np.arange(count) if increasing else np.arange(count)[::-1].copy()
    return ops.pow(ops.unsqueeze(x, -1), Tensor(powers))


def msort(input: Tensor) -> Any:
    return ops.sort(input, 0).values


def pdist(input: Tensor, p: float = 2.0) -> Any:
    """Return the distances of each row from the later rows."""
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    rows, columns = np.triu_indices(input.shape[0], 1)
    between = named(cdist, "PdistBackward0", saves=())(input, input, p=p)
    found = between[Tensor(rows), Tensor(columns)]
    return as_node(found, "PdistBackward0", saves=(OUT,))


def nuclear_norm(input: Tensor, keepdim: bool = False) -> Any:
    return ops.matrix_norm(input, "nuc", (-2, -1), keepdim)


def _window(name: str, shape: Any) -> Any:
    """Make `torch.hann_window` or another window: weights that fall off at both ends."""

    def make(window_length: int, periodic: bool = True, **keywords: Any) -> Tensor:
        options = read_options(name, keywords)
        running.machine.budget.fits(window_length, "the window")
        if window_length <= 1:
            return made(np.ones(window_length, options.real), options)
        turns = 2 * math.pi * np.arange(window_length) / (window_length if periodic else window_length - 1)
        return made(shape(turns).astype(options.real), options)

    return make


hann_window = _window("hann_window", lambda turns: 0.5 - 0.5 * np.cos(turns))
hamming_window = _window("hamming_window", lambda turns: 0.54 - 0.46 * np.cos(turns))
bartlett_window = _window("bartlett_window", lambda turns: 1 - np.abs(turns / math.pi - 1))
blackman_window = _window("blackman_window", lambda turns: 0.42 - 0.5 * np.cos(turns) + 0.08 * np.cos(2 * turns))


def isreal(input: Tensor) -> Tensor:
    return Tensor(np.ones(input.shape, np.bool_)[()])


def real(input: Tensor) -> Tensor:
    return input


conj = conj_physical = resolve_conj = resolve_neg = real


def imag(input: Tensor) -> Tensor:
    raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")


def angle(input: Tensor) -> Tensor:
    """Return the angle of each number in the complex plane: pi for negative numbers, nan for nan, else 0."""
    kind = input.dtype if input.dtype.kind == "f" else mode.default_dtype
    found = np.where(np.isnan(input.value), input.value, np.where(input.value < 0, math.pi, 0))
    return forgotten("AngleBackward0", found.astype(kind)[()], input, saves=(0,))
