"""The arguments of functions that make tensors: sizes, and keywords such as `dtype` and `requires_grad`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.graph import Unversioned
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor, require_grad
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.devices import check_device
from gradcli.script.torch.operations.arguments import check_kind, kind_name, no_output
from gradcli.script.torch.random.generator import Generator
from gradcli.script.torch.tensor.dtypes import numpy_dtype

IGNORED = frozenset(("layout", "memory_format", "pin_memory"))  # where and how tensors lie in memory


class Options(NamedTuple):
    dtype: np.dtype[Any] | None
    requires_grad: bool
    generator: Any

    @property
    def real(self) -> np.dtype[Any]:
        """The dtype, or the default dtype."""
        return mode.default_dtype if self.dtype is None else self.dtype


def read_options(name: str, keywords: dict[str, Any]) -> Options:
    """Read the keywords that a function got besides its own; TypeError for unknown ones."""
    if not keywords:
        return PLAIN
    dtype, required = keywords.get("dtype"), keywords.get("requires_grad", False)
    for keyword in keywords:
        if keyword == "out":
            raise no_output(name)
        if keyword not in OWN and keyword not in IGNORED:
            raise TypeError(f"{name}() got an unexpected keyword argument '{keyword}'")
    check_kind(name, "requires_grad", 0, required, bool, "bool")
    if dtype is not None:
        dtype = numpy_dtype(dtype)
        check_kind(name, "dtype", 0, dtype, np.dtype, "torch.dtype")
    check_device(keywords.get("device"))
    generator = keywords.get("generator")
    check_kind(name, "generator", 0, generator, Generator | None, "torch.Generator")
    return Options(dtype, required, generator)


OWN = frozenset(("dtype", "device", "requires_grad", "generator"))
PLAIN = Options(None, False, None)


def new_leaf(value: Any, options: Options = PLAIN) -> Tensor:
    """Make a leaf."""
    leaf = Tensor(value)
    if mode.inference:
        leaf.history = Unversioned()
    if options.requires_grad:
        require_grad(leaf)
    return leaf


def overwrite(tensor: Tensor, value: Any) -> Tensor:
    """Write numbers into the memory of a tensor, outside the graph, and return it."""
    tensor.array[...] = value
    tensor.changed()
    return tensor


def sizes(name: str, given: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[int, ...]:
    """Return the sizes of `zeros(2, 3)`, `zeros((2, 3))` or `zeros(size=(2, 3))`, checked."""
    if not given and "size" in keywords:
        given = (keywords.pop("size"),)
    elif not given:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    return checked_shape(name, given[0] if len(given) == 1 and isinstance(given[0], tuple | list) else given)


MOST_DIMENSIONS = 64  # that a numpy array can have


def checked_shape(name: str, given: Any) -> tuple[int, ...]:
    """Check a sequence of sizes, and that the budget has room for so many entries."""
    shape = tuple(size if type(size) is int else _size(name, size, at) for at, size in enumerate(given))
    if any(size < 0 for size in shape):
        if name == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}")
    if len(shape) > MOST_DIMENSIONS:
        raise UnsupportedError(f"a tensor of {len(shape)} dimensions is not supported here", help="64 are the most")
    running.machine.budget.fits(math.prod(size or 1 for size in shape), "the tensor")
    return shape


def _size(name: str, size: Any, position: int) -> int:
    if isinstance(size, Tensor) and not size.ndim and size.dtype.kind in "iu":
        return int(size.item())
    if isinstance(size, np.integer):
        return int(size)
    place = f"an element at pos {position + 1} is" if position else "it is"
    raise TypeError(f"{name}(): argument 'size' must be tuple of ints, but {place} {kind_name(size)}")


def size_tuple(name: str, size: Any, position: int = 1) -> tuple[int, ...]:
    """Check a size that must be given as one tuple."""
    check_kind(name, "size", position, size, tuple | list, "tuple of ints")
    return checked_shape(name, size)


def whole_number(name: str, parameter: str, value: Any, position: int) -> int:
    """Read a whole number, or the one in a tensor."""
    is_plain = isinstance(value, Tensor) and not value.ndim and not value.requires_grad
    if is_plain or isinstance(value, np.integer):
        value = value.item()
    check_kind(name, parameter, position, value, int, "int")
    return value  # type: ignore[no-any-return]
