"""`ctx` of a snippet's own function, which carries values from `forward` to `backward`: the `grad_fn` of the result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradcli.engine.graph import Handle
from gradcli.engine.saved import SECOND_TIME, modified, origin
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.python.members.tables import describe
from gradcli.script.python.values.attributes import Facade
from gradcli.script.torch.autograd import nodes
from gradcli.script.torch.autograd.saved.packing import packed, unpacked
from gradcli.script.torch.operations.readers import kind_name


class Context(Facade):
    """One call of a function. Snippets put attributes of their own on it."""

    def __init__(self, function: type, arguments: tuple[Any, ...]) -> None:
        self.needs_input_grad = tuple(isinstance(x, Tensor) and x.requires_grad for x in arguments)
        self._name = f"{function.__name__}Backward"
        self._own: dict[str, Any] = {}  # what the snippet keeps here, names with an underscore too
        self._saved: tuple[Any, ...] = ()
        self._versions: tuple[int, ...] = ()
        self._outputs: tuple[Any, ...] = ()
        self._freed = False
        self._node: Any = None
        self._dirty: tuple[Any, ...] = ()
        self._without_gradient: tuple[Any, ...] = ()
        self._materialize = True
        self._forward: tuple[Any, ...] = ()  # what was saved for `jvp`
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
                raise modified(self._node, tensor.value, origin(made_by), history, since)
        return tuple(unpacked(self._in_graph(x)) for x in self._saved)

    def _in_graph(self, x: Any) -> Any:
        """Return a saved tensor; where another one stands for an output, one that lies in the graph."""
        places = [place for place, output in enumerate(self._outputs) if x is output and x.node is None]
        if not places or not isinstance(x, Tensor) or self._node is None:
            return x
        made = Tensor(x.value)
        made.history = x.history
        made.node = self._node.call.parts.get(places[0], self._node)
        return made

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

    def _seal(self, made: dict[int, Any], results: tuple[Any, ...]) -> None:
        """End `forward`: where it saved an output that it made, save the tensor that the snippet gets in its place."""
        saved = tuple(made.get(id(tensor), tensor) for tensor in self._saved)
        self._outputs = results
        self._saved = tuple(map(packed, saved))
        self._versions = tuple(len(x.history or ()) if isinstance(x, Tensor) else 0 for x in self._saved)


Context.__module__, Context.__name__, Context.__qualname__ = "torch.autograd.function", "FunctionCtx", "FunctionCtx"
nodes.show(Context)
describe(Context, own=lambda ctx: ctx._own)
