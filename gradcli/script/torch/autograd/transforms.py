"""`torch.autograd.Function` in a function that `torch.func` transforms."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, NamedTuple

from gradcli.engine.modes import mode
from gradcli.engine.tangents import tangents_of
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import TYPES, type_of
from gradcli.script.torch.func.examples import Source
from gradcli.script.torch.func.trees import flattened, spread, structure

MORE = " For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
NO_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    f"the setup_context staticmethod.{MORE}"
)
WITHOUT_RULE = (
    "does not have vmap support. Please override and implement the vmap staticmethod or set generate_vmap_rule=True."
)
AMBIGUOUS = (
    "has both generate_vmap_rule=True and an overridden vmap staticmethod. Please set generate_vmap_rule=False or "
    "delete the overridden vmap staticmethod to avoid ambiguity."
)


RETURNS = (
    "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible with "
    "the output. Got {} instead"
)
INCOMPATIBLE = (
    "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
    "out_dims={} to be compatible with the structure of `output`. out_dims has structure {} but output has structure "
    "{}."
)


class VmapInfo(NamedTuple):
    """The first argument of a Function's own `vmap`."""

    batch_size: int
    randomness: str


def check_setup(separate: bool) -> None:
    """Refuse in a function that torch.func transforms a Function without `setup_context`."""
    if not separate and mode.transforms:
        raise RuntimeError(NO_SETUP)


def batch_of(cls: Any, own: bool, arguments: tuple[Any, ...]) -> Any:
    """Return the innermost vmap that has one of the arguments in its batch, where the Function has a rule for that."""
    given = flattened(arguments)[0]
    both = [*given, *tangents_of(*given)]
    batches = [each for each in mode.transforms if each.kind == "vmap" and any(map(each.holds, both))]
    if not batches:
        return None
    if own == cls.generate_vmap_rule:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it {AMBIGUOUS if own else WITHOUT_RULE}{MORE}")
    return batches[-1] if own and any(map(batches[-1].holds, given)) else None


def is_innermost(examples: Any) -> bool:
    """Whether no differentiation runs inside of this vmap."""
    return all(each.kind == "vmap" for each in mode.transforms[examples.level :])


def ruled(cls: Any, examples: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the outputs for one example of a Function with a rule for batches, which runs once for all of them."""
    if examples.first is examples:
        examples.ruled.append(_run(cls, examples, arguments))
    made = examples.first.ruled[examples.calls]
    examples.calls += 1
    given = flattened(arguments)[0]
    return made.build(
        given[made.same[id(x)]] if id(x) in made.same else x if dim is None else _part(x, dim, examples)
        for x, dim in zip(made.outputs, made.dims, strict=True)
    )


def _part(x: Tensor, dim: int, examples: Any) -> Tensor:
    with examples.outside():
        part: Tensor = ops.select(x, dim, examples.number)
    examples.add_part(Source(part, x, dim))
    return part


class Made(NamedTuple):
    """What a rule made of the whole batch: its outputs, the dimension of each, and which are arguments as they came."""

    outputs: list[Any]
    dims: list[Any]
    build: Any
    same: dict[int, int]


def _run(cls: Any, examples: Any, arguments: tuple[Any, ...]) -> Made:
    leaves, build = flattened(arguments)
    given = [examples.whole(x) if examples.holds(x) else (x, None) for x in leaves]
    batches, in_dims = build(x for x, _ in given), build(dim for _, dim in given)
    with examples.outside():
        returned = cls.vmap(VmapInfo(examples.size, examples.randomness), in_dims, *batches)
    if not isinstance(returned, tuple):
        raise RuntimeError(RETURNS.format(f"a {represent(type_of(returned))}"))
    if len(returned) != 2:
        raise RuntimeError(RETURNS.format(f"{len(returned)} returns"))
    output, out_dims = returned
    dims = spread(out_dims, output)
    if dims is None:
        raise RuntimeError(INCOMPATIBLE.format(represent(out_dims), structure(out_dims), structure(output)) + MORE)
    same = {id(batch): place for place, (batch, dim) in enumerate(given) if dim is not None}
    outputs, build_outputs = flattened(output)
    return Made(outputs, dims, build_outputs, same)


describe(VmapInfo, getters={name: attrgetter(name) for name in VmapInfo._fields})
TYPES[VmapInfo] = BuiltinType("VmapInfo", VmapInfo, module="torch._functorch.autograd_function")
REPRESENTATIONS[VmapInfo] = repr
