"""`torch.autograd.Function`: the snippet's own forward and backward, as one node of the graph.

The node holds a primitive that is made for this one call: its rules run the snippet's `backward`. Several outputs are
the parts of one flat tensor, so that the node has one result, as every node has.
"""

from __future__ import annotations

import warnings
from typing import Any

from gradcli.engine.memory.in_place import change, check_in_place
from gradcli.engine.memory.views import CUSTOM, ITSELF, PART, View, is_view
from gradcli.engine.memory.writing import copy
from gradcli.engine.modes import mode, switched
from gradcli.engine.recorder import listening
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import Facade
from gradcli.script.torch.autograd.context import Context
from gradcli.script.torch.autograd.custom import Call
from gradcli.script.torch.autograd.grad_modes import Marks
from gradcli.script.torch.autograd.parts import bound, once_differentiable, push, tangents_of

LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
    "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)
NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
    "inplace must all be outputs of the Function."
)
NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)
DIRTY_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
    "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
    "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
    "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)
RETURNED_AND_SAVED = (
    "An input that has been returned as-is as output is being saved for backward. This is not supported if you "
    "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or setup "
    "ctx inside the forward function itself."
)
NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
    "mode AD."
)

NO_VMAP = (
    "To use autograd.Function with vmap, you must either override the vmap staticmethod or set generate_vmap_rule=True."
)
NO_JVP = "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."


MORE = " For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
NO_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    f"the setup_context staticmethod.{MORE}"
)
WITHOUT_RULE = (
    "does not have vmap support. Please override and implement the vmap staticmethod or set "
    f"generate_vmap_rule=True.{MORE}"
)


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
    def vjp(ctx: Any, *gradients: Any) -> Any:
        raise NotImplementedError(NO_BACKWARD)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        raise NotImplementedError(NO_JVP)

    generate_vmap_rule = False

    @staticmethod
    def vmap(info: Any, in_dims: Any, *arguments: Any) -> Any:
        raise NotImplementedError(NO_VMAP)

    @classmethod
    def apply(cls, *arguments: Any, **keywords: Any) -> Any:
        """Run `forward` outside the graph, and record a node that runs `backward`."""
        separate = cls.setup_context is not Function.setup_context
        if mode.transforms:
            check_transformed(cls, separate)
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
        recording = mode.grad_enabled and any(context.needs_input_grad)
        parts = tuple(_apart(x) if recording and _is_written(context, x) else x for x in results)
        Call(cls, context, arguments, parts).record()
        for result, part in zip(results, parts, strict=True):
            if result is not part:
                change(result, copy, part)
        push(cls, context, arguments, results, tangents)
        made = [pair for pair in zip(given, results, strict=True) if not any(pair[0] is x for x in arguments)]
        context._seal({id(before): after for before, after in made}, results)
        return results if isinstance(outputs, tuple) else results[0]


def check_transformed(cls: Any, separate: bool) -> None:
    """Refuse in a function that torch.func transforms what torch refuses there, and a rule for batches."""
    if not separate:
        raise RuntimeError(NO_SETUP)
    if "vmap" in mode.transforms and cls.vmap is not Function.vmap:
        raise UnsupportedError(
            f"the vmap staticmethod of {cls.__name__} is not supported here",
            python=RuntimeError,
            help="set generate_vmap_rule = True",
        )
    if "vmap" in mode.transforms and not cls.generate_vmap_rule:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it {WITHOUT_RULE}")


def _results(context: Context, arguments: tuple[Any, ...], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the outputs; a returned input that is not marked dirty becomes another tensor."""
    _check_marks(context, arguments, outputs)
    recorded = mode.grad_enabled and any(context.needs_input_grad)
    results: list[Any] = []
    for output in outputs:
        if isinstance(output, Tensor):
            dirty = any(output is x for x in context._dirty)
            if dirty:
                _check_dirty(output)
                taken_over = recorded and is_view(output)  # by a change that counts itself
                if not taken_over and not any(output is x for x in results):
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


def _check_marks(context: Context, arguments: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
    """Refuse what is marked dirty and not returned, or no input, and a dirty view that is not the only output."""
    if not all(any(x is output for output in outputs) for x in context._dirty):
        raise RuntimeError(NOT_RETURNED)
    for x in context._dirty:
        if not any(x is given for given in arguments):
            if is_view(x):
                raise RuntimeError(NO_INPUT)
            warnings.warn(NO_INPUT, UserWarning, stacklevel=2)
    recorded = mode.grad_enabled and any(context.needs_input_grad)
    if recorded and len(outputs) > 1 and any(is_view(x) for x in context._dirty):
        raise RuntimeError(DIRTY_VIEW)


def _check_saved(context: Context, arguments: tuple[Any, ...], outputs: Any) -> None:
    """Refuse to save an input that is an output too, for it becomes another tensor after `setup_context`."""
    returned = outputs if isinstance(outputs, tuple) else (outputs,)
    for x in (*context._saved, *context._forward):
        both = all(any(x is each for each in several) for several in (arguments, returned))
        if x is not None and both and not any(x is dirty for dirty in context._dirty):
            raise RuntimeError(RETURNED_AND_SAVED)


def _is_written(context: Context, x: Any) -> bool:
    return is_view(x) and any(x is dirty for dirty in context._dirty)


def _apart(x: View) -> Tensor:
    """Return the values apart from their memory: a view takes them over as any change does, so that its base knows."""
    check_in_place(x)
    return Tensor(x.value.copy())


def _check_dirty(x: Tensor) -> None:
    if mode.grad_enabled and is_view(x) and x.origin and x.requires_grad:
        raise x.refusal(ITSELF)
    if mode.grad_enabled and x.is_leaf and x.requires_grad:
        raise AutogradError("a leaf Variable that requires grad has been used in an in-place operation.", code="E304")


Function.__module__ = "torch.autograd.function"


MEMBERS: dict[str, Any] = {
    "Function": Function,
    "FunctionCtx": Context,
    "once_differentiable": once_differentiable,
}
