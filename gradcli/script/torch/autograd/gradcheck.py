"""`torch.autograd.gradcheck`: gradients against finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.engine.backward import grad
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.script.machine import running
from gradcli.script.torch.autograd.functional.derivatives import gradients, units
from gradcli.script.torch.tensor.printing import tensor_text

NOT_DOUBLE = (
    "Input #{} requires gradient and is not a double precision floating point or complex. This check will likely fail "
    "if all the inputs are not of double precision floating point or complex. "
)


class GradcheckError(RuntimeError):
    """Raised where gradients and finite differences do not agree."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    **_: Any,
) -> bool:
    """Compare every entry of every Jacobian with central differences; GradcheckError where one differs.

    ValueError when no input requires grad.
    """
    given = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    checked = [n for n, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for n in checked:
        if given[n].dtype != np.float64:
            warnings.warn(NOT_DOUBLE.format(n), UserWarning, stacklevel=2)
    for failure in _failures(func, given, checked, eps, atol, rtol):
        if raise_exception:
            raise GradcheckError(failure)
        return False
    return True


def gradgradcheck(func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, **options: Any) -> bool:
    """Compare the derivatives of the gradients, as functions of the inputs, with central differences."""
    given = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    wanted = [n for n, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]

    def first(*arguments: Any) -> tuple[Tensor, ...]:
        outputs = [x for x in _tuple(func(*arguments)) if x.requires_grad]
        ones = [Tensor(np.ones(x.shape, x.dtype)[()]) for x in outputs]
        found = grad(outputs, [arguments[n] for n in wanted], ones, create_graph=True, allow_unused=True)
        return tuple(x for x in found if x is not None and x.requires_grad)

    return gradcheck(first, given, **options)


def _failures(
    func: Callable[..., Any], given: tuple[Any, ...], checked: list[int], eps: float, atol: float, rtol: float
) -> Iterator[str]:
    outputs = _tuple(func(*given))
    for number, output in enumerate(outputs):
        if not (isinstance(output, Tensor) and is_floating(output.value)):
            continue
        for n in checked:
            running.machine.budget.fits(output.value.size * given[n].value.size, "the Jacobian")
            numerical = _numerical(func, given, n, number, eps)
            analytical = _analytical(output, given[n])
            if not np.allclose(numerical, analytical, rtol=rtol, atol=atol):
                yield (
                    f"Jacobian mismatch for output {number} with respect to input {n},\n"
                    f"numerical:{tensor_text(Tensor(numerical))}\nanalytical:{tensor_text(Tensor(analytical))}\n"
                )


def _tuple(outputs: Any) -> tuple[Any, ...]:
    return tuple(outputs) if isinstance(outputs, tuple | list) else (outputs,)


def _numerical(func: Callable[..., Any], given: tuple[Any, ...], n: int, number: int, eps: float) -> Any:
    """Return the Jacobian by central differences, a row for each entry of the input."""
    x = given[n]
    entries = x.array.reshape(-1) if x.array.flags.c_contiguous else x.array.flat
    rows = []
    for at in range(x.value.size):
        held = entries[at]
        entries[at] = held + eps
        above = np.array(_tuple(func(*given))[number].value)
        entries[at] = held - eps
        below = np.array(_tuple(func(*given))[number].value)
        entries[at] = held
        rows.append(((above - below) / (2 * eps)).ravel())
    return np.array(rows)


def _analytical(output: Tensor, x: Tensor) -> Any:
    """Return the Jacobian by one backward pass for each entry of the output, a row for each entry of the input."""
    columns = [np.ravel(gradients([output], [x], [unit])[0].value) for unit in units(output)]
    return np.array(columns).T.reshape(x.value.size, output.value.size)


MEMBERS: dict[str, Any] = {kind.__name__: kind for kind in (gradcheck, gradgradcheck, GradcheckError)}
