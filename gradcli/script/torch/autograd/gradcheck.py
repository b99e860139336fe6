"""`torch.autograd.gradcheck`: gradients against finite differences, and what a backward must not do."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.engine.backward import grad
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.autograd import dual
from gradcli.script.torch.autograd.functional.derivatives import units
from gradcli.script.torch.autograd.gradcheck_words import (
    CHANGED,
    FORWARD,
    FROM_NOTHING,
    NEITHER,
    NOT_DOUBLE,
    NOT_REENTRANT,
    OVERLAPPING,
    UNHANDLED,
)
from gradcli.script.torch.autograd.internals import Undefined
from gradcli.script.torch.operations.kernels import NO_DIFFERENCE
from gradcli.script.torch.random.sampling import filling
from gradcli.script.torch.tensor.printing import dtype_text, tensor_text


class GradcheckError(RuntimeError):
    """Raised where gradients and finite differences do not agree."""


class MismatchError(GradcheckError):
    """Raised in the fast mode, in which torch's message has numbers that it drew."""


@dataclass(frozen=True)
class Check:
    """One check: a function at its inputs, and the tolerances."""

    func: Callable[..., Any]
    given: tuple[Any, ...]
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    fast: bool = False

    @property
    def checked(self) -> list[int]:
        """The positions of the inputs that require grad."""
        return [n for n, x in enumerate(self.given) if isinstance(x, Tensor) and x.requires_grad]

    @property
    def inputs(self) -> list[Tensor]:
        return [self.given[n] for n in self.checked]

    def outputs(self) -> tuple[Any, ...]:
        return _tuple(self.func(*self.given))

    def run(self, *, undefined: bool, backward: bool, forward: bool) -> None:
        """Raise GradcheckError for the first fault, in the order in which torch looks for them."""
        self._check_inputs()
        everything = self.outputs()
        outputs = [x for x in everything if isinstance(x, Tensor) and x.requires_grad]
        numerical = self._numerically(everything)
        if not outputs and backward:
            floats = [place for place, out in enumerate(everything) if is_floating(out.value)]
            if any(np.any(each[place]) for each in numerical.values() for place in floats):
                raise GradcheckError("Numerical gradient for function expected to be zero")
            return
        if backward:
            self._compare(everything, numerical)
        if forward:
            self._compare_forward(everything, numerical)
        if backward:
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

    def _numerically(self, everything: Sequence[Any]) -> dict[int, list[Any]]:
        """Return the Jacobians by each input that is checked, by its position."""
        for x in self.inputs:
            entries = sum(out.value.size for out in everything)
            running.machine.budget.fits(entries * x.value.size, "the Jacobian")
        return {n: self._numerical(n, everything) for n in self.checked}

    def _compare(self, everything: Sequence[Any], numerical: dict[int, list[Any]]) -> None:
        outputs = [(place, out) for place, out in enumerate(everything) if out.requires_grad]
        for number, (place, output) in enumerate(outputs):
            first, again = (self._analytical(output) for _ in range(2))
            differences = [np.max(np.abs(a - b), initial=0.0) for a, b in zip(first, again, strict=True)]
            if max(differences) > self.nondet_tol:
                raise GradcheckError(NOT_REENTRANT.format(self.nondet_tol))
            for j, (n, analytical) in enumerate(zip(self.checked, first, strict=True)):
                self._equal(analytical, numerical[n][place], "Jacobian mismatch", number, j)

    def _compare_forward(self, everything: Sequence[Any], numerical: dict[int, list[Any]]) -> None:
        """Compare the Jacobians by forward mode: one pass for each entry of each input, a row each."""
        places = [place for place, out in enumerate(everything) if is_floating(out.value)]
        for j, n in enumerate(self.checked):
            rows = [self._tangents(n, unit) for unit in units(self.given[n])]
            for number, place in enumerate(places):
                nothing = np.zeros(everything[place].value.size)
                found = [nothing if row[place] is None else np.ravel(row[place].value) for row in rows]
                analytical = np.array(found).reshape(numerical[n][place].shape)
                self._equal(analytical, numerical[n][place], FORWARD, number, j)

    def _tangents(self, n: int, unit: Any) -> list[Any]:
        """Return the tangents of the outputs in a direction of one input; all others are constants."""
        given = [x.detach() if isinstance(x, Tensor) else x for x in self.given]
        with dual.dual_level():
            given[n] = dual.make_dual(given[n], unit if isinstance(unit, Tensor) else Tensor(unit))
            found = _tuple(self.func(*given))
            return [dual.unpack_dual(x).tangent if isinstance(x, Tensor) else None for x in found]

    def _equal(self, analytical: Any, numerical: Any, what: str, output: int, input: int) -> None:
        if np.allclose(analytical, numerical, self.rtol, self.atol):
            return
        if self.fast:
            raise MismatchError
        raise GradcheckError(
            f"{what} for output {output} with respect to input {input},\n"
            f"numerical:{tensor_text(Tensor(numerical))}\n"
            f"analytical:{tensor_text(Tensor(analytical))}\n"
        )

    def _numerical(self, n: int, everything: Sequence[Any]) -> list[Any]:
        """Return the Jacobian of each output by central differences, a row for each entry of the input."""
        x = self.given[n]
        entries = x.array.reshape(-1) if x.array.flags.c_contiguous else x.array.flat
        jacobians = [np.zeros((x.value.size, out.value.size)) for out in everything]
        for at in range(x.value.size):
            held = entries[at]
            values = []
            for step in (-self.eps, self.eps):
                entries[at] = held + step
                values.append([np.array(out.value) for out in self.outputs()])
            entries[at] = held
            for below, above, jacobian in zip(*values, jacobians, strict=True):
                place = "" if self.fast else f" on index {tuple(map(int, np.unravel_index(at, x.shape)))}"
                if below.shape != above.shape:
                    shapes = [f"torch.Size({list(value.shape)})" for value in (below, above)]
                    raise AssertionError(CHANGED.format("shape", f"{place} by {self.eps}", *shapes))
                if below.dtype != above.dtype:
                    dtypes = [dtype_text(value.dtype) for value in (below, above)]
                    raise AssertionError(CHANGED.format("dtype", f"{place} by {self.eps}", *dtypes))
                if below.dtype == np.bool_:
                    raise RuntimeError(NO_DIFFERENCE)
                jacobian[at] = ((above - below) / (2 * self.eps)).ravel()
        return jacobians

    def _analytical(self, output: Tensor) -> list[Any]:
        """Return the Jacobian by each input: one backward pass for each entry of the output, a column each."""
        columns = [grad([output], self.inputs, [g], retain_graph=True, allow_unused=True) for g in units(output)]
        found = []
        for place, x in enumerate(self.inputs):
            flat = [np.zeros(x.value.size) if g[place] is None else np.ravel(g[place].value) for g in columns]  # type: ignore[union-attr]
            found.append(np.array(flat).T.reshape(x.value.size, output.value.size))
        return found

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
            seen = [Undefined.apply(x) if n in absent else x for n, x in enumerate(outputs)]
            zeros = [Tensor(np.zeros(x.shape, x.dtype)[()]) for x in seen]
            try:
                found = grad(seen, self.inputs, zeros, allow_unused=True) if seen else ()
            except RuntimeError:
                raise GradcheckError(UNHANDLED) from None
            if any(g is not None and np.any(g.value != 0) for g in found):
                raise GradcheckError(FROM_NOTHING)


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compare every entry of every Jacobian with central differences; GradcheckError where one differs.

    ValueError when no input requires grad.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError(NEITHER)
    if check_batched_forward_grad:
        message = "gradcheck(check_batched_forward_grad=True) is not supported here"
        raise UnsupportedError(message, help="leave the argument out")
    check = Check(func, _tuple(inputs), eps, atol, rtol, nondet_tol, fast_mode)
    try:
        check.run(undefined=check_undefined_grad, backward=check_backward_ad, forward=check_forward_ad)
    except GradcheckError as error:
        if not raise_exception:
            return False
        if isinstance(error, MismatchError):
            raise UnsupportedError("the message of gradcheck(fast_mode=True) is not supported here") from None
        raise
    return True


