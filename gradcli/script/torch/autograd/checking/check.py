"""The check of a function against finite differences, entry by entry."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.dtypes import type_name
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.script.machine import running
from gradcli.script.torch.autograd.checking.jacobians import Jacobians, directions
from gradcli.script.torch.autograd.checking.words import (
    BATCHED,
    BATCHED_FORWARD,
    FORWARD,
    FROM_NOTHING,
    NEW_FEATURE,
    NOT_DOUBLE,
    NOT_REENTRANT,
    OVERLAPPING,
    RANDOM,
    UNHANDLED,
    undefined_tangent,
)
from gradcli.script.torch.autograd.parts import undefined
from gradcli.script.torch.autograd.rites import grad
from gradcli.script.torch.tensor.printing import tensor_text


class GradcheckError(RuntimeError):
    """Raised where gradients and finite differences do not agree."""


GradcheckError.__module__ = "torch.autograd.gradcheck"


@dataclass(frozen=True)
class Check(Jacobians):
    """One check: a function at its inputs, and the tolerances."""

    atol: float
    rtol: float
    nondet_tol: float

    def run(self, *, undefined: bool, backward: bool, forward: bool, batched: bool, batched_forward: bool) -> None:
        """Raise GradcheckError for the first fault, in the order in which torch looks for them."""
        self._check_inputs()
        everything = self.outputs()
        for x in everything:
            if not isinstance(x, Tensor):
                raise AttributeError(f"'{type_name(x)}' object has no attribute 'requires_grad'")
        outputs = [x for x in everything if x.requires_grad]
        if not outputs and backward:
            self._check_constant(everything)
            return
        if backward:
            self._compare(everything, outputs)
        if forward:
            self._compare_forward(everything)
            if undefined:
                self._check_undefined_tangents()
        if batched_forward:
            for n in self.checked:
                tried_in_batches(self.given[n], partial(self.tangents_of, n), BATCHED_FORWARD)
        if backward:
            for x in outputs if batched else ():
                tried_in_batches(x, partial(self.gradients, x), BATCHED)
            self._check_ignoring(outputs)
        if backward and undefined:
            self._check_undefined(len(outputs))

    def _check_inputs(self) -> None:
        for n, x in zip(self.checked, self.inputs, strict=True):
            if x.dtype != np.float64:
                warnings.warn(NOT_DOUBLE.format(n), UserWarning, stacklevel=2)
            if x.value.size and any(
                step == 0 and size > 1 for step, size in zip(x.array.strides, x.shape, strict=True)
            ):
                raise RuntimeError(OVERLAPPING.format(n))
        if not self.checked:
            raise ValueError(
                "gradcheck expects at least one input tensor to require gradient, but none of them have "
                "requires_grad=True."
            )

    def _check_constant(self, everything: Sequence[Any]) -> None:
        """Refuse a function whose results take no gradient, but change with an input."""
        floats = [place for place, out in enumerate(everything) if is_floating(out.value)]
        for n in self.checked:
            found = self.numerical(n, everything)
            if any(np.any(found[place]) for place in floats):
                raise GradcheckError("Numerical gradient for function expected to be zero")

    def _compare(self, everything: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        numerical = [self.numerical(n, everything) for n in self.checked]
        places = [place for place, out in enumerate(everything) if out.requires_grad]
        for number, (place, output) in enumerate(zip(places, outputs, strict=True)):
            analytical = self.reentrant(self.analytical, output)
            for j, found in enumerate(analytical):
                self.equal(found, numerical[j][place], (number, j))

    def reentrant(self, passes: Callable[[Tensor], list[Any]], output: Tensor) -> list[Any]:
        """Return what backward passes give. GradcheckError if they give something else the second time."""
        first, again = passes(output), passes(output)
        differences = [np.max(np.abs(a - b), initial=0.0) for a, b in zip(first, again, strict=True)]
        if max(differences) > self.nondet_tol:
            raise GradcheckError(NOT_REENTRANT.format(self.nondet_tol))
        return first

    def _compare_forward(self, everything: Sequence[Any]) -> None:
        places = [place for place, out in enumerate(everything) if is_floating(out.value)]
        for j, n in enumerate(self.checked):
            numerical, found = self.numerical(n, everything), self.forward(n, everything)
            for number, place in enumerate(places):
                self.equal(found[place], numerical[place], (number, j), forward=True)

    def equal(self, analytical: Any, numerical: Any, at: tuple[int, int], *, forward: bool = False) -> None:
        """Raise GradcheckError if the Jacobians of an output by an input are not close."""
        if not np.allclose(analytical, numerical, self.rtol, self.atol):
            raise GradcheckError(mismatch(analytical, numerical, at, forward))

    def tangents_of(self, n: int, direction: Tensor) -> None:
        self.tangents({n: direction})

    def gradients(self, output: Tensor, upstream: Tensor) -> None:
        grad([output], self.inputs, [upstream], retain_graph=True, allow_unused=True)

    def _check_undefined_tangents(self) -> None:
        """Refuse a function with other tangents where one is zero than where it is not there."""
        tangents = dict(zip(self.checked, directions(self.inputs), strict=True))
        for n in self.checked:
            others = {m: tangent for m, tangent in tangents.items() if m != n}
            zero = self.tangents({**others, n: np.zeros_like(tangents[n])})
            none = self.tangents(others)
            for number, (a, b) in enumerate(zip(zero, none, strict=True)):
                if not (a is None or b is None or np.allclose(a.value, b.value, 1e-5, 1e-8)):
                    raise GradcheckError(*undefined_tangent(number, self.given[n], a, b))

    def _check_ignoring(self, outputs: Sequence[Tensor]) -> None:
        """Refuse a backward that does not multiply by the upstream gradient: zeros must give zeros."""
        if not outputs:
            return
        zeros = [Tensor(np.zeros(x.shape, x.dtype)[()]) for x in outputs]
        for g in grad(outputs, self.inputs, zeros, retain_graph=True, allow_unused=True):
            if g is not None and np.any(g.value != 0):
                raise GradcheckError("backward not multiplied by grad_output")

    def _check_undefined(self, count: int) -> None:
        """Refuse a backward that cannot do without one of the upstream gradients, or makes a gradient of nothing."""
        without = [set(range(count)), *({n} for n in range(count) if count > 1)]
        for absent in without:
            outputs = [x for x in self.outputs() if x.requires_grad]
            seen = [undefined(x) if n in absent else x for n, x in enumerate(outputs)]
            zeros = [Tensor(np.zeros(x.shape, x.dtype)[()]) for x in seen]
            try:
                found = grad(seen, self.inputs, zeros, allow_unused=True) if seen else ()
            except RuntimeError:
                warnings.warn(NEW_FEATURE, UserWarning, stacklevel=2)
                raise GradcheckError(UNHANDLED) from None
            if any(g is not None and np.any(g.value != 0) for g in found):
                warnings.warn(NEW_FEATURE, UserWarning, stacklevel=2)
                raise GradcheckError(FROM_NOTHING)


def tried_in_batches(x: Tensor, derive: Callable[[Tensor], Any], failed: str) -> None:
    """Compute derivatives in two drawn directions, and of both in a batch, in which no random number may be drawn.

    A batch has the same derivatives here as its members have one by one.
    """
    generator = running.machine.generator
    drawn = [Tensor(generator.normal(x.shape, x.dtype)) for _ in range(2)]
    for direction in drawn:
        derive(direction)
    before = generator.get_state()
    derive(drawn[0])
    if generator.has_moved(before):
        generator.set_state(before)
        raise GradcheckError(f"While computing batched gradients, got: {RANDOM}\n\n{failed}")


def mismatch(analytical: Any, numerical: Any, at: tuple[int, int], forward: bool) -> str:
    """Return the words for two Jacobians, or products with them, that differ."""
    return (
        f"{FORWARD if forward else 'Jacobian mismatch'} for output {at[0]} with respect to input {at[1]},\n"
        f"numerical:{_shown(numerical)}\nanalytical:{_shown(analytical)}\n"
    )


def _shown(x: Any) -> str:
    return tensor_text(Tensor(x)) if np.ndim(x) else repr(float(x))
