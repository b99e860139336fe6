"""`torch.func.jvp` and `jacfwd`: functions that run forward passes, with tangents."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from gradcli.engine import tangents
from gradcli.engine.tensor import Tensor
from gradcli.ops.indexing.indexing import alias
from gradcli.ops.support.calling import ops
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import represent
from gradcli.script.python.values.attributes import attribute
from gradcli.script.torch.autograd.dual import check_dual
from gradcli.script.torch.autograd.functional.derivatives import units, zeros
from gradcli.script.torch.func.effects import Effects, muted
from gradcli.script.torch.func.examples import Examples, running_on
from gradcli.script.torch.func.levels import Pushed, inside_of
from gradcli.script.torch.func.randomness import randomness_of
from gradcli.script.torch.func.reverse import Func, Places, apart, outputs_of, selected, shown
from gradcli.script.torch.func.trees import flattened, mapped, pattern, structure
from gradcli.script.torch.tensor.creation import CREATION

JVP = "jvp(f, primals, tangents)"


def jvp(func: Func, primals: Any, tangents_: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """Return the output, and its tangent from the tangents of the inputs."""
    return pushed_through(func, primals, tangents_, blank, strict=strict, has_aux=has_aux)


def pushed_through(
    func: Func,
    primals: Any,
    tangents_: Any,
    constant: Callable[[Tensor], Tensor],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """Return the output and its tangent, which for a part that depends on no input `constant` makes."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    given, build = flattened(primals)
    directions, _ = flattened(tangents_)
    if structure(primals) != structure(tangents_):
        raise RuntimeError(
            f"{JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {structure(primals)} and tangents "
            f"with structure {structure(tangents_)}"
        )
    check_tensors(given, "primals")
    check_tensors(directions, "tangents")
    for x, direction in zip(given, directions, strict=True):
        check_dual(x, direction)
    with tangents.level() as level:
        level.transforms = True
        duals = [tangents.carry(x, ops.view(x, x.shape) if x.requires_grad else x.detach()) for x in given]
        for dual, direction in zip(duals, directions, strict=True):
            level.set(dual, direction)
        with inside_of(Pushed(func)):
            made = func(*build(iter(duals)))
        made, aux = apart(made, has_aux, JVP)
        outputs, rebuild = outputs_of(made, JVP)
        pushed = [level.get(x) for x in outputs]
    if strict and None in pushed:
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed "
            "with strict=True."
        )
    made = rebuild(out if out.node is None else alias(out) for out in outputs)
    found = rebuild(constant(out) if x is None else x for x, out in zip(pushed, outputs, strict=True))
    return (made, found, aux) if has_aux else (made, found)


def blank(x: Tensor) -> Tensor:
    """Return the tangent of a constant."""
    found: Tensor = CREATION["zeros_like"](x)
    return found


def held_constant(x: Tensor) -> Tensor:
    """Return the tangent of a constant in a function that was linearized: torch's holds it as a parameter."""
    from gradcli.script.torch.nn.base.parameter import Parameter

    return Parameter(zeros(x), requires_grad=False)


def linearize(func: Func, *primals: Any) -> Any:
    """Return the output, and the function from tangents of the inputs to the tangent of the output.

    Torch runs `func` twice here and never again; the runs that give tangents here print nothing.
    """
    output = func(*primals)
    held = mapped(lambda x: x.detach() if isinstance(x, Tensor) else x, primals)
    effects = Effects(func)
    with effects.of(0):
        jvp(func, held, mapped(zeros, held))

    def push(*tangents_: Any) -> Any:
        if structure(tangents_) != structure(held):
            raise RuntimeError(
                f"Expected the tangents {pattern(tangents_)} to have the same argspec as the primals {pattern(held)}"
            )
        for n, (x, direction) in enumerate(zip(flattened(held)[0], flattened(tangents_)[0], strict=True)):
            for name in ("shape", "dtype"):
                own, other = (represent(attribute(tensor, name)) for tensor in (x, direction))
                if own != other:
                    where = "flattened pytree doesn't match the"
                    raise RuntimeError(
                        f"tangent:{n} with {name} {other} in {where} {name} {own} of the corresponding primal."
                    )
        with effects.of(1), muted(True):
            return pushed_through(func, held, tangents_, held_constant)[1]

    return output, push


def check_tensors(given: list[Any], name: str) -> None:
    """Refuse arguments that hold no tensor, or something else."""
    if not given:
        raise RuntimeError(f"{JVP}: Expected {name} to contain at least one Tensor.")
    for x in given:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"{JVP}: Expected {name} to only contain Tensors, got {shown(x)}")


def jacfwd(func: Func, argnums: Places = 0, has_aux: bool = False, *, randomness: str = "error") -> Func:
    """Make a function that returns the Jacobian of `func`, by one forward pass for each entry of the input."""

    @wraps(func, assigned=("__name__",), updated=())
    def call(*args: Any) -> Any:
        leaves, build = flattened(selected(args, argnums))
        places = [argnums] if isinstance(argnums, int) else list(argnums)

        def of_chosen(*chosen: Any) -> Any:
            new, (whole,) = list(args), (build(iter(chosen)),)
            for place, x in zip(places, [whole] if isinstance(argnums, int) else whole, strict=True):
                if place >= 0:  # torch looks for the number itself, so counted from the end it finds no argument
                    new[place] = x
            return func(*new)

        for leaf in leaves:
            if not isinstance(leaf, Tensor):
                raise AttributeError(f"'{type(leaf).__name__}' object has no attribute 'numel'")
            running.machine.budget.fits(leaf.value.size**2, "the Jacobian")
        columns: list[list[list[Tensor]]] = []  # by input, by its entry, by output
        result: Any = None
        examples: Examples | None = None
        effects = Effects(func)
        with randomness_of(randomness, sum(leaf.value.size for leaf in leaves)) as drawing:
            for n, leaf in enumerate(leaves):
                columns.append([])
                for unit in units(leaf):
                    directions = tuple(unit if n == other else zeros(x) for other, x in enumerate(leaves))
                    examples = Examples([], 0, randomness, drawing.number, examples and examples.first, effects)
                    for direction in directions:  # of which torch has a batch
                        examples.add(direction)
                    with effects.of(drawing.number), muted(drawing.number > 0), running_on(examples):
                        result = jvp(of_chosen, tuple(leaves), directions, has_aux=has_aux)
                    columns[-1].append(flattened(result[1])[0])
                    drawing.begin(drawing.number + 1)
        outputs, arrange = flattened(result[0])
        found = arrange(
            build(
                columned([entry[m] for entry in of_leaf], out, leaf)
                for of_leaf, leaf in zip(columns, leaves, strict=True)
            )
            for m, out in enumerate(outputs)
        )
        return (found, result[2]) if has_aux else found

    return call


def columned(columns: list[Tensor], out: Tensor, x: Tensor) -> Tensor:
    """Return the Jacobian of one output by one input, from its columns."""
    stacked = ops.movedim(ops.stack(columns, 0), 0, -1)
    return ops.view(stacked, (*out.shape, *x.shape))  # type: ignore[no-any-return]
