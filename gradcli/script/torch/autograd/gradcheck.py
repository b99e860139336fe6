"""`torch.autograd.gradcheck`: gradients against finite differences, and what a backward must not do."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.engine.dtypes import type_name
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.autograd import dual
from gradcli.script.torch.autograd.functional.derivatives import units
from gradcli.script.torch.autograd.parts import undefined
from gradcli.script.torch.autograd.rites import grad
from gradcli.script.torch.operations.kernels import NO_DIFFERENCE
from gradcli.script.torch.random.sampling import filling
from gradcli.script.torch.tensor.printing import dtype_text, tensor_text

NOT_DOUBLE = (
    "Input #{} requires gradient and is not a double precision floating point or complex. This check will likely fail "
    "if all the inputs are not of double precision floating point or complex. "
)
OVERLAPPING = (
    "The {}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able "
    "to compute the numerical gradients correctly. You should call .contiguous on the input before passing it to "
    "gradcheck."
)
NOT_REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different "
    "values, although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}."
)
UNDEFINED = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
UNHANDLED = f"Expected backward function to handle undefined output grads. {UNDEFINED}"
FROM_NOTHING = (
    "Expected all input grads to be undefined or zero when all output grads are undefined or zero. " + UNDEFINED
)
NEW_FEATURE = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break "
    "existing callers of this function. If this is true for you, you can call this function with "
    '"check_undefined_grad=False" to disable the feature'
)
CHANGED = "Expected `func` to return outputs with the same {0} when inputs are perturbed{1}, but got: {0}s {2} and {3}."
WIDER = (
    "The expanded size of the tensor ({0}) must match the existing size ({1}) at non-singleton dimension 0.  Target "
    "sizes: [{0}].  Tensor sizes: [{1}]"
)


class GradcheckError(RuntimeError):
    """Raised where gradients and finite differences do not agree."""


GradcheckError.__module__ = "torch.autograd.gradcheck"


@dataclass(frozen=True)
class Check:
    """One check: a function at its inputs, the step of the differences, and the tolerances."""

    func: Callable[..., Any]
    given: tuple[Any, ...]
    eps: float
    atol: float
    rtol: float
    nondet_tol: float

    @property
    def checked(self) -> list[int]:
        """The positions of the inputs that require grad."""
        return [n for n, x in enumerate(self.given) if isinstance(x, Tensor) and x.requires_grad]

    @property
    def inputs(self) -> list[Tensor]:
        return [self.given[n] for n in self.checked]

    def outputs(self) -> tuple[Any, ...]:
        return as_tuple(self.func(*self.given))

    def run(self, *, undefined: bool, backward: bool, forward: bool) -> None:
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
        if backward:
            self._check_ignoring(outputs)
        if backward and undefined:
            self._check_undefined(len(outputs))

    def _check_inputs(self) -> None:
        for n, x in zip(self.checked, self.inputs, strict=True):
            if x.dtype != np.float64:
                warnings.warn(NOT_DOUBLE.format(n), UserWarning, stacklevel=2)
            steps = zip(x.array.strides, x.shape, strict=True)
            if x.value.size and any(step == 0 and size > 1 for step, size in steps):
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
            found = self._numerical(n, everything)
            if any(np.any(found[place]) for place in floats):
                raise GradcheckError("Numerical gradient for function expected to be zero")

    def _compare(self, everything: Sequence[Any], outputs: Sequence[Tensor]) -> None:
        numerical = [self._numerical(n, everything) for n in self.checked]
        places = [place for place, out in enumerate(everything) if out.requires_grad]
        for number, (place, output) in enumerate(zip(places, outputs, strict=True)):
            first, again = self._analytical(output), self._analytical(output)
            if max(np.max(np.abs(a - b), initial=0.0) for a, b in zip(first, again, strict=True)) > self.nondet_tol:
                raise GradcheckError(NOT_REENTRANT.format(self.nondet_tol))
            for j, slopes in enumerate(first):
                self._check_equal("Jacobian mismatch", slopes, numerical[j][place], (number, j))

    def _compare_forward(self, everything: Sequence[Any]) -> None:
        places = [place for place, out in enumerate(everything) if is_floating(out.value)]
        for j, n in enumerate(self.checked):
            numerical, slopes = self._numerical(n, everything), self._forward(n, everything)
            for number, place in enumerate(places):
                words = "Jacobian computed with forward mode mismatch"
                self._check_equal(words, slopes[place], numerical[place], (number, j))

    def _check_equal(self, words: str, analytical: Any, numerical: Any, at: tuple[int, int]) -> None:
        """Raise GradcheckError if the Jacobians of an output by an input are not close."""
        if not np.allclose(analytical, numerical, self.rtol, self.atol):
            raise GradcheckError(
                f"{words} for output {at[0]} with respect to input {at[1]},\n"
                f"numerical:{tensor_text(Tensor(numerical))}\nanalytical:{tensor_text(Tensor(analytical))}\n"
            )

    def _numerical(self, n: int, everything: Sequence[Any]) -> list[Any]:
        """Return the Jacobian of each output by central differences, a row for each entry of the input."""
        x = self.given[n]
        running.machine.budget.fits(sum(out.value.size for out in everything) * x.value.size, "the Jacobian")
        dtypes = [out.dtype if is_floating(out.value) else np.float64 for out in everything]
        jacobians = [np.zeros((x.value.size, out.value.size), dtypes[n]) for n, out in enumerate(everything)]
        for at in range(x.value.size):
            for out, jacobian, row in zip(everything, jacobians, self._along(x, at), strict=True):
                if row.size in (jacobian.shape[1], 1):
                    jacobian[at] = row
                elif is_floating(out.value):  # torch looks at no size of what has no gradient
                    raise RuntimeError(WIDER.format(jacobian.shape[1], row.size))
        return jacobians

    def _along(self, x: Tensor, at: int) -> list[Any]:
        """Return the differences of the outputs for a step of one entry of an input, per unit."""
        held, step = x.array.copy(), np.zeros(x.shape, x.dtype)
        step.flat[at] = self.eps
        values = []
        for stepped in (held - step, held + step):
            x.array[...] = stepped
            values.append([np.array(out.value) for out in self.outputs()])
        x.array[...] = held
        place = f" on index {tuple(map(int, np.unravel_index(at, x.shape)))} by {self.eps}"
        for below, above in zip(*values, strict=True):
            if below.shape != above.shape:
                shapes = [f"torch.Size({list(value.shape)})" for value in (below, above)]
                raise AssertionError(CHANGED.format("shape", place, *shapes))
            if below.dtype != above.dtype:
                raise AssertionError(CHANGED.format("dtype", place, *(dtype_text(x.dtype) for x in (below, above))))
            if below.dtype == np.bool_:
                raise RuntimeError(NO_DIFFERENCE)
        return [((above - below) / (2 * self.eps)).ravel() for below, above in zip(*values, strict=True)]

    def _analytical(self, output: Tensor) -> list[Any]:
        """Return the Jacobian by each input: one backward pass for each entry of the output, a column each."""
        columns = [grad([output], self.inputs, [g], retain_graph=True, allow_unused=True) for g in units(output)]
        jacobians = []
        for place, x in enumerate(self.inputs):
            flat = [np.zeros(x.value.size) if g[place] is None else np.ravel(g[place].value) for g in columns]  # type: ignore[union-attr]
            jacobians.append(np.array(flat).T.reshape(x.value.size, output.value.size))
        return jacobians

    def _forward(self, n: int, everything: Sequence[Any]) -> list[Any]:
        """Return the Jacobian of each output by forward mode: one pass for each entry of the input, a row each."""
        rows = [self._tangents(n, unit) for unit in units(self.given[n])]
        jacobians = []
        for place, out in enumerate(everything):
            nothing = np.zeros(out.value.size)
            flat = [nothing if row[place] is None else np.ravel(row[place].value) for row in rows]
            jacobians.append(np.array(flat).reshape(self.given[n].value.size, out.value.size))
        return jacobians

    def _tangents(self, n: int, direction: Tensor) -> list[Any]:
        """Return the tangents of the outputs for a tangent of one input."""
        given = [x.detach() if isinstance(x, Tensor) else x for x in self.given]
        with dual.dual_level():
            for m in self.checked:
                tangent = direction if m == n else Tensor(np.zeros(given[m].shape, given[m].dtype)[()])
                given[m] = dual.make_dual(given[m], tangent)
            outputs = as_tuple(self.func(*given))
            return [dual.unpack_dual(x).tangent if isinstance(x, Tensor) else None for x in outputs]

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
                gradients = grad(seen, self.inputs, zeros, allow_unused=True) if seen else ()
            except RuntimeError:
                warnings.warn(NEW_FEATURE, UserWarning, stacklevel=2)
                raise GradcheckError(UNHANDLED) from None
            if any(g is not None and np.any(g.value != 0) for g in gradients):
                warnings.warn(NEW_FEATURE, UserWarning, stacklevel=2)
                raise GradcheckError(FROM_NOTHING)


def as_tuple(outputs: Any) -> tuple[Any, ...]:
    return tuple(outputs) if isinstance(outputs, tuple | list) else (outputs,)


RARE = ("check_batched_grad", "check_batched_forward_grad", "fast_mode", "masked")


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
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    **options: Any,
) -> bool:
    """Compare every entry of every Jacobian with central differences; GradcheckError where one differs.

    ValueError when no input requires grad.
    """
    for name in options:
        if name in RARE:
            raise UnsupportedError(f"gradcheck({name}=...) is not supported here", help="leave the argument out")
        raise TypeError(f"gradcheck() got an unexpected keyword argument '{name}'")
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    check = Check(func, as_tuple(inputs), eps, atol, rtol, nondet_tol)
    try:
        check.run(undefined=check_undefined_grad, backward=check_backward_ad, forward=check_forward_ad)
    except GradcheckError:
        if not raise_exception:
            return False
        raise
    return True


def gradgradcheck(func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, **options: Any) -> bool:
    """Compare the derivatives of the gradients, by inputs and upstream gradients, with central differences."""
    given = as_tuple(inputs)
    if grad_outputs is None:
        grad_outputs = tuple(_drawn(x) for x in as_tuple(func(*given)) if x.requires_grad)
    upstream = as_tuple(grad_outputs)
    wanted = [n for n, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]

    def gradients(*arguments: Any) -> tuple[Tensor, ...]:
        count = len(arguments) - len(upstream)
        outputs = [x for x in as_tuple(func(*arguments[:count])) if x.requires_grad]
        sources = [arguments[n] for n in wanted]
        slopes = grad(outputs, sources, arguments[count:], create_graph=True, allow_unused=True)
        return tuple(x for x in slopes if x is not None)

    return gradcheck(gradients, (*given, *upstream), **options)


def _drawn(x: Tensor) -> Tensor:
    """Draw an upstream gradient between -1 and 1."""
    dtype = x.dtype if is_floating(x.value) else np.float64
    return filling("uniform")(Tensor(np.zeros(x.shape, dtype)), -1, 1).requires_grad_()


MEMBERS: dict[str, Any] = {kind.__name__: kind for kind in (gradcheck, gradgradcheck, GradcheckError)}
