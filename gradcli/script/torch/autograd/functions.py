"""`torch.autograd.Function`: the snippet's own forward and backward, as one node of the graph.

The node holds a primitive that is made for this one call: its rules run the snippet's `backward`. Several outputs are
the parts of one flat tensor, so that the node has one result, as every node has.
"""

from __future__ import annotations

from typing import Any

from gradcli.engine.memory.views import CUSTOM, PART, View, is_view
from gradcli.engine.modes import mode, switched
from gradcli.engine.recorder import listening
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import Facade
from gradcli.script.torch.autograd.context import Context
from gradcli.script.torch.autograd.custom import Call, bound, once_differentiable, push, tangents_of
from gradcli.script.torch.autograd.grad_modes import Marks

LEGACY = "Legacy autograd function with non-static forward method is deprecated: call it by .apply(...)"
NOT_RETURNED = "Inputs that are modified in place and marked dirty must be returned by the Function."
RETURNED_AND_SAVED = (
    "An input that setup_context saves is returned as it is, which is not supported. You should return and save a view "
    "of the input instead, e.g. with x.view_as(x)"
)
NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
    "mode AD."
)
NO_JVP = "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."


class Function(Facade):
    """The base class of a snippet's own functions; `apply` calls them."""

    __parent__ = True

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        raise RuntimeError(LEGACY)

    @staticmethod
    def forward(*arguments: Any, **keywords: Any) -> Any:
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> Any:
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise NotImplementedError(NO_BACKWARD)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        raise NotImplementedError(NO_JVP)

    @classmethod
    def apply(cls, *arguments: Any, **keywords: Any) -> Any:
        """Run `forward` outside the graph, and record a node that runs `backward`."""
        separate = cls.setup_context is not Function.setup_context
        if mode.transforms:
            words = "a Function of your own inside of a function that torch.func transforms is not supported here"
            raise UnsupportedError(words, python=RuntimeError, help="write it with operations of tensors")
        arguments = bound(cls.forward, separate, arguments, keywords)
        context = Context(cls, arguments)
        tangents = tangents_of(arguments)
        with switched(grad_enabled=False, tape=next(iter(listening(Marks)), None)):
            if separate:
                outputs = cls.forward(*arguments)
                cls.setup_context(context, arguments, outputs)
                _check_saved(context, arguments, outputs)
            else:
                outputs = cls.forward(context, *arguments)
        given = outputs if isinstance(outputs, tuple) else (outputs,)
        results = _results(context, arguments, given)
        Call(cls, context, arguments, results).record()
        push(cls, context, arguments, results, tangents)
        made = [pair for pair in zip(given, results, strict=True) if not any(pair[0] is x for x in arguments)]
        context._seal({id(before): after for before, after in made}, results)
        return results if isinstance(outputs, tuple) else results[0]


def _results(context: Context, arguments: tuple[Any, ...], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the outputs; a returned input that is not marked dirty becomes another tensor."""
    _check_marks(context, outputs)
    recorded = mode.grad_enabled and any(context.needs_input_grad)
    results: list[Any] = []
    for output in outputs:
        if isinstance(output, Tensor):
            dirty = any(output is x for x in context._dirty)
            if dirty:
                _check_dirty(output)
                if not any(output is x for x in results):
                    output.changed()
            elif is_view(output) or any(output is x for x in arguments):
                several = recorded and sum(isinstance(x, Tensor) for x in outputs) > 1
                marked = any(output is x for x in context._without_gradient)
                alias = _alias(output, arguments, PART if several else CUSTOM, cut=marked or not recorded)
                if marked:
                    context._without_gradient = (*context._without_gradient, alias)
                output = alias
        results.append(output)
    return tuple(results)


def _alias(x: Tensor, arguments: tuple[Any, ...], origin: str, *, cut: bool) -> Tensor:
    """Return another tensor on the same memory; of an input that is `cut`, one outside the graph."""
    if cut and x.requires_grad and any(x is given for given in arguments):
        return x.detach()
    return View(x.array, x if x.base is None else x.base, (), origin)


def _check_marks(context: Context, outputs: tuple[Any, ...]) -> None:
    """Refuse what is marked dirty and not returned, and a view that is marked."""
    for x in context._dirty:
        if not any(x is output for output in outputs):
            raise RuntimeError(NOT_RETURNED)
        if is_view(x) and not x.is_leaf and mode.grad_enabled and any(context.needs_input_grad):
            raise UnsupportedError("a function that changes a view is not supported here", help="clone() the view")


def _check_saved(context: Context, arguments: tuple[Any, ...], outputs: Any) -> None:
    """Refuse to save an input that is an output too, for it becomes another tensor after `setup_context`."""
    returned = outputs if isinstance(outputs, tuple) else (outputs,)
    for x in (*context._saved, *context._forward):
        both = all(any(x is each for each in several) for several in (arguments, returned))
        if x is not None and both and not any(x is dirty for dirty in context._dirty):
            raise RuntimeError(RETURNED_AND_SAVED)


def _check_dirty(x: Tensor) -> None:
    if mode.grad_enabled and x.is_leaf and x.requires_grad:
        raise AutogradError("a leaf Variable that requires grad has been used in an in-place operation.", code="E304")


Function.__module__ = "torch.autograd.function"


MEMBERS: dict[str, Any] = {
    "Function": Function,
    "FunctionCtx": Context,
    "once_differentiable": once_differentiable,
}
