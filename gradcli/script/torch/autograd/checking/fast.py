"""The fast check of a function: products of its Jacobians with vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor, is_floating
from gradcli.script.torch.autograd.checking.check import Check, GradcheckError, mismatch
from gradcli.script.torch.autograd.checking.jacobians import directions
from gradcli.script.torch.autograd.checking.words import PASSED_SLOWLY, SLOWLY
from gradcli.script.torch.autograd.rites import grad
from gradcli.script.torch.tensor.printing import tensor_text


@dataclass(frozen=True)
class FastCheck(Check):
    """A check of the products of the Jacobians with vectors, which torch draws with a generator of its own."""

    def _check_constant(self, everything: Sequence[Any]) -> None:
        for x, u in zip(self.inputs, directions(self.inputs), strict=True):
            if any(np.any(np.abs(row) > self.nondet_tol) for row in self.along(x, u * self.eps)):
                raise GradcheckError("Numerical gradient for function expected to be zero")

    def _compare(self, everything: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        drawn = directions([*self.inputs, *outputs])
        us, vs = drawn[: len(self.inputs)], drawn[len(self.inputs) :]
        floats = [place for place, out in enumerate(everything) if is_floating(out.value)]
        steps = [self.along(x, u * self.eps) for x, u in zip(self.inputs, us, strict=True)]
        rows = [self.reentrant(partial(self._row, v=v), x) for x, v in zip(outputs, vs, strict=True)]
        for j, u in enumerate(us):
            for number, (v, row, place) in enumerate(zip(vs, rows, floats, strict=False)):
                numerical, analytical = np.dot(v.ravel(), steps[j][place]), np.dot(row[j], u.ravel())
                self._near(analytical, numerical, (number, j), u.sum() * v.sum(), everything)

    def _row(self, output: Tensor, v: Any) -> list[Any]:
        """Return the gradients of the inputs, flat, for the upstream gradient `v`."""
        found = grad([output], self.inputs, [v.reshape(output.shape)], retain_graph=True, allow_unused=True)
        pairs = zip(found, self.inputs, strict=True)
        return [np.zeros(x.value.size) if g is None else np.ravel(g.value) for g, x in pairs]

    def _compare_forward(self, everything: Sequence[Any]) -> None:
        floats = [place for place, out in enumerate(everything) if is_floating(out.value)]
        for j, (n, u) in enumerate(zip(self.checked, directions(self.inputs), strict=True)):
            numerical, tangents = self.along(self.given[n], u * self.eps), self.tangents({**self.zeros(), n: u})
            for number, place in enumerate(floats):
                tangent = tangents[place]
                found = np.zeros_like(numerical[place]) if tangent is None else np.ravel(tangent.value)
                self._near(found, numerical[place], (number, j), u.sum(), everything, forward=True)

    def _near(
        self,
        analytical: Any,
        numerical: Any,
        at: tuple[int, int],
        scale: Any,
        everything: Sequence[Any],
        *,
        forward: bool = False,
    ) -> None:
        """Raise GradcheckError if two products are not close; the words have the Jacobians, too."""
        if np.allclose(analytical, numerical, self.rtol, self.atol * float(scale)):
            return
        number, j = at
        n, place = self.checked[j], [m for m, x in enumerate(everything) if forward or x.requires_grad][number]
        steps = self.numerical(n, everything)[place]
        slopes = self.forward(n, everything)[place] if forward else self.analytical(everything[place])[j]
        largest = float(np.max(np.abs(steps - slopes)))
        slow = SLOWLY.format(tensor_text(Tensor(steps)), tensor_text(Tensor(slopes)), largest)
        passing = PASSED_SLOWLY if np.allclose(slopes, steps, self.rtol, self.atol) else ""
        raise GradcheckError(mismatch(analytical, numerical, at, forward) + slow + passing)
