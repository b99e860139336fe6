"""`torch.autograd.Function`: the snippet's own forward and backward, as one node of the graph.

The node holds a primitive that is made for this one call: its rules run the snippet's `backward`. Several outputs are
the parts of one flat tensor, so that the node has one result, as every node has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import broadcast_shapes
from gradcli.engine.graph import Handle, Node
from gradcli.engine.memory.views import CUSTOM, PART, View, is_view
from gradcli.engine.modes import mode, set_grad_enabled, switched
from gradcli.engine.primitive import Primitive
from gradcli.engine.recorder import Application, listening
from gradcli.engine.saved import SECOND_TIME, modified_error, origin
from gradcli.engine.symbolic.formula import Formula, call
from gradcli.engine.tangents import Level
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.facts import dataclass
from gradcli.language import tree
from gradcli.ops.shaping.shaping import reshape
from gradcli.ops.windows.padding import pad_constant
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.functions.parameters import signature
from gradcli.script.python.members.tables import describe
from gradcli.script.python.values.attributes import Facade
from gradcli.script.torch.autograd import nodes
from gradcli.script.torch.autograd.grad_modes import Marks
from gradcli.script.torch.autograd.rites import before_hooks, replaced_gradients
from gradcli.script.torch.autograd.saved_tensors import pack_value, unpack_value
from gradcli.script.torch.operations.arguments import kind_name


class Context(Facade):
    """One call of a function. Snippets put attributes of their own on it."""

    def __init__(self, function: type, arguments: tuple[Any, ...]) -> None:
        self.needs_input_grad = tuple(isinstance(x, Tensor) and x.requires_grad for x in arguments)
        self._name = f"{function.__name__}Backward"
        self._attributes: dict[str, Any] = {}  # attributes that the snippet sets, private names too
        self._saved: tuple[Any, ...] = ()
        self._versions: tuple[int, ...] = ()
        self._outputs: tuple[Any, ...] = ()
        self._freed = False
        self._node: Any = None
        self._dirty: tuple[Any, ...] = ()
        self._without_gradient: tuple[Any, ...] = ()
        self._materialize = True
        self._forward: tuple[Any, ...] = ()  # tensors that were saved for `jvp`
        self._pushing = False

    def __call__(self, gradient: Tensor) -> Any:
        return self._node(gradient)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{vars(self).get('_name')!r} object has no attribute {name!r}")

    def name(self) -> str:
        return self._name

    @property
    def next_functions(self) -> tuple[Any, ...]:
        return () if self._node is None else nodes.next_functions(self._node)

    def register_hook(self, fn: Any) -> Handle:
        return self._node.register_hook(fn)  # type: ignore[no-any-return]

    def register_prehook(self, fn: Any) -> Handle:
        return self._node.register_prehook(fn)  # type: ignore[no-any-return]

    def save_for_backward(self, *tensors: Any) -> None:
        for position, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {position} is of type {kind_name(tensor)}"
                )
        self._saved = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for `jvp`, which reads them as `saved_tensors`."""
        self._forward = tensors

    @contextmanager
    def forward_mode(self) -> Iterator[None]:
        """Let `saved_tensors` be those of `save_for_forward` while `jvp` runs."""
        self._pushing = True
        try:
            yield
        finally:
            self._pushing = False

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The saved tensors; AutogradError after the graph was freed, and where one was changed since."""
        if self._pushing:
            return self._forward
        if self._freed:
            raise AutogradError(SECOND_TIME, code="E302")
        for tensor, version in zip(self._saved, self._versions, strict=True):
            history = tensor.history or [] if isinstance(tensor, Tensor) else []
            if len(history) > version:
                made_by = self._node if any(tensor is x for x in self._outputs) else tensor.node
                since = history[version - 1] if version else -1
                raise modified_error(self._node, tensor.value, origin(made_by), history, since)
        return tuple(unpack_value(self._in_graph(x)) for x in self._saved)

    def _in_graph(self, x: Any) -> Any:
        """Return a saved tensor; where another one stands for an output, one that lies in the graph."""
        places = [place for place, output in enumerate(self._outputs) if x is output and x.node is None]
        if not places or not isinstance(x, Tensor) or self._node is None:
            return x
        result = Tensor(x.value)
        result.history = x.history
        result.node = self._node.call.parts.get(places[0], self._node)
        return result

    def mark_dirty(self, *tensors: Any) -> None:
        if not all(isinstance(x, Tensor) for x in tensors):
            raise RuntimeError("mark_dirty can only accept variables, but argument ")
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        if not all(isinstance(x, Tensor) for x in tensors):
            raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
        self._without_gradient = tensors

    def set_materialize_grads(self, value: bool) -> None:
        self._materialize = value

    def _seal(self, outputs: dict[int, Any], results: tuple[Any, ...]) -> None:
        """End `forward`: where it saved an output that it made, save the tensor that the snippet gets in its place."""
        saved = tuple(outputs.get(id(tensor), tensor) for tensor in self._saved)
        self._outputs = results
        self._saved = tuple(map(pack_value, saved))
        self._versions = tuple(len(x.history or ()) if isinstance(x, Tensor) else 0 for x in self._saved)


Context.__module__, Context.__name__, Context.__qualname__ = "torch.autograd.function", "FunctionCtx", "FunctionCtx"
nodes.show(Context)
describe(Context, snippet_attributes=lambda ctx: ctx._attributes)


@dataclass(frozen=True, eq=False)
class Opaque(Primitive):
    """A primitive whose rules are not read for the tensors they save, and may return what a snippet keeps."""

    shares = True

    @property
    def saved(self) -> tuple[frozenset[int], ...]:
        return tuple(frozenset() for _ in self.rules)


class PartNode(Node):
    """The node of one of several outputs; snippets see that of the whole function, which runs the hooks of all."""

    __slots__ = ()
    waits = True

    @property
    def function_node(self) -> Node:
        node = self.edges[0]
        assert isinstance(node, Node)
        return node

    @property
    def number(self) -> int:
        return int(self.options["place"])


def part_of(packed: Any, *, pad: tuple[int, int], shape: tuple[int, ...], place: int = 0) -> Any:
    return reshape(pad_constant(packed, pad=pad, value=0), shape=shape)


def written_part(name: str, operands: Sequence[Formula], options: dict[str, Any]) -> tree.Expression:
    return tree.Call(name, (tree.Argument(operands[0].tree),))


def tangents_of(arguments: tuple[Any, ...]) -> list[Any]:
    """Return the tangents of the arguments, None for a constant; an empty list outside of forward mode."""
    return [level.get(x) if isinstance(x, Tensor) else None for level in listening(Level)[:1] for x in arguments]


def push(
    function: Any, context: Any, arguments: tuple[Any, ...], results: tuple[Any, ...], given: Sequence[Any]
) -> None:
    """Give the results the tangents that the `jvp` of the function returns, if an argument has one."""
    if all(tangent is None for tangent in given):
        return
    if context._materialize:
        given = [
            Tensor(np.zeros_like(x.value)[()]) if t is None and isinstance(x, Tensor) and is_floating(x.value) else t
            for t, x in zip(given, arguments, strict=True)
        ]
    with switched(tape=None), context.forward_mode():
        pushed = function.jvp(context, *given)
    pushed = pushed if isinstance(pushed, tuple) else (pushed,)
    if len(pushed) != len(results) or not all(x is None or isinstance(x, Tensor) for x in pushed):
        raise RuntimeError(f"jvp should return {len(results)} tensors, one for each result, or None")
    for place, (x, tangent) in enumerate(zip(results, pushed, strict=True)):
        has_no_gradient = any(x is other for other in context._without_gradient)
        takes_tangent = not has_no_gradient and isinstance(x, Tensor) and is_floating(x.value)
        if takes_tangent is (tangent is None):
            words = f"a jvp that gives {'no' if takes_tangent else 'a'} tangent of result {place} is not supported here"
            raise UnsupportedError(words, python=RuntimeError)
        if tangent is not None:
            listening(Level)[0].set(x, tangent)


def bind_arguments(
    forward: Callable[..., Any], separate: bool, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[Any, ...]:
    """Return the arguments of `apply` by position; defaults join them where `forward` is apart from its context."""
    if not (separate or keywords):
        return arguments
    parameters = signature(forward)
    if separate:
        bound_arguments = parameters.bind(*arguments, **keywords)
        bound_arguments.apply_defaults()
        arguments, keywords = bound_arguments.args, bound_arguments.kwargs
    names = [x.name for x in parameters.parameters.values() if x.kind is x.POSITIONAL_OR_KEYWORD][not separate :]
    if set(names[len(arguments) : len(arguments) + len(keywords)]) != keywords.keys():
        raise TypeError(f"forward() takes {', '.join(names)}, and got {len(arguments)} and {', '.join(keywords)}")
    return (*arguments, *(keywords[name] for name in names if name in keywords))


TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"


def refusing_nodes(tensors: Sequence[Any], message: str) -> tuple[Any, ...]:
    """Return the tensors at nodes over all of them, whose rules raise a RuntimeError."""

    def refuse(g: Any, out: Any, *inputs: Any) -> Any:
        if isinstance(g, Formula):  # read as text, not computed
            return g
        raise RuntimeError(message)

    return at_nodes(tensors, "torch::autograd::Error", refuse)


def at_nodes(tensors: Sequence[Any], name: str, rule: Any) -> tuple[Any, ...]:
    """Return the tensors at nodes of that name over all of them, with one rule for each input."""

    def same(x: Any) -> Any:
        return x

    rules = (rule,) * len(tensors)
    once = Opaque("once", same, rules, name, call("once", same), structured=True)
    edges = [x.node if isinstance(x, Tensor) else None for x in tensors]
    inputs = tuple(x if isinstance(x, Tensor) else 0 for x in tensors)  # for None stands a constant
    if not mode.grad_enabled or all(edge is None for edge in edges):
        return tuple(tensors)
    return tuple(
        Tensor(x.value, Node(once, inputs, {}, edges, x.value)) if isinstance(x, Tensor) else x for x in tensors
    )


def once_differentiable(backward: Any) -> Any:
    """Decorate `backward`: its results are outside the graph, and to differentiate them is an error."""

    @wraps(backward)
    def backward_once(ctx: Any, *gradients: Any) -> Any:
        with set_grad_enabled(False):
            result = backward(ctx, *gradients)
        if not (mode.grad_enabled and any(isinstance(g, Tensor) and g.requires_grad for g in gradients)):
            return result
        several = result if isinstance(result, tuple) else (result,)
        apart = [x.detach().requires_grad_() if isinstance(x, Tensor) else x for x in several]
        results = refusing_nodes(apart, TWICE)
        return results if isinstance(result, tuple) else results[0]

    return backward_once


@dataclass(frozen=True, eq=False)
class Custom(Opaque):
    """One call of a function of the snippet, whose context saves tensors."""

    call: Any = None
    pushes = False  # tangents go by the `jvp` of the function, not by its rules

    def from_nothing(self, node: Any, recorded: bool) -> Any:
        """Return zeros: the snippet's `backward` runs, with None if it asks for that."""
        self.call.missing = True
        zeros = np.zeros_like(node.out)
        return Tensor(zeros) if recorded else zeros

    def saving(self, inputs: Sequence[Any]) -> Sequence[int]:
        """Return all positions if anything was saved, for the node frees it as a whole."""
        return range(len(inputs)) if self.call.context._saved else ()


