"""`torch.func.jvp` and `jacfwd`: functions that run forward passes, with tangents."""

from __future__ import annotations

from functools import wraps
from typing import Any

from gradcli.engine import tangents
from gradcli.engine.tensor import Tensor
from gradcli.ops.indexing.indexing import alias
from gradcli.ops.support.calling import ops
from gradcli.script.machine import running
from gradcli.script.python.members.absent_arguments import without
from gradcli.script.torch.autograd.dual import check_dual
from gradcli.script.torch.autograd.functional.derivatives import units, zeros
from gradcli.script.torch.func.levels import inside, printing_once
from gradcli.script.torch.func.reverse import Func, Places, apart, outputs_of, selected, shown
from gradcli.script.torch.func.trees import flattened, pattern

JVP = "jvp(f, primals, tangents)"


@without("strict")
def jvp(func: Func, primals: Any, tangents_: Any, *, has_aux: bool = False) -> Any:
    """Return the output, and its tangent from the tangents of the inputs."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    inputs, build = flattened(primals)
    directions, _ = flattened(tangents_)
    if pattern(primals) != pattern(tangents_):
        structures = f"{pattern(primals)} and {pattern(tangents_)}"
        raise RuntimeError(f"{JVP}: Expected primals and tangents to have the same structure, got {structures}")
    if not inputs or not all(isinstance(x, Tensor) for x in (*inputs, *directions)):
        raise RuntimeError(f"{JVP}: Expected primals and tangents to contain Tensors, and nothing else")
    for x, direction in zip(inputs, directions, strict=True):
        check_dual(x, direction)
    with tangents.level() as level:
        level.transforms = True
        duals = [tangents.carry(x, ops.view(x, x.shape) if x.requires_grad else x.detach()) for x in inputs]
        for dual, direction in zip(duals, directions, strict=True):
            level.set(dual, direction)
        with inside("jvp"):
            result = func(*build(iter(duals)))
        result, aux = apart(result, has_aux, JVP)
        outputs, rebuild = outputs_of(result, JVP)
        pushed = [level.get(x) for x in outputs]
    result = rebuild(out if out.node is None else alias(out) for out in outputs)
    tangent = rebuild(zeros(out) if x is None else x for x, out in zip(pushed, outputs, strict=True))
    return (result, tangent, aux) if has_aux else (result, tangent)


def jacfwd(func: Func, argnums: Places = 0, has_aux: bool = False) -> Func:
    """Make a function that returns the Jacobian of `func`, by one forward pass for each entry of the input."""

    @wraps(func, assigned=("__name__",), updated=())
    def call(*args: Any) -> Any:
        leaves, build = flattened(selected(args, argnums))
        places = [argnums] if isinstance(argnums, int) else list(argnums)

        def of_chosen(*inputs: Any) -> Any:
            new, (selection,) = list(args), (build(iter(inputs)),)
            for place, x in zip(places, [selection] if isinstance(argnums, int) else selection, strict=True):
                if place >= 0:  # torch looks for the number itself, so counted from the end it finds no argument
                    new[place] = x
            return func(*new)

        for leaf in leaves:
            if not isinstance(leaf, Tensor):
                raise AttributeError(f"jacfwd takes tensors, not {shown(leaf)}")
            running.machine.budget.fits(leaf.value.size**2, "the Jacobian")
        columns: list[list[list[Tensor]]] = []  # by input, by its entry, by output
        result: Any = None
        for n, leaf in enumerate(leaves):
            columns.append([])
            for unit in units(leaf):
                directions = tuple(unit if n == other else zeros(x) for other, x in enumerate(leaves))
                with printing_once(n + len(columns[-1])):
                    result = jvp(of_chosen, tuple(leaves), directions, has_aux=has_aux)
                columns[-1].append(flattened(result[1])[0])
        outputs, arrange = flattened(result[0])
        jacobians = arrange(
            build(
                columned([entry[m] for entry in of_leaf], out, leaf)
                for of_leaf, leaf in zip(columns, leaves, strict=True)
            )
            for m, out in enumerate(outputs)
        )
        return (jacobians, result[2]) if has_aux else jacobians

    return call


def columned(columns: list[Tensor], out: Tensor, x: Tensor) -> Tensor:
    """Return the Jacobian of one output by one input, from its columns."""
    stacked = ops.movedim(ops.stack(columns, 0), 0, -1)
    return ops.view(stacked, (*out.shape, *x.shape))  # type: ignore[no-any-return]
