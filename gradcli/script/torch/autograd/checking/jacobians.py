"""The derivatives that `torch.autograd.gradcheck` compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.script.machine import running
from gradcli.script.torch.autograd import dual
from gradcli.script.torch.autograd.checking.words import CHANGED, WIDER
from gradcli.script.torch.autograd.functional.derivatives import units
from gradcli.script.torch.autograd.rites import grad
from gradcli.script.torch.operations.kernels import NO_DIFFERENCE
from gradcli.script.torch.random.generator import Generator
from gradcli.script.torch.tensor.printing import dtype_text


@dataclass(frozen=True)
class Jacobians:
    """A function at its inputs, and its derivatives there: by differences, by backward passes, by forward mode."""

    func: Callable[..., Any]
    given: tuple[Any, ...]
    eps: float

    @property
    def checked(self) -> list[int]:
        """The positions of the inputs that require grad."""
        return [n for n, x in enumerate(self.given) if isinstance(x, Tensor) and x.requires_grad]

    @property
    def inputs(self) -> list[Tensor]:
        return [self.given[n] for n in self.checked]

    def outputs(self) -> tuple[Any, ...]:
        return as_tuple(self.func(*self.given))

    def numerical(self, n: int, everything: Sequence[Any]) -> list[Any]:
        """Return the Jacobian of each output by central differences, a row for each entry of the input."""
        x = self.given[n]
        running.machine.budget.fits(sum(out.value.size for out in everything) * x.value.size, "the Jacobian")
        dtypes = [out.dtype if is_floating(out.value) else np.float64 for out in everything]
        jacobians = [np.zeros((x.value.size, out.value.size), dtypes[n]) for n, out in enumerate(everything)]
        for at in range(x.value.size):
            step = np.zeros(x.shape, x.dtype)
            step.flat[at] = self.eps
            place = f" on index {tuple(map(int, np.unravel_index(at, x.shape)))}"
            for out, jacobian, row in zip(everything, jacobians, self.along(x, step, place), strict=True):
                if row.size in (jacobian.shape[1], 1):
                    jacobian[at] = row
                elif is_floating(out.value):  # torch looks at no size of what has no gradient
                    raise RuntimeError(WIDER.format(jacobian.shape[1], row.size))
        return jacobians

    def along(self, x: Tensor, step: Any, place: str = "") -> list[Any]:
        """Return the differences of the outputs along a step of an input, per unit."""
        held = x.array.copy()
        values = []
        for stepped in (held - step, held + step):
            x.array[...] = stepped
            values.append([np.array(out.value) for out in self.outputs()])
        x.array[...] = held
        for below, above in zip(*values, strict=True):
            if below.shape != above.shape:
                shapes = [f"torch.Size({list(value.shape)})" for value in (below, above)]
                raise AssertionError(CHANGED.format("shape", f"{place} by {self.eps}", *shapes))
            if below.dtype != above.dtype:
                dtypes = [dtype_text(value.dtype) for value in (below, above)]
                raise AssertionError(CHANGED.format("dtype", f"{place} by {self.eps}", *dtypes))
            if below.dtype == np.bool_:
                raise RuntimeError(NO_DIFFERENCE)
        return [((above - below) / (2 * self.eps)).ravel() for below, above in zip(*values, strict=True)]

    def analytical(self, output: Tensor) -> list[Any]:
        """Return the Jacobian by each input: one backward pass for each entry of the output, a column each."""
        columns = [grad([output], self.inputs, [g], retain_graph=True, allow_unused=True) for g in units(output)]
        found = []
        for place, x in enumerate(self.inputs):
            flat = [np.zeros(x.value.size) if g[place] is None else np.ravel(g[place].value) for g in columns]  # type: ignore[union-attr]
            found.append(np.array(flat).T.reshape(x.value.size, output.value.size))
        return found

    def forward(self, n: int, everything: Sequence[Any]) -> list[Any]:
        """Return the Jacobian of each output by forward mode: one pass for each entry of the input, a row each."""
        rows = [self.tangents({**self.zeros(), n: unit}) for unit in units(self.given[n])]
        found = []
        for place, out in enumerate(everything):
            nothing = np.zeros(out.value.size)
            flat = [nothing if row[place] is None else np.ravel(row[place].value) for row in rows]
            found.append(np.array(flat).reshape(self.given[n].value.size, out.value.size))
        return found

    def zeros(self) -> dict[int, Any]:
        """Return a tangent of zeros for each input that is checked."""
        return {n: np.zeros(x.shape, x.dtype)[()] for n, x in zip(self.checked, self.inputs, strict=True)}

    def tangents(self, duals: dict[int, Any]) -> list[Any]:
        """Return the tangents of the outputs for some tangents of the inputs; all others are constants."""
        given = [x.detach() if isinstance(x, Tensor) else x for x in self.given]
        with dual.dual_level():
            for n, tangent in duals.items():
                given[n] = dual.make_dual(given[n], tangent if isinstance(tangent, Tensor) else Tensor(tangent))
            found = as_tuple(self.func(*given))
            return [dual.unpack_dual(x).tangent if isinstance(x, Tensor) else None for x in found]


def as_tuple(outputs: Any) -> tuple[Any, ...]:
    return tuple(outputs) if isinstance(outputs, tuple | list) else (outputs,)


def directions(tensors: Sequence[Tensor]) -> list[Any]:
    """Draw a vector of length 1 for each tensor, in its shape; always the same ones, as torch does for its checks."""
    generator = Generator()
    drawn = [generator.uniform(x.shape, mode.default_dtype).astype(x.dtype) for x in tensors]
    return [vector / np.linalg.norm(vector) for vector in drawn]
