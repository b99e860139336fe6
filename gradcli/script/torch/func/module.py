"""`torch.func`: functions that make functions of derivatives."""

from __future__ import annotations

from typing import Any

from gradcli.script.torch.func.forward import jacfwd, jvp
from gradcli.script.torch.func.reverse import Func, Places, grad, grad_and_value, jacrev, vjp
from gradcli.script.torch.func.stateless import functional_call, stack_module_state
from gradcli.script.torch.func.vectorising import vmap


def hessian(func: Func, argnums: Places = 0) -> Func:
    """A function that gives the Hessian of `func`."""
    return jacfwd(jacrev(func, argnums), argnums)


MEMBERS: dict[str, Any] = {
    "grad": grad,
    "grad_and_value": grad_and_value,
    "vjp": vjp,
    "jvp": jvp,
    "jacrev": jacrev,
    "jacfwd": jacfwd,
    "hessian": hessian,
    "vmap": vmap,
    "functional_call": functional_call,
    "stack_module_state": stack_module_state,
}
