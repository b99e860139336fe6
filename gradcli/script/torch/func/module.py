"""The module `torch.func`."""

from __future__ import annotations

from typing import Any

from gradcli.script.python.values.attributes import Namespace
from gradcli.script.torch.autograd.module import without_operations
from gradcli.script.torch.func.reverse import Func, Places, grad, grad_and_value, jacfwd, jacrev, jvp, vjp
from gradcli.script.torch.func.stateless import functional_call, stack_module_state
from gradcli.script.torch.func.vectorising import vmap


def hessian(func: Func, argnums: Places = 0) -> Func:
    """Make a function that returns the Hessian of `func`."""
    return jacfwd(jacrev(func, argnums), argnums)


TRANSFORMS = (
    grad, grad_and_value, vjp, jvp, jacrev, jacfwd, hessian, vmap, functional_call, stack_module_state,
)  # fmt: skip
MEMBERS: dict[str, Any] = {function.__name__: function for function in TRANSFORMS}


def namespace(name: str) -> Namespace:
    return Namespace(name, without_operations(MEMBERS))
