"""`torch.autograd.gradcheck`: gradients against finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.dtypes import type_name
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.facts import dataclass
from gradcli.script.machine import running
from gradcli.script.python.members.absence import without
from gradcli.script.torch.autograd.derivatives import units
from gradcli.script.torch.autograd.rites import grad
from gradcli.script.torch.random.sampling import filling
from gradcli.script.torch.tensor.printing import tensor_text

NOT_DOUBLE = (
    "Input #{} requires gradient and is not a double precision floating point or complex. This check will likely fail "
    "if all the inputs are not of double precision floating point or complex. "
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

    @property
    def checked(self) -> list[int]:
        """The positions of the inputs that require grad."""
        return [n for n, x in enumerate(self.given) if isinstance(x, Tensor) and x.requires_grad]

    @property
    def inputs(self) -> list[Tensor]:
        return [self.given[n] for n in self.checked]

    def outputs(self) -> tuple[Any, ...]:
        return as_tuple(self.func(*self.given))

    def run(self) -> None:
        """Raise GradcheckError for the first entry of a Jacobian that differs."""
        self._check_inputs()
        results = self.outputs()
        for x in results:
            if not isinstance(x, Tensor):
                raise AttributeError(f"'{type_name(x)}' object has no attribute 'requires_grad'")
        numerical = [self._numerical(n, results) for n in self.checked]
        places = [place for place, out in enumerate(results) if out.requires_grad]
        if not places:
            self._check_constant(results, numerical)
        for number, place in enumerate(places):
            for j, slopes in enumerate(self._analytical(results[place])):
                if not np.allclose(slopes, numerical[j][place], self.rtol, self.atol):
                    raise GradcheckError(
                        f"Jacobian mismatch for output {number} with respect to input {j},\n"
                        f"numerical:{tensor_text(Tensor(numerical[j][place]))}\nanalytical:{tensor_text(Tensor(slopes))}\n"
                    )

    def _check_inputs(self) -> None:
        for n, x in zip(self.checked, self.inputs, strict=True):
            if x.dtype != np.float64:
                warnings.warn(NOT_DOUBLE.format(n), UserWarning, stacklevel=2)
        if not self.checked:
            raise ValueError("gradcheck expects at least one input tensor that requires grad")

    def _check_constant(self, results: Sequence[Any], numerical: Sequence[Sequence[Any]]) -> None:
        """Refuse a function whose results take no gradient, but change with an input."""
        floats = [place for place, out in enumerate(results) if is_floating(out.value)]
        if any(np.any(jacobians[place]) for jacobians in numerical for place in floats):
            raise GradcheckError("Numerical gradient for function expected to be zero")

    def _numerical(self, n: int, results: Sequence[Any]) -> list[Any]:
        """Return the Jacobian of each output by central differences, a row for each entry of the input."""
        x = self.given[n]
        running.machine.budget.fits(sum(out.value.size for out in results) * x.value.size, "the Jacobian")
        rows = [self._along(x, at) for at in range(x.value.size)]
        return [np.array(columns).reshape(x.value.size, -1) for columns in zip(*rows, strict=True)]

    def _along(self, x: Tensor, at: int) -> list[Any]:
        """Return the differences of the outputs for a step of one entry of an input, per unit."""
        held, step = x.array.copy(), np.zeros(x.shape, x.dtype)
        step.flat[at] = self.eps
        values = []
        for stepped in (held - step, held + step):
            x.array[...] = stepped
            values.append([np.array(out.value, np.result_type(out.dtype, np.float16)) for out in self.outputs()])
        x.array[...] = held
        return [((above - below) / (2 * self.eps)).ravel() for below, above in zip(*values, strict=True)]

    def _analytical(self, output: Tensor) -> list[Any]:
        """Return the Jacobian by each input: one backward pass for each entry of the output, a column each."""
        columns = [grad([output], self.inputs, [g], retain_graph=True, allow_unused=True) for g in units(output)]
        jacobians = []
        for place, x in enumerate(self.inputs):
            flat = [np.zeros(x.value.size) if g[place] is None else np.ravel(g[place].value) for g in columns]  # type: ignore[union-attr]
            jacobians.append(np.array(flat).T.reshape(x.value.size, output.value.size))
        return jacobians


def as_tuple(outputs: Any) -> tuple[Any, ...]:
    return tuple(outputs) if isinstance(outputs, tuple | list) else (outputs,)


@without("nondet_tol check_forward_ad check_batched_grad check_batched_forward_grad fast_mode masked")
def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    check_undefined_grad: bool = True,
    check_backward_ad: bool = True,
) -> bool:
    """Compare every entry of every Jacobian with central differences; GradcheckError where one differs.

    ValueError when no input requires grad.
    """
    try:
        Check(func, as_tuple(inputs), eps, atol, rtol).run()
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

    return bool(gradcheck(gradients, (*given, *upstream), **options))


def _drawn(x: Tensor) -> Tensor:
    """Draw an upstream gradient between -1 and 1."""
    dtype = x.dtype if is_floating(x.value) else np.float64
    return filling("uniform")(Tensor(np.zeros(x.shape, dtype)), -1, 1).requires_grad_()


MEMBERS: dict[str, Any] = {kind.__name__: kind for kind in (gradcheck, gradgradcheck, GradcheckError)}
