"""A tensor as torch has it inside of the functions that `torch.func` transforms: wrapped once for each transform."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from textwrap import indent

from gradcli.engine.graph import Target
from gradcli.engine.modes import mode, switched
from gradcli.engine.tensor import Tensor

_UNSUPPORTED = (
    "You are attempting to call Tensor.{0}(){1} inside of a function being transformed by a functorch transform. This "
    "is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call "
    "{0}() outside of a function being transformed instead."
)
REQUIRED = _UNSUPPORTED.format("requires_grad_", " (or perhaps using torch.autograd.functional.* APIs)")
RETAINED = _UNSUPPORTED.format("retain_grad", "")


def seen_node(x: Tensor) -> Target | None:
    """Return the node of a tensor, as the innermost transform that runs knows it."""
    return mode.transforms[-1].node_of(x) if mode.transforms else x.node


def wrapped_text(tensor: Tensor, plain: Callable[[Tensor], str]) -> str:
    """Return the text of a tensor inside of the transforms that run; empty where no one of them wraps it.

    Under vmap that for other examples is that for the first one, as torch runs the function once.
    """
    batches = [each for each in mode.transforms if each.kind == "vmap"]
    later = [each for each in batches if each.first is not each]
    if later and later[0].looks < len(later[0].first.texts):
        text: str = later[0].first.texts[later[0].looks]
        later[0].looks += 1
    else:
        text = _wrapped_text(tensor, plain)
    for each in batches:
        each.texts.append(text)
    return text


def _wrapped_text(tensor: Tensor, plain: Callable[[Tensor], str]) -> str:
    for place, transform in reversed(list(enumerate(mode.transforms))):
        if (found := transform.inner(tensor)) is not None:
            beginning, value = found
            with outside(place):
                inner = _wrapped_text(value, plain)
            return wrapper(beginning.format(place + 1), inner or plain(value))
    return ""


def unwrapped(tensor: Tensor, *, recurse: bool) -> Tensor:
    """Return the tensor inside of the innermost wrapper, or of all of them."""
    for place, transform in reversed(list(enumerate(mode.transforms))):
        if (found := transform.inner(tensor)) is not None:
            with outside(place):
                return unwrapped(found[1], recurse=True) if recurse else found[1]
    return tensor


@contextmanager
def outside(place: int) -> Iterator[None]:
    """Be outside of the transforms from a place on."""
    transforms = mode.transforms[:place]
    batches = [each for each in transforms if each.kind == "vmap"]
    with switched(transforms=transforms, examples=batches[-1] if batches else None):
        yield


def wrapper(beginning: str, inner: str) -> str:
    return f"{beginning}, value=\n{indent(inner, ' ' * 4)}\n)"
