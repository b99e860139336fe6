"""`torch.func.grad`, `vjp` and `jacrev`: functions that run backward passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any
from weakref import WeakSet

from gradcli.engine import tangents
from gradcli.engine.graph import AccumulateGrad, leaves_below
from gradcli.engine.modes import mode, set_grad_enabled
from gradcli.engine.recorder import listening
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.ops.shaping.shaping import alias
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.members.absence import without
from gradcli.script.python.text.formatting import represent
from gradcli.script.python.values.builtins import type_of
from gradcli.script.torch.autograd.derivatives import copy_inputs, gradients, rows, units, zeros
from gradcli.script.torch.autograd.dual import check_dual
from gradcli.script.torch.autograd.saved_tensors import Packer
from gradcli.script.torch.func.levels import inside, printing_once
from gradcli.script.torch.tensor.dtypes import Size

DEEPEST = 50
ROWS = (tuple, list, Size)

Build = Callable[[Iterator[Any]], Any]


def flatten_tree(tree: Any) -> tuple[list[Any], Build]:
    """Return the leaves in order, and a function that builds the tree of others. RuntimeError if it is too deep."""
    leaves: list[Any] = []
    return leaves, _taken(tree, leaves, 0)


def _taken(tree: Any, leaves: list[Any], depth: int) -> Build:
    if depth > DEEPEST:
        raise RuntimeError("containers of tensors are nested too deeply")
    kind = type(tree)
    if kind in ROWS:
        parts = [_taken(branch, leaves, depth + 1) for branch in tree]
        built_kind = tuple if kind is Size else kind  # torch makes a plain tuple of a size
        return lambda new: built_kind(branch(new) for branch in parts)
    if isinstance(tree, dict):
        named = {key: _taken(tree[key], leaves, depth + 1) for key in tree}
        return lambda new: kind((key, branch(new)) for key, branch in named.items())
    leaves.append(tree)
    return next


class Star:
    """A leaf of a structure, written as torch writes it."""

    def __repr__(self) -> str:
        return "*"


def pattern(tree: Any) -> str:
    """Return the tree with a `*` for each leaf: `{'o': *}`."""
    return represent(map_leaves(lambda leaf: Star(), tree))


def map_leaves(function: Callable[[Any], Any], tree: Any) -> Any:
    """Apply the function to each leaf of the tree."""
    leaves, build = flatten_tree(tree)
    return build(map(function, leaves))


def spread(prefix: Any, tree: Any) -> list[Any] | None:
    """Return one entry of `prefix` for each leaf: its leaf holds for all leaves below. None if they do not fit."""
    if not (type(prefix) in ROWS or isinstance(prefix, dict)):
        return [prefix] * len(flatten_tree(tree)[0])
    if type(prefix) is not type(tree) or len(prefix) != len(tree):
        return None
    if isinstance(prefix, dict):
        if prefix.keys() != tree.keys():
            return None
        entries = [spread(prefix[key], tree[key]) for key in tree]
    else:
        entries = [spread(branch, below) for branch, below in zip(prefix, tree, strict=True)]
    return None if None in entries else [entry for branch in entries for entry in branch or ()]


OVER: WeakSet[AccumulateGrad] = WeakSet()  # the ends of graphs at the arguments of functions that have returned

Func = Callable[..., Any]
Places = int | tuple[int, ...]


def shown(value: Any) -> str:
    return represent(type_of(value))


def select_arguments(args: tuple[Any, ...], argnums: Any) -> Any:
    """Select the arguments with the given numbers: one, or a tuple of them."""
    places = (argnums,) if isinstance(argnums, int) else argnums
    if not isinstance(places, tuple) or not places or not all(isinstance(place, int) for place in places):
        raise RuntimeError(f"argnums must be a whole number or a tuple of them, got: {represent(argnums)}")
    if not all(-len(args) <= place < len(args) for place in places):
        raise RuntimeError(f"Got argnums={represent(argnums)}, but only {len(args)} positional inputs")
    if len({place % len(args) for place in places}) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(place % len(args) for place in places)}")
    return args[argnums] if isinstance(argnums, int) else tuple(args[place] for place in places)


def exchange_arguments(args: tuple[Any, ...], argnums: Any, selection: Any) -> list[Any]:
    """Return the arguments with others in the selected places."""
    new = list(args)
    for place, x in [(argnums, selection)] if isinstance(argnums, int) else zip(argnums, selection, strict=True):
        new[place] = x
    return new


class Inputs:
    """The arguments of a function, with leaves in place of the arguments that it is differentiated by."""

    def __init__(self, args: tuple[Any, ...], argnums: Any) -> None:
        if listening(Packer):
            raise UnsupportedError("torch.func inside of saved_tensors_hooks is not supported here")
        tensors, self.build = flatten_tree(select_arguments(args, argnums))
        for x in tensors:
            if not isinstance(x, Tensor):
                raise ValueError(f"Thing passed to transform API must be Tensor, got {shown(x)}")
        with set_grad_enabled(True):
            self.leaves = copy_inputs(tensors, create_graph=True, through=alias)
        self.args = exchange_arguments(args, argnums, self.build(iter(self.leaves)))

    def arranged(self, results: Sequence[Any]) -> Any:
        """Put the result for each leaf in its place, outside of the graph of the function."""
        return self.build(self.outside(x) for x in results)

    def outside(self, results: Any) -> Any:
        """Keep results in the graph outside of the function, if that is recorded now, and in no other."""
        OVER.update(leaf.node for leaf in self.leaves if isinstance(leaf.node, AccumulateGrad))
        is_recorded = mode.grad_enabled or mode.examples is not None or bool(listening(tangents.Level))

        def cut(x: Any) -> Any:
            if not isinstance(x, Tensor) or x.node is None:
                return x
            if is_recorded and any(end not in OVER for end in leaves_below(x.node)):
                return x
            return tangents.carry(x, x.detach(), cut)

        return map_leaves(cut, results)


def grad_and_value(func: Func, argnums: Places = 0, has_aux: bool = False) -> Func:
    """Make a function that returns the gradient, and the value of `func`."""

    @wraps(func, assigned=("__name__",), updated=())
    def call(*args: Any, **keywords: Any) -> Any:
        inputs = Inputs(args, argnums)
        with set_grad_enabled(True):
            with inside("grad"):
                output = func(*inputs.args, **keywords)
            value, aux = apart(output, has_aux, "grad_and_value(f)(*args)")
            if not isinstance(value, Tensor) or value.ndim:
                kind = f"tensor with {value.ndim} dims" if isinstance(value, Tensor) else shown(value)
                raise RuntimeError(
                    f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got {kind}. Maybe you "
                    "wanted to use the vjp or jacrev APIs instead?"
                )
            slopes_of_leaves = gradients([value], inputs.leaves, create_graph=True)
        slopes, value, aux = inputs.arranged(slopes_of_leaves), inputs.outside(value), inputs.outside(aux)
        return (slopes, (value, aux)) if has_aux else (slopes, value)

    return call


def grad(func: Func, argnums: Places = 0, has_aux: bool = False) -> Func:
    """Make a function that returns the gradient of `func`, which returns one number."""
    both = grad_and_value(func, argnums, has_aux)

    @wraps(func, assigned=("__name__",), updated=())
    def call(*args: Any, **keywords: Any) -> Any:
        slopes, value = both(*args, **keywords)
        return (slopes, value[1]) if has_aux else slopes

    return call


def outputs_of(result: Any, api: str) -> tuple[list[Tensor], Callable[[Iterator[Any]], Any]]:
    """Return the tensors that a function returned, and the function that puts others in their places."""
    outputs, build = flatten_tree(result)
    for x in outputs or [None]:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"{api}: expected f(*primals) to return only tensors, got {shown(x)}")
        if api.startswith("vjp") and not is_floating(x.value):
            raise RuntimeError(f"vjp(f, ...): All outputs of f must be floating-point, got {x.dtype}")
    return outputs, build


def apart(result: Any, has_aux: bool, api: str) -> tuple[Any, Any]:
    """Return the output of a function and what it returned beside it, which are tensors too."""
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for x in flatten_tree(result[1])[0]:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {shown(x)}")
    return result[0], result[1]


def vjp(func: Func, *primals: Any, has_aux: bool = False) -> Any:
    """Return the output, and a function from upstream gradients to the gradients of the inputs."""
    inputs = Inputs(primals, tuple(range(len(primals))))
    with set_grad_enabled(True):
        with inside("grad"):
            result = func(*inputs.args)
        result, aux = apart(result, has_aux, "vjp(f, *primals)")
        outputs, _ = outputs_of(result, "vjp(f, *primals)")

    def wrapper(cotangents: Any, **__: Any) -> Any:
        upstream = flatten_tree(cotangents)[0]
        if pattern(cotangents) != pattern(result):
            structures = f"cotangents: {pattern(cotangents)}, output: {pattern(result)}"
            raise RuntimeError(f"Expected cotangents with the structure of the outputs. {structures}")
        with set_grad_enabled(True):
            slopes = gradients(outputs, inputs.leaves, upstream, create_graph=True)
        return inputs.arranged(slopes)

    value = inputs.outside(result)
    wrapper.__qualname__ = "_vjp_with_argnums.<locals>.wrapper"
    return (value, wrapper, inputs.outside(aux)) if has_aux else (value, wrapper)


@without("chunk_size _preallocate_and_copy")
def jacrev(func: Func, argnums: Places = 0, *, has_aux: bool = False) -> Func:
    """Make a function that returns the Jacobian of `func`, by one backward pass for each entry of the output."""

    @wraps(func, assigned=("__name__",), updated=())
    def call(*args: Any) -> Any:
        inputs = Inputs(args, argnums)
        with set_grad_enabled(True):
            with inside("grad"):
                result = func(*inputs.args)
            result, aux = apart(result, has_aux, "vjp(f, *primals)")
            outputs, build = outputs_of(result, "vjp(f, *primals)")
            slopes = [rows(out, inputs.leaves, True) for out in outputs]
        jacobians, aux = build(map(inputs.arranged, slopes)), inputs.outside(aux)
        return (jacobians, aux) if has_aux else jacobians

    return call


JVP = "jvp(f, primals, tangents)"


@without("strict")
def jvp(func: Func, primals: Any, tangents_: Any, *, has_aux: bool = False) -> Any:
    """Return the output, and its tangent from the tangents of the inputs."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    inputs, build = flatten_tree(primals)
    directions, _ = flatten_tree(tangents_)
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
        leaves, build = flatten_tree(select_arguments(args, argnums))

        def of_chosen(*inputs: Any) -> Any:
            return func(*exchange_arguments(args, argnums, build(iter(inputs))))

        for leaf in leaves:
            if not isinstance(leaf, Tensor):
                raise AttributeError(f"jacfwd takes tensors, not {shown(leaf)}")
            running.machine.budget.fits(leaf.value.size**2, "the Jacobian")
        columns: list[list[list[Tensor]]] = [[] for _ in leaves]  # by input, by its entry, by output
        result: Any = None
        for n, leaf in enumerate(leaves):
            for unit in units(leaf):
                directions = tuple(unit if n == other else zeros(x) for other, x in enumerate(leaves))
                with printing_once(n + len(columns[n])):
                    result = jvp(of_chosen, tuple(leaves), directions, has_aux=has_aux)
                columns[n].append(flatten_tree(result[1])[0])
        outputs, arrange = flatten_tree(result[0])

        def block(m: int, out: Tensor, n: int) -> Any:
            stacked = ops.movedim(ops.stack([entry[m] for entry in columns[n]], 0), 0, -1)
            return ops.view(stacked, (*out.shape, *leaves[n].shape))

        blocks = ([block(m, out, n) for n in range(len(leaves))] for m, out in enumerate(outputs))
        jacobians = arrange(build(iter(of_output)) for of_output in blocks)
        return (jacobians, result[2]) if has_aux else jacobians

    return call
