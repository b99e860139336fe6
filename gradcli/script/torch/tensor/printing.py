"""The text of a tensor as torch prints it: digits, columns, brackets, and the suffixes after the numbers.

The rules are those of torch 2.13. Every shown number is formatted once; numbers that are not shown are never looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any
from weakref import WeakSet

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.facts import dataclass
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.func.levels import refuse_text

PREFIX = "tensor("
UNNAMED = (np.dtype(np.int64), np.dtype(np.bool_))  # dtypes that need no `dtype=`, besides the default one


@dataclass(slots=True)
class PrintOptions:
    """Options of printing tensors; `sci_mode` None lets the numbers decide. Each of `suffixes` may add a part."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None
    suffixes: list[Callable[[Tensor], str]] = field(default_factory=list)


def print_options() -> PrintOptions:
    return running.machine.instance(PrintOptions)


PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how the run prints tensors, as `torch.set_printoptions`.

    Options that are left out stay as they are, except for `sci_mode`, which torch sets each time; an unknown profile is
    ignored.
    """
    options = print_options()
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen = PROFILES.get(profile or "", {}) | {name: value for name, value in given.items() if value is not None}
    for name, value in chosen.items():
        setattr(options, name, value)
    options.sci_mode = sci_mode


UNTOLD: WeakSet[Any] = WeakSet()  # nodes that stand for others in torch, whose names are not known


def with_known_node(tensor: Tensor) -> Tensor:
    """Return the tensor. UnsupportedError if torch has another node for it."""
    if UNTOLD and tensor.known_node is not None and tensor.known_node in UNTOLD:
        raise UnsupportedError(
            "the node of a result of vmap, of a tangent or of a differentiable step is not supported here: torch has "
            "another",
            python=RuntimeError,
            help="detach() it to look at its numbers",
        )
    return tensor


def tensor_text(tensor: Tensor, *, indent: int = 0) -> str:
    """The `repr` of the tensor in torch; `indent` is the column at which the text will begin."""
    refuse_text()
    with_known_node(tensor)
    options = print_options()
    margin = indent + len(PREFIX)
    value = tensor.value
    text = PREFIX + (_numbers_text(value, margin, options) if value.size else "[]")
    used = indent + len(text) + 2 if "\n" not in text else len(text) - text.rfind("\n") + 1
    for suffix in _suffixes(tensor, options):
        if used + len(suffix) + 2 > options.linewidth:
            text += ",\n" + " " * margin + suffix
            used = margin + len(suffix)
        else:
            text += ", " + suffix
            used += len(suffix) + 2
    return text + ")"


def format_tensor(tensor: Tensor, spec: str = "") -> str:
    """The text in an f-string: of a 0-d tensor the number alone, else the whole text.

    Raises TypeError when there is a `spec` and not exactly one number to apply it to.
    """
    if tensor.ndim == 0:
        return format(tensor.item(), spec)
    if spec:
        raise TypeError("unsupported format string passed to Tensor.__format__")
    return tensor_text(tensor)


def size_text(shape: Sequence[int]) -> str:
    """A shape as torch shows it: `torch.Size([2, 3])`."""
    return f"torch.Size({list(shape)})"


def dtype_text(dtype: np.dtype[Any]) -> str:
    """A dtype as torch shows it: `torch.float32`."""
    return f"torch.{dtype.name}"


def _suffixes(tensor: Tensor, options: PrintOptions) -> list[str]:
    """The parts after the numbers: size and dtype where the numbers do not show them, then the place in the graph."""
    value = tensor.value
    is_implied = value.dtype == mode.default_dtype or (value.size > 0 and value.dtype in UNNAMED)
    suffixes = []
    if not options.edgeitems if value.size else value.ndim != 1:
        suffixes.append(f"size={tuple(value.shape)}")
    if not is_implied:
        suffixes.append(f"dtype={dtype_text(value.dtype)}")
    try:
        tensor.check_valid()
    except AutogradError:
        return [*suffixes, "grad_fn=<Invalid>"]
    grad_fn = tensor.grad_fn
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn.name().rpartition('::')[2]}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return suffixes + [text for suffix in options.suffixes if (text := suffix(tensor))]


def _numbers_text(value: Any, margin: int, options: PrintOptions) -> str:
    """The numbers in brackets, `margin` columns from the left."""
    edge = options.edgeitems
    summarised = value.size > options.threshold
    if value.ndim == 0:
        return _number_texts([value.item()], value.dtype.kind, options)[0][0]
    if summarised and not edge:
        return "[...]"
    cut = [edge if summarised and size > 2 * edge else 0 for size in value.shape]
    for axis, size in enumerate(value.shape):
        if cut[axis]:
            value = value.take([*range(edge), *range(size - edge, size)], axis)
    texts, width = _number_texts(value.ravel().tolist(), value.dtype.kind, options)
    per_line = max(1, (options.linewidth - margin - value.ndim + 1) // (width + 2))
    return _bracketed(texts, value.shape, cut, margin, per_line)


def _bracketed(texts: list[str], shape: tuple[int, ...], cut: list[int], margin: int, per_line: int) -> str:
    """Texts of the given shape, at most `per_line` of them on one line, with dots in the middle of the cut axes."""
    comma, dots, newlines = ", ", " ...", 1
    for axis in reversed(range(len(shape))):
        groups, middle = _batches(texts, shape[axis]), cut[axis]
        if middle:
            groups = [[*group[:middle], dots, *group[middle:]] for group in groups]
        lines = "," + "\n" * newlines + " " * (margin + axis + 1)
        texts = ["[" + lines.join(map(comma.join, _batches(group, per_line))) + "]" for group in groups]
        comma, dots, per_line, newlines = ",", "...", 1, len(shape) - axis
    return texts[0]


def _batches(items: list[str], size: int) -> list[list[str]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _number_texts(values: list[Any], kind: str, options: PrintOptions) -> tuple[list[str], int]:
    """Every number as text, right-aligned, and the width of their column.

    torch takes the width from the finite numbers other than zero, so that `nan` and `-0.` may stick out of it.
    """
    if kind != "f":
        texts = [str(value) for value in values]
        width = max(map(len, texts))
    else:
        measured = [value != 0 and math.isfinite(value) for value in values]
        counted = [value for value, counts in zip(values, measured, strict=True) if counts]
        texts = _fraction_texts(values, counted, options)
        width = max((len(text) for text, counts in zip(texts, measured, strict=True) if counts), default=1)
    return [text.rjust(width) for text in texts], width


def _fraction_texts(values: list[float], measured: list[float], options: PrintOptions) -> list[str]:
    """Floating point numbers in the notation that the measured ones among them ask for."""
    sizes = [abs(value) for value in measured]
    least, most = min(sizes, default=1), max(sizes, default=1)
    exponents = most / least > 1000 or most > 1e8 or least < 1e-4 if options.sci_mode is None else options.sci_mode
    if sizes and exponents:
        return [f"{value:.{options.precision}e}" for value in values]
    if all(value.is_integer() for value in measured):
        return [f"{value:.0f}." if math.isfinite(value) else str(value) for value in values]
    return [f"{value:.{options.precision}f}" for value in values]
