"""`torch.autograd.gradcheck`: gradients against finite differences, and what a backward must not do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor, is_floating
from gradcli.script.torch.autograd.checking.check import Check, GradcheckError
from gradcli.script.torch.autograd.checking.fast import FastCheck
from gradcli.script.torch.autograd.checking.jacobians import Jacobians, as_tuple
from gradcli.script.torch.autograd.checking.words import (
    BATCHED_ALONE,
    BATCHED_BACKWARD_ALONE,
    NEITHER,
    NOT_ONE,
    PRIVATE,
)
from gradcli.script.torch.autograd.rites import grad
from gradcli.script.torch.random.sampling import filling


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
    if check_batched_grad and not check_backward_ad:
        raise AssertionError(BATCHED_BACKWARD_ALONE)
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError(BATCHED_ALONE)
    check = (FastCheck if fast_mode else Check)(func, as_tuple(inputs), eps, atol, rtol, nondet_tol)
    try:
        check.run(
            undefined=check_undefined_grad,
            backward=check_backward_ad,
            forward=check_forward_ad,
            batched=check_batched_grad,
            batched_forward=check_batched_forward_grad,
        )
    except GradcheckError:
        if not raise_exception:
            return False
        raise
    return True


def gradgradcheck(func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, **options: Any) -> bool:
    """Compare the derivatives of the gradients, by inputs and upstream gradients, with central differences."""
    given = as_tuple(inputs)
    if grad_outputs is None:
        outputs = [x for x in as_tuple(func(*given)) if x.requires_grad]
        grad_outputs = tuple(_drawn(x) for x in outputs)
    upstream = as_tuple(grad_outputs)
    wanted = [n for n, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]

    def first(*arguments: Any) -> tuple[Tensor, ...]:
        count = len(arguments) - len(upstream)
        outputs = [x for x in as_tuple(func(*arguments[:count])) if x.requires_grad]
        sources = [arguments[n] for n in wanted]
        found = grad(outputs, sources, arguments[count:], create_graph=True, allow_unused=True)
        return tuple(x for x in found if x is not None)

    return gradcheck(first, (*given, *upstream), **options)


def _drawn(x: Tensor) -> Tensor:
    """Draw an upstream gradient between -1 and 1."""
    dtype = x.dtype if is_floating(x.value) else np.float64
    return filling("uniform")(Tensor(np.zeros(x.shape, dtype)), -1, 1).requires_grad_()


def _deprecated(name: str, grad_out: float) -> None:
    warnings.warn(PRIVATE.format(name), FutureWarning, stacklevel=3)
    if grad_out != 1.0:
        raise ValueError(NOT_ONE.format(name))


def get_numerical_jacobian(
    fn: Callable[..., Any], inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> tuple[Tensor, ...]:
    """Return the Jacobians of the first result of `fn`, which takes a tuple, by differences."""
    _deprecated("get_numerical_jacobian", grad_out)
    jacobians = Jacobians(lambda *given: fn(given), as_tuple(inputs), eps)
    wanted = as_tuple(inputs if target is None else target)
    everything = jacobians.outputs()
    places = [n for n in jacobians.checked if any(jacobians.given[n] is x for x in wanted)]
    return tuple(Tensor(jacobians.numerical(n, everything)[0]) for n in places)


def get_analytical_jacobian(
    inputs: Any, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """Return the Jacobians of a result by backward passes, and whether a second time gives the same."""
    _deprecated("get_analytical_jacobian", grad_out)
    jacobians = Jacobians(lambda: (), as_tuple(inputs), 0.0)
    first, again = jacobians.analytical(output), jacobians.analytical(output)
    same = all(np.max(np.abs(a - b), initial=0.0) <= nondet_tol for a, b in zip(first, again, strict=True))
    return tuple(map(Tensor, first)), bool(same), True, True


MEMBERS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (gradcheck, gradgradcheck, get_numerical_jacobian, get_analytical_jacobian, GradcheckError)
}
