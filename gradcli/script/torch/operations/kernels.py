"""What torch refuses of an operation where the engine computes all the same: kinds of numbers, and two of them.

The words stand on the declaration of the operation: see `kernel` and `alike` of `Operation`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import OPERATIONS, Operation

BIAS = "Input type ({c0}) and bias type ({c1}) should be the same"
EXPECTED = "expected scalar type {0} but found {1}"


def check_numbers(operation: Operation, arguments: Sequence[Any]) -> None:
    """Raise torch's error where its kernel takes no such numbers, or not two kinds of them."""
    whole = real = other = None
    for x in arguments:  # on every call: no function is called here
        if isinstance(x, Tensor):
            dtype = x.value.dtype
            if dtype.kind != "f":
                whole = dtype if whole is None else whole
            elif real is None:
                real = dtype
            elif dtype != real:
                other = dtype
    if operation.kernel and whole is not None and real is None:
        kind = TYPE_NAMES[whole]
        if " " in operation.kernel:
            raise RuntimeError(operation.kernel.format(kind))
        raise NotImplementedError(f"\"{operation.kernel}\" not implemented for '{kind}'")
    if operation.alike and other is not None:
        bias = next(iter([x.value.dtype for x in arguments if isinstance(x, Tensor)][2:]), real)
        is_of_bias = "bias" in operation.parameters and bias != real
        raise AutogradError(two_kinds(BIAS if is_of_bias else operation.alike, real, other))


def two_kinds(words: str, first: Any, other: Any) -> str:
    """Return a message with two dtypes: `{0}` and `{1}` are `Float`, `{c0}` and `{c1}` C's words for them."""
    names = [TYPE_NAMES[kind] for kind in (first, other)]
    return words.format(*names, **{f"c{at}": C_NAMES[kind] for at, kind in enumerate(names)})


def refusing(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of torch.nn.functional that refuses numbers as the operation of its name does."""
    operation = OPERATIONS.get(name)
    if operation is None or not (operation.kernel or operation.alike):
        return function

    def call(*arguments: Any, **keywords: Any) -> Any:
        check_numbers(operation, (*arguments, *keywords.values()))
        return function(*arguments, **keywords)

    call.__name__ = call.__qualname__ = name
    call.__module__ = function.__module__
    return call


def check_parameters(input: Tensor, *parameters: Tensor | None) -> None:
    """Refuse parameters of a normalization of another dtype than the input; the first that is there tells."""
    other = next((x.dtype for x in parameters if x is not None and x.dtype != input.dtype), None)
    if other is not None:
        raise AutogradError(f"mixed dtype (CPU): {two_kinds(EXPECTED, input.dtype, other)}")
