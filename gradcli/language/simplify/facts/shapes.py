"""The shapes of results of structured functions, as far as they follow from the shapes of the arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradcli.language.simplify.extents import Shape, broadcast
from gradcli.language.tree import Expression, List, Literal, Number, Slice, Tuple, Unary

Arguments = Mapping[int | str, Any]  # by position or keyword: a shape, or the value of a plain argument


def shape_of_call(name: str, arguments: Arguments) -> Shape | None:
    """Return the shape of a result; None where it is not known, or nothing fits."""
    rule = RULES.get(name)
    try:
        return None if rule is None else rule(arguments)
    except (KeyError, TypeError, IndexError, ValueError):
        return None


def constant_value(tree: Expression) -> Any:
    """Return the value of a number, word, tuple or list of such; ValueError for another expression."""
    match tree:
        case Number() | Literal():
            return tree.value
        case Unary(operator="-", operand=Number()):
            return -tree.operand.value  # type: ignore[attr-defined]
        case Tuple():
            return tuple(map(constant_value, tree.items))
        case List():
            return list(map(constant_value, tree.items))
    raise ValueError(tree)


def shape_of_list(tree: Expression) -> Shape | None:
    """Return the shape of nested lists of anything that is a number."""
    shape = []
    while isinstance(tree, List):
        shape.append(len(tree.items))
        if not tree.items:
            break
        tree = tree.items[0]
    return tuple(shape)


def _matmul(x: Arguments) -> Shape | None:
    a, b = x[0], x[1]
    if not a or not b or a[-1] != b[max(0, len(b) - 2)]:
        return None
    if len(a) <= 2 and len(b) <= 2:
        return (*a[:-1], *b[1:])
    return (*broadcast(a[:-2], b[:-2]), *a[-2:-1], *b[-1:]) if min(len(a), len(b)) >= 2 else None


def dims_of(dims: Any, rank: int) -> list[int] | None:
    """Return dimensions counted from the first; None where they are not known."""
    sequence = (dims,) if isinstance(dims, int) else dims
    if not isinstance(sequence, tuple | list) or not all(isinstance(dim, int) for dim in sequence):
        return None
    return [dim % rank for dim in sequence] if rank else []


def shape_of_index(shape: Shape, items: Sequence[Expression]) -> Shape | None:
    """Return the shape of an entry or a slice; None for other kinds of index."""
    sizes = []
    if len(items) > len(shape):
        return None
    for size, item in zip(shape, items, strict=False):
        try:
            if isinstance(item, Slice):
                bounds = [None if x is None else constant_value(x) for x in (item.start, item.stop, item.step)]
                sizes.append(len(range(size)[slice(*bounds)]))
            elif not isinstance(constant_value(item), int) or isinstance(constant_value(item), bool):
                return None
        except (ValueError, TypeError):
            return None
    return (*sizes, *shape[len(items) :])


def _linear(x: Arguments) -> Shape:
    return (*x[0][:-1], *x[1][:-1])


def _permuted(x: Arguments) -> Shape | None:
    dims = dims_of(x.get("dims", x.get(1)), len(x[0]))
    return None if dims is None else tuple(x[0][dim] for dim in dims)


def _transposed(x: Arguments) -> Shape:
    sizes = list(x[0])
    sizes[x[1]], sizes[x[2]] = sizes[x[2]], sizes[x[1]]
    return tuple(sizes)


def _squeezed(x: Arguments) -> Shape | None:
    axes = dims_of(x.get("dim", x.get(1)), len(x[0]))
    return None if axes is None else tuple(n for axis, n in enumerate(x[0]) if axis not in axes or n != 1)


def _reduced(x: Arguments) -> Shape:
    shape, dim = x[0], x.get("dim", x.get(1))
    dims = range(len(shape)) if dim is None else (dim,) if isinstance(dim, int) else dim
    axes = {d % len(shape) for d in dims} if shape else set()
    sizes = [1 if axis in axes else size for axis, size in enumerate(shape)]
    if x.get("keepdim", x.get(2)):
        return tuple(sizes)
    return tuple(size for axis, size in enumerate(sizes) if axis not in axes)


def _unsqueezed(x: Arguments) -> Shape:
    shape = list(x[0])
    dim = x.get("dim", x.get(1))
    shape.insert(dim if dim >= 0 else len(shape) + 1 + dim, 1)
    return tuple(shape)


def _shape_argument(position: int, keyword: str) -> Callable[[Arguments], Shape | None]:
    def shape_in_argument(x: Arguments) -> Shape | None:
        shape = x.get(keyword, x.get(position))
        sizes = (shape,) if isinstance(shape, int) else tuple(shape or ())
        return sizes if all(isinstance(size, int) and size >= 0 for size in sizes) else None

    return shape_in_argument


def _indexed(x: Arguments) -> Shape | None:
    items = [value for position, value in x.items() if position]
    return tuple(x[0][len(items) :]) if all(isinstance(item, int) for item in items) else None


def _diagonal(x: Arguments) -> Shape | None:
    return (min(x[0]),) if len(x) == 1 and len(x[0]) == 2 else None


def _on_diagonal(x: Arguments) -> Shape | None:
    return (*x[0], *x[0]) if len(x) == 1 and len(x[0]) == 1 else _diagonal(x)


def _unchanged(x: Arguments) -> Shape:
    return tuple(x[0])


RULES: dict[str, Callable[[Arguments], Shape | None]] = {
    "@": _matmul,
    "Index": _indexed,
    ".T": lambda x: x[0][::-1],
    ".mT": lambda x: (*x[0][:-2], x[0][-1], x[0][-2]),
    "diag": _on_diagonal,
    "diagonal": _diagonal,
    "diagonal_backward": _shape_argument(-1, "shape"),
    "det": lambda x: x[0][:-2],
    "linear": _linear,
    "max": lambda x: () if len(x) == 1 else None,
    "min": lambda x: () if len(x) == 1 else None,
    "permute": _permuted,
    "squeeze": _squeezed,
    "logdet": lambda x: x[0][:-2],
    "eye": lambda x: (x[0], x.get(1, x[0])),
    "expand": _shape_argument(1, "size"),
    "index_backward": _shape_argument(-1, "shape"),
    "one_hot": lambda x: (*(() if isinstance(x[0], int) else x[0]), x[1]) if isinstance(x[1], int) else None,
    "outer": lambda x: (*x[0], *x[1]) if len(x[0]) == len(x[1]) == 1 else None,
    "reshape": _shape_argument(1, "shape"),
    "select_backward": _shape_argument(-1, "shape"),
    "slice_backward": _shape_argument(-1, "shape"),
    "transpose": _transposed,
    "unsqueeze": _unsqueezed,
    "zeros": _shape_argument(0, "size"),
    **dict.fromkeys(("amax", "amin", "logsumexp", "mean", "norm", "prod", "std", "sum", "var"), _reduced),
    **dict.fromkeys(("clone", "cumsum", "detach", "flip", "inverse", "log_softmax", "ones_like", "roll"), _unchanged),
    **dict.fromkeys(("layer_norm", "rms_norm", "safe_softmax", "softmax", "zeros_like"), _unchanged),
}
