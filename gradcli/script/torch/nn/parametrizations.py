"""`torch.nn.utils.parametrizations`: weights by length and direction, or divided by their largest singular value."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.machine import running
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.layers.images.convolution import Transposed
from gradcli.script.torch.nn.orthogonal import orthogonal
from gradcli.script.torch.nn.parametrize import register_parametrization
from gradcli.script.torch.nn.rescaling import lengths, matrix, rescaled, unit

FIRST_STEPS = 15  # of the power iteration, when it begins


class WeightNorm(Module):
    """The length and the direction of a weight, as parameters apart."""

    def __init__(self, dim: int | None) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Any:
        return rescaled(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Any, Any]:
        return lengths(weight, self.dim), weight


class SpectralNorm(Module):
    """A weight divided by its largest singular value, found by power iteration."""

    def __init__(self, weight: Tensor, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        if n_power_iterations <= 0:
            words = f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            raise ValueError(words)
        self.n_power_iterations, self.dim, self.eps = n_power_iterations, dim, eps
        rows = matrix(weight, dim)
        for name, size in zip(("_u", "_v"), rows.shape, strict=True):
            first = running.machine.generator.normal((size,), weight.dtype)
            self.register_buffer(name, Tensor(unit(first, eps)))
        self._iterate(rows.value, FIRST_STEPS)

    def _iterate(self, rows: Any, count: int) -> None:
        u, v = self._u.array, self._v.array
        for _ in range(count):
            running.machine.budget.spend(1)
            u[...] = unit(rows @ v, self.eps)
            v[...] = unit(rows.T @ u, self.eps)

    def forward(self, weight: Tensor) -> Any:
        rows = matrix(weight, self.dim)
        if self.training:
            self._iterate(rows.value, self.n_power_iterations)
        u, v = (Tensor(np.array(x.value)) for x in (self._u, self._v))
        return weight / ops.dot(u, ops.mv(rows, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


for made in (WeightNorm, SpectralNorm):
    made.__name__ = made.__qualname__ = f"_{made.__name__}"
    made.__module__ = "torch.nn.utils.parametrizations"


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Learn the length and the direction of a weight apart: Salimans and Kingma 2016."""
    return register_parametrization(module, name, WeightNorm(dim), unsafe=True)


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide a weight by its largest singular value: Miyato et al. 2018."""
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module!r}' has no parameter or buffer with name '{name}'")
    axis = dim if dim is not None else 1 if isinstance(module, Transposed) else 0
    return register_parametrization(module, name, SpectralNorm(weight, n_power_iterations, axis, eps))


MEMBERS: dict[str, Any] = {"orthogonal": orthogonal, "spectral_norm": spectral_norm, "weight_norm": weight_norm}
