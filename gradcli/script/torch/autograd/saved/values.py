"""The values that nodes save, by torch's names: `_saved_self`, `_saved_dim`, `_saved_indices`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import FromEnd
from gradcli.engine.checks.versions import check_versions
from gradcli.engine.graph import Node
from gradcli.engine.primitive import OUT
from gradcli.engine.saved import SECOND_TIME, operands, saved
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.autograd.saved.packing import NOTHING, SavedTensor, packed_by, saved_tensor

Reader = Callable[[Node], Any]
SAVED = ("self", "other", "mat1", "mat2", "vec", "tensor", "exponent", "condition", "mask", "index", "input", "weight",
         "bias", "target")  # fmt: skip
OPTIONS = ("dim", "keepdim", "min", "max", "negative_slope", "alpha")
SEVERAL = "Sum1 Mean1 Amax0 Amin0 LinalgVectorNorm0 Std0 Var0 Logsumexp0 Nansum0"  # whose `dim` is several
SIZED = "Sum Mean View Expand Select Slice Index Squeeze Max0 Min0 Mm Repeat Split Topk Sort UnsafeView"


def class_name(node: Any) -> str:
    """Return `type(node).__name__`: the name without its C++ namespace."""
    name = str(getattr(node, "_name", "") or node.name())
    return "CppFunction" if name == "torch::autograd::Identity" else name.rpartition("::")[2]


def saved_input(name: str) -> Callable[[Node], Any]:
    """Make the getter of `_saved_self` and the like: an input that the node saved, None where no gradient needs it."""

    def get(node: Node) -> Any:
        if name in node.options and "part" not in node.primitive.traits:
            return node.options[name]
        names = node.primitive.inputs
        position = names.index(name) if name in names else OUT
        of_rules = node.primitive.saved_for(node.edges)
        if position == OUT or not any(position in positions for positions in of_rules):
            raise absent(node, f"_saved_{name}")
        if position not in saved(node):
            return None
        x = operands(node, True)[0][position]
        check_versions(node, {position})
        return x if isinstance(x, Tensor) else Tensor(np.array(x)[()])

    return get


def raw_input(name: str) -> Callable[[Node], Any]:
    """Make the getter of `_raw_saved_self` and the like."""

    def get(node: Node) -> Any:
        names = node.primitive.inputs
        position = OUT if name == "result" else names.index(name) if name in names else None
        if not any(position in positions for positions in node.primitive.saved_for(node.edges)):
            raise absent(node, f"_raw_saved_{name}")
        return saved_tensor(node, position) if position in saved(node) else NOT_NEEDED

    return get


NOT_NEEDED = SavedTensor(lambda: NOTHING, lambda x: None)  # in the place of an operand that no gradient needs


def saved_result(node: Node) -> Any:
    if not node.primitive.saves_out:
        raise absent(node, "_saved_result")
    found = operands(node, True)[1]
    check_versions(node, {OUT})
    found.history = node.saved_out[0] if node.saved_out is not None else found.history
    return found


def saved_option(name: str) -> Callable[[Node], Any]:
    def get(node: Node) -> Any:
        if name not in node.options:
            raise absent(node, f"_saved_{name}")
        if class_name(node) == "RenormBackward0":
            raise UnsupportedError(f"RenormBackward0._saved_{name} is not supported here")
        found = node.options[name]
        several = (
            name == "dim" and isinstance(found, int) and class_name(node).replace("Backward", "") in SEVERAL.split()
        )
        found = tuple(map(as_given, found)) if isinstance(found, tuple) else as_given(found)
        return (found,) if several else found

    return get


def as_given(dim: Any) -> Any:
    """Return a dimension as torch's node shows it: one from the end is an unsigned number of 64 bits."""
    return dim.given % 2**64 if isinstance(dim, FromEnd) else dim


def saved_sizes(node: Node) -> tuple[int, ...]:
    stem, _, number = node.name().rpartition("Backward")
    if stem not in SIZED.split() and stem + number not in SIZED.split():
        raise absent(node, "_saved_self_sym_sizes")
    return tuple(operands(node, True)[0][0].shape)