class CustomNode(Node):
    """A node that keeps its inputs when the graph is freed; its context refuses to be read then."""

    __slots__ = ("held",)

    @property
    def inputs(self) -> tuple[Any, ...] | None:
        return self.held

    @inputs.setter
    def inputs(self, inputs: tuple[Any, ...] | None) -> None:
        if inputs is None:
            self.context._freed = True
        else:
            self.held = inputs

    @property
    def call(self) -> Call:
        primitive: Any = self.primitive
        return primitive.call  # type: ignore[no-any-return]

    @property
    def context(self) -> Any:
        return self.call.context

    @property
    def number(self) -> int:
        """The place of the output, if it is the only one with a gradient."""
        return next(iter(self.call.outputs)) if len(self.call.outputs) == 1 else 0

    def hook_gradients(self, upstream: Any) -> tuple[Any, ...]:
        return (upstream,) if len(self.call.results) == 1 else self.call.given

    def register_prehook(self, hook: Any) -> Handle:
        return super().register_prehook(hook) if len(self.call.results) == 1 else Handle(self.call.before, hook)


class Call:
    """One call of a function: its tensors, its results, and their gradients."""

    def __init__(self, function: Any, context: Any, arguments: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        self.function = function
        self.context = context
        self.arguments = arguments
        self.places = [place for place, x in enumerate(arguments) if isinstance(x, Tensor)]
        self.results = [(x.shape, x.dtype) if isinstance(x, Tensor) else None for x in results]
        without_gradient = {id(x) for x in context._without_gradient}
        floating = {n: x for n, x in enumerate(results) if isinstance(x, Tensor) and is_floating(x.value)}
        self.outputs = {n: x for n, x in floating.items() if id(x) not in without_gradient}
        self.name = context._name
        self.arrived: set[int] = set()  # the outputs that a gradient came for
        self.missing = False  # whether `backward` runs without a gradient
        self.parts: MutableMapping[int, PartNode] = {}
        self.upstream: Any = None
        self.before: dict[int, Any] = {}  # hooks on the gradients of all outputs
        self.given: tuple[Any, ...] = ()  # the gradients that `backward` got
        self.waiting: dict[int, Any] = {}  # the gradients that `backward` gave, until they are asked for

    def record(self) -> None:
        """Give the outputs their nodes, if graphs are recorded and an input requires grad."""
        tensors = tuple(self.arguments[place] for place in self.places)
        edges = [x.node for x in tensors]
        if not (mode.grad_enabled and self.outputs and any(edge is not None for edge in edges)):
            return
        results = set(map(id, self.outputs.values()))
        tensors = tuple(Tensor(x.value, x.node) if id(x) in results else x for x in tensors)
        rules = tuple(partial(self.flow, position=position) for position in range(len(tensors)))
        name = self.function.__name__
        primitive = Custom(name, self._again, rules, self.name, call(name, self._again), structured=True, call=self)
        outputs = list(self.outputs.values())
        flat = outputs[0] if len(outputs) == 1 else Tensor(np.concatenate([np.ravel(x.value) for x in outputs]))
        for out in self.outputs.values():
            if is_view(out):
                out.path = ((primitive, {}),)
        flat.node = self.context._node = node = CustomNode(primitive, tensors, {}, edges, flat.value)
        self._listed(primitive, tensors, flat)
        if len(self.outputs) > 1:
            self._divide(flat, node)

    @staticmethod
    def _listed(primitive: Primitive, inputs: tuple[Any, ...], out: Tensor, **options: Any) -> None:
        if mode.tape is not None:
            mode.tape.append(Application(primitive, inputs, options, out))

    def _again(self, *values: Any) -> Any:
        """Return the value, for readers of the operation as a formula."""
        return next(iter(self.outputs.values())).value

    def _divide(self, flat: Tensor, node: Node) -> None:
        """Make each output a part of the flat result."""
        for place, out in self.outputs.items():
            before, after = self._around(place)
            part = Opaque(
                f"output {place} of {self.function.__name__}",
                partial(part_of, pad=(-before, -after), shape=out.shape),
                (self._whole,),
                self.name,
                partial(written_part, f"output_{place}"),
                structured=True,
            )
            out.node = self.parts[place] = PartNode(part, (flat,), {"place": place}, [node], out.value)
            self._listed(part, (flat,), out, place=place)

    def _around(self, place: int) -> tuple[int, int]:
        """Return the numbers of entries of the flat result before and after an output."""
        sizes = {n: x.value.size for n, x in self.outputs.items()}
        before = sum(size for n, size in sizes.items() if n < place)
        return before, sum(sizes.values()) - sizes[place] - before

    def _whole(self, g: Any, out: Any, packed: Any, *, place: int) -> Any:
        """Return the gradient of the flat result, from that of one output."""
        if not isinstance(g, Formula):
            self.arrived.add(place)
        size = self.outputs[place].value.size
        return pad_constant(reshape(g, shape=(size,)), pad=self._around(place), value=0)

    def flow(self, g: Any, out: Any, *inputs: Any, position: int) -> Any:
        """Return the gradient of one input; the snippet's `backward` runs once for all inputs."""
        if isinstance(g, Formula):
            return Formula(tree.Call(self.name, (tree.Argument(g.tree),)), np.zeros_like(inputs[position].value))
        if g is not self.upstream or position not in self.waiting:
            self.waiting, self.upstream = self._gradients(g), g
        gradient = self.waiting.pop(position)
        if not self.waiting:
            self.upstream = None  # a gradient that nothing else holds may become the `.grad` of a leaf
        return gradient

    def _gradients(self, g: Any) -> dict[int, Any]:
        carried = isinstance(g, Tensor)
        given = tuple(self._given(g if carried else Tensor(g)))
        for hook in list(self.before.values()):
            given = replaced_gradients(hook, given, hook(given))
        self.given = given if len(self.results) > 1 else ()  # a single one may become the `.grad` of a leaf
        returned = self.function.backward(self.context, *given)
        answers = list(returned) if isinstance(returned, tuple) else [returned]
        expected = len(self.arguments)
        if len(answers) < expected or any(x is not None for x in answers[expected:]):
            raise RuntimeError(
                f"function {self.name} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(answers)})"
            )
        return {
            self.places.index(place) if place in self.places else -1 - place: self._checked(place, answer, carried)
            for place, answer in enumerate(answers[:expected])
        }

    def _given(self, upstream: Tensor) -> list[Tensor | None]:
        """Return the gradients that `backward` gets, one an output; zeros, or None, where none came."""
        given = self._hooked(self._arrived(upstream))
        for place, result in enumerate(self.results):
            if result is not None and place not in given and self.context._materialize:
                given[place] = Tensor(np.zeros(*result)[()])
        return [given.get(place) for place in range(len(self.results))]

    def _arrived(self, upstream: Tensor) -> dict[int, Tensor]:
        """Return the gradients that came, by the places of their outputs."""
        arrived, self.arrived = self.arrived, set()
        missing, self.missing = self.missing, False
        if len(self.outputs) == 1:
            return {} if missing else dict.fromkeys(self.outputs, upstream)
        return {
            place: part_of(upstream, pad=(-before, -after), shape=out.shape)
            for place, out in self.outputs.items()
            if place in arrived
            for before, after in [self._around(place)]
        }

    def _hooked(self, given: dict[int, Tensor]) -> dict[int, Tensor]:
        """Run the hooks of the outputs, those that were registered first first; None stands for no gradient."""
        hooked = [(place, part) for place, part in self.parts.items() if part.hooks is not None]
        for place, part in sorted(hooked, key=lambda pair: min(pair[1].with_hooks().tensor, default=0)):
            gradient = before_hooks(part, given.get(place))
            if gradient is not None:
                given[place] = gradient
        return given

    def _checked(self, place: int, answer: Any, carried: bool) -> Any:
        """Check one gradient, and return it as the walk takes it."""
        if answer is None:
            return None
        if place not in self.places:
            raise RuntimeError(
                f"function {self.name} returned a gradient different than None at position {place + 1}, but the "
                "corresponding forward input was not a Variable"
            )
        if not isinstance(answer, Tensor):
            raise RuntimeError(f"expected Variable or None (got {kind_name(answer)})")
        shape, target = answer.shape, self.arguments[place].shape
        if shape != target and not _reaches(target, shape):
            raise RuntimeError(
                f"Function {self.name} returned an invalid gradient at index {place} - got {list(shape)} but expected "
                f"shape compatible with {list(target)}"
            )
        return answer if carried else answer.value


def _reaches(shape: tuple[int, ...], wider: tuple[int, ...]) -> bool:
    """Return whether a tensor of the one shape broadcasts to the other."""
    try:
        return broadcast_shapes(shape, wider) == wider
    except ValueError:
        return False


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
        arguments = bind_arguments(cls.forward, separate, arguments, keywords)
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
        new_pairs = [pair for pair in zip(given, results, strict=True) if not any(pair[0] is x for x in arguments)]
        context._seal({id(before): after for before, after in new_pairs}, results)
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
                if mode.grad_enabled and output.is_leaf and output.requires_grad:
                    words = "a leaf Variable that requires grad has been used in an in-place operation."
                    raise AutogradError(words, code="E304")
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
    """Refuse a tensor marked dirty that is not returned, and a view that is marked."""
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


Function.__module__ = "torch.autograd.function"


MEMBERS: dict[str, Any] = {
    "Function": Function,
    "FunctionCtx": Context,
    "once_differentiable": once_differentiable,
}