def gradgradcheck(func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, **options: Any) -> bool:
    """Compare the derivatives of the gradients, by inputs and upstream gradients, with central differences."""
    given = _tuple(inputs)
    if grad_outputs is None:
        outputs = [x for x in _tuple(func(*given)) if x.requires_grad]
        grad_outputs = tuple(_drawn(x) for x in outputs)
    upstream = _tuple(grad_outputs)
    wanted = [n for n, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]

    def first(*arguments: Any) -> tuple[Tensor, ...]:
        count = len(arguments) - len(upstream)
        outputs = [x for x in _tuple(func(*arguments[:count])) if x.requires_grad]
        sources = [arguments[n] for n in wanted]
        found = grad(outputs, sources, arguments[count:], create_graph=True, allow_unused=True)
        return tuple(x for x in found if x is not None)

    return gradcheck(first, (*given, *upstream), **options)


def _drawn(x: Tensor) -> Tensor:
    """Draw an upstream gradient between -1 and 1."""
    dtype = x.dtype if is_floating(x.value) else np.float64
    return filling("uniform")(Tensor(np.zeros(x.shape, dtype)), -1, 1).requires_grad_()


def _tuple(outputs: Any) -> tuple[Any, ...]:
    return tuple(outputs) if isinstance(outputs, tuple | list) else (outputs,)


MEMBERS: dict[str, Any] = {kind.__name__: kind for kind in (gradcheck, gradgradcheck, GradcheckError)}