def absent(node: Node, name: str) -> UnsupportedError:
    """Return the error for something that torch's node may have saved under this name."""
    return UnsupportedError(f"{class_name(node)}.{name} is not supported here")


def refused(name: str) -> Callable[[Node], Any]:
    def get(node: Node) -> Any:
        raise absent(node, name)

    return get


def option(name: str, *default: Any) -> Reader:
    """Make the reader of an option; of one that was left out it is the default, if there is one."""

    def read(node: Node) -> Any:
        return node.options.get(name, *default) if default else node.options[name]

    return read


def offset(node: Node) -> int:
    """Return where a strided view begins, if that is not where it begins when nothing is said."""
    if not node.options["offset"]:
        raise KeyError("offset")
    return int(node.options["offset"])


def indices(node: Node) -> tuple[Any, ...]:
    """Return the tensors of an index, and None for the dimensions before and between that were taken whole."""
    dims = node.options["dims"]
    given = dict(zip(dims, operands(node, True)[0][1:], strict=True))
    if any(not isinstance(x, Tensor) or x.dtype != np.int64 for x in given.values()):
        raise KeyError("indices")
    return tuple(given.get(dim) for dim in range(max(dims) + 1))


def raw_indices(node: Node) -> tuple[Any, ...]:
    """Return what takes hooks for each tensor of an index; for a dimension that was taken whole it refuses them."""
    if class_name(node) != "IndexBackward0":
        raise absent(node, "_raw_saved_indices")
    if node.inputs is None and not packed_by(node):
        raise AutogradError(SECOND_TIME, code="E302")
    positions = {dim: place for place, dim in enumerate(node.options["dims"], 1)}
    places = map(positions.get, range(max(positions) + 1))
    return tuple(NOT_NEEDED if place is None else saved_tensor(node, place) for place in places)


def weight(node: Node) -> Tensor | None:
    """Return the weights of the classes, of which a plain loss has none."""
    found = operands(node, True)[0][2]
    return found if isinstance(found, Tensor) else None


def bias_sizes(node: Node) -> tuple[int, ...]:
    """Return the shape of the bias of a convolution; where there is none, torch has a dimension of none."""
    operand = operands(node, True)[0][2:]
    return tuple(operand[0].shape) if operand and isinstance(operand[0], Tensor) else (0,)


READERS: dict[str, dict[str, Reader]] = {
    "AsStridedBackward0": {"size": option("size"), "stride": option("stride"), "storage_offset": offset},
    "ConvolutionBackward0": {
        **{name: option(name) for name in ("stride", "padding", "dilation", "groups")},
        "bias_sym_sizes_opt": bias_sizes,
    },
    "DivBackward2": {"rounding_mode": lambda node: node.primitive.name.removesuffix("_divide")},
    "IndexBackward0": {"indices": indices},
    "LinalgQrBackward0": {"mode": option("mode")},
    "LogitBackward0": {"eps": option("eps", None)},
    "NllLossBackward0": {
        "weight": weight,
        "ignore_index": lambda node: node.options["ignore_index"] % 2**64,
        "reduction": lambda node: ("none", "mean", "sum").index(node.options["reduction"]),
    },
}
NAMES = sorted({name for readers in READERS.values() for name in readers})


def saved_value(name: str, otherwise: Reader) -> Reader:
    """Make the getter of a name that single kinds of nodes read in a way of their own, the others `otherwise`."""

    def get(node: Node) -> Any:
        try:
            return READERS[node.name()][name](node)
        except (KeyError, ValueError):
            return otherwise(node)

    return get


SAVED_VALUES: dict[str, Reader] = {
    **{f"_saved_{name}": saved_option(name) for name in OPTIONS},
    **{f"_saved_{name}": saved_input(name) for name in SAVED},
    **{f"_raw_saved_{name}": raw_input(name) for name in (*SAVED, "result")},
    "_saved_result": saved_result,
    "_raw_saved_indices": raw_indices,
    "_saved_self_sym_sizes": saved_sizes,
}
SAVED_VALUES |= {
    f"_saved_{name}": saved_value(name, SAVED_VALUES.get(f"_saved_{name}", refused(f"_saved_{name}"))) for name in NAMES
}
