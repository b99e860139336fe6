"""The module `torch.func`."""

from __future__ import annotations

from functools import wraps
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.python.text.formatting import represent
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.python.values.builtins import type_of
from gradcli.script.torch.autograd.module import without_operations
from gradcli.script.torch.func.forward import jacfwd, jvp, linearize
from gradcli.script.torch.func.levels import Functional, inside_of
from gradcli.script.torch.func.reverse import Func, Places, grad, grad_and_value, jacrev, vjp
from gradcli.script.torch.func.stateless import functional_call, stack_module_state
from gradcli.script.torch.func.vectorising import vmap
from gradcli.script.torch.func.wrapping import unwrapped


def hessian(func: Func, argnums: Places = 0) -> Func:
    """Make a function that returns the Hessian of `func`."""
    return jacfwd(jacrev(func, argnums), argnums)


REMOVED = """functionalize(f, remove='mutations'): received invalid argument for remove={}. Valid options are:
     remove='mutations': all inplace and out= operators will be removed from the program, and replaced with their \
out-of-place equivalents.
     remove='mutations_and_views': In addition to the above, all aliasing operators {{view}} will be replaced with \
their non-aliasing counterparts, {{view}}_copy.
"""


def functionalize(func: Func, *, remove: str = "mutations") -> Func:
    """Make a function that computes the same without changes in place inside of it; its results are the same."""
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(REMOVED.format(remove))

    @wraps(func, assigned=("__name__",), updated=())
    def call(*arguments: Any, **keywords: Any) -> Any:
        with inside_of(Functional(func)):
            return func(*arguments, **keywords)

    return call


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """Return the tensor that the transforms that run wrap; or with `recurse=False`, that of the innermost of them."""
    if not isinstance(tensor, Tensor):
        raise AssertionError(f"expected a Tensor, got {represent(type_of(tensor))}")
    return unwrapped(tensor, recurse=recurse)


OWN = (
    *(grad, grad_and_value, vjp, jvp, linearize, jacrev, jacfwd, hessian, vmap, functional_call, stack_module_state),
    *(functionalize, debug_unwrap),
)
MEMBERS: dict[str, Any] = {function.__name__: function for function in OWN}


def namespace(name: str) -> Namespace:
    return Namespace(name, without_operations(MEMBERS))
