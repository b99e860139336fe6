"""`torch.autograd.graph`: hooks on saved tensors, edges of the graph, hooks on several gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from gradcli.engine.graph import AccumulateGrad, Node, Unversioned, reachable
from gradcli.engine.recorder import leave, listen, listening
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import BuiltinType, Facade
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.torch.autograd.context import Context
from gradcli.script.torch.autograd.edges import GradientEdge
from gradcli.script.torch.autograd.grad_modes import Switch
from gradcli.script.torch.autograd.nodes import output_number
from gradcli.script.torch.autograd.passes import Passes
from gradcli.script.torch.autograd.saved import packing


class saved_tensors_hooks(Facade):  # noqa: N801  torch's name
    """`with saved_tensors_hooks(pack, unpack):`."""

    __parent__ = True

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self._packer = packing.Packer(pack_hook, unpack_hook)

    def __enter__(self) -> None:
        message = running.machine.own(packing.Refusal).message
        if message is not None:
            raise RuntimeError(message)
        listen(self._packer)

    def __exit__(self, *_: Any) -> None:
        leave(self._packer)


class save_on_cpu(saved_tensors_hooks):  # noqa: N801  torch's name
    """Save tensors on the CPU, where they are: as with any hooks, changes of them go unnoticed."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda x: x, lambda x: x)


class allow_mutation_on_saved_tensors(saved_tensors_hooks):  # noqa: N801  torch's name
    """Save copies, so that the tensors may change."""

    def __init__(self) -> None:
        self._packer = self._copying = Copying()

    def __enter__(self) -> Any:
        if any(isinstance(packer, Copying) for packer in listening(packing.Packer)):
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        self._packer = self._copying = Copying()
        super().__enter__()
        return Copies(self._copying)

    def __exit__(self, *_: Any) -> None:
        super().__exit__()
        self._copying.handles.clear()
        self._copying.cloned.clear()


class Saved(Facade):
    """A tensor that nodes saved, and a copy of it; it lives as long as one of the nodes."""

    def __init__(self, source: Tensor) -> None:
        self._source = source
        self._copy = Tensor(source.value.copy())


class Copying(packing.Packer):
    """The hooks of `allow_mutation_on_saved_tensors`, and what was saved and changed, as torch keeps account of it."""

    def __init__(self) -> None:
        super().__init__(self._saved, self._unpacked)
        self.handles: WeakValueDictionary[tuple[int, int], Saved] = WeakValueDictionary()
        self.cloned: WeakKeyDictionary[Saved, Tensor] = WeakKeyDictionary()

    def _saved(self, x: Tensor) -> Saved:
        key = id(x), len(x.history or ())
        handle = self.handles.get(key)
        if handle is None:
            handle = self.handles[key] = Saved(x)
        return handle

    def _unpacked(self, handle: Saved) -> Tensor:
        if self not in listening(packing.Packer):
            raise AssertionError(OUTSIDE)
        return handle._copy

    def written(self, target: Tensor, result: Tensor) -> Callable[[], None]:
        """Take note of the saved tensors on the memory that is about to change."""
        for x in packing.packed_by(result.node):
            if isinstance(x.content, Saved) and x.content._source is target:  # torch saves a copy of it
                x.content = self._saved(x.content._copy)
        for handle in list(self.handles.values()):
            source = handle._source
            if source is target or (source.history is not None and source.history is target.history):
                self.cloned.setdefault(handle, handle._copy)
        return lambda: None


class Copies(Facade):
    """The context that `with allow_mutation_on_saved_tensors() as ctx:` gives."""

    def __init__(self, packer: Copying) -> None:
        self._packer = packer

    @property
    def cloned(self) -> dict[Saved, Tensor]:
        return dict(self._packer.cloned)

    @property
    def tid_to_weakhandle(self) -> dict[tuple[int, int], Saved]:
        return dict(self._packer.handles)

    def __getattr__(self, name: str) -> Any:
        raise UnsupportedError(f"{name} of the context of allow_mutation_on_saved_tensors is not supported here")


OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally "
    "recorded."
)


class disable_saved_tensors_hooks(Switch):  # noqa: N801  torch's name
    """Refuse hooks on saved tensors with a message."""

    def __init__(self, error_message: str) -> None:
        self._wanted = error_message

    def __enter__(self) -> None:
        if listening(packing.Packer):
            raise RuntimeError(self._wanted)
        super().__enter__()

    def _set(self, state: str | None) -> str | None:
        refusal = running.machine.own(packing.Refusal)
        before, refusal.message = refusal.message, state
        return before


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """Return the edge at which the gradient of a tensor arrives."""
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients",
        )
    return GradientEdge(tensor.node, output_number(tensor.node), None)


def increment_version(tensor: Any) -> None:
    """Count a change of a tensor, or of each of several, that autograd cannot see."""
    if not hasattr(tensor, "__iter__"):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    several = [tensor] if isinstance(tensor, Tensor) else list(tensor)
    if not all(isinstance(x, Tensor) for x in several):
        raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
    for x in several:
        if not isinstance(x.history, Unversioned):
            x.changed()


class Several:
    """A hook on several tensors, which counts the gradients of each pass."""

    def __init__(self, tensors: Iterable[Tensor], fn: Callable[..., Any], mode: str) -> None:
        self.tensors = list(tensors)
        self.fn = fn
        self.mode = mode
        self.number = -1
        self.arrived: dict[int, Tensor] = {}
        self.expected = 0
        self.handles = [x.register_hook(self._hook(n)) for n, x in enumerate(self.tensors)]

    def _hook(self, place: int) -> Callable[[Tensor], None]:
        def hook(gradient: Tensor) -> None:
            passes = running.machine.own(Passes)
            if self.number != passes.number:
                self.number, self.arrived = passes.number, {}
                roots = [x.node for x in passes.outputs if x.node is not None]
                run = reachable(roots, passes.only)
                self.expected = sum(x.node in run for x in self.tensors)
            self.arrived[place] = gradient
            if self.mode == "any" and len(self.arrived) == 1:
                self.fn(gradient)
            if self.mode == "all" and len(self.arrived) == self.expected:
                self.fn([self.arrived.get(n) for n in range(len(self.tensors))])

        return hook


class MultiHandle(Facade):
    """The handle of a hook on several tensors; `remove()` takes it off all of them."""

    def __init__(self, several: Several) -> None:
        self._handles = several.handles

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> MultiHandle:
        return self

    def __exit__(self, *_: Any) -> None:
        self.remove()


MultiHandle.__module__, MultiHandle.__name__, MultiHandle.__qualname__ = (
    "torch.autograd.graph",
    "_MultiHandle",
    "_MultiHandle",
)


def register_multi_grad_hook(tensors: Any, fn: Callable[..., Any], *, mode: str = "all") -> MultiHandle:
    """Call `fn` with all gradients when the last has come; in mode "any", with the first that comes."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors = list(tensors)
    if mode == "all" and not all(x.requires_grad for x in tensors):
        raise AssertionError("Expected gradient function to be set")
    return MultiHandle(Several(tensors, fn, mode))


NODE = BuiltinType("Node", (Node, AccumulateGrad, Context), module="torch.autograd.graph")
MEMBERS: dict[str, Any] = {
    "Node": NODE,
    "GradientEdge": TYPES[GradientEdge],
    "get_gradient_edge": get_gradient_edge,
    "increment_version": increment_version,
    "saved_tensors_hooks": saved_tensors_hooks,
    "save_on_cpu": save_on_cpu,
    "allow_mutation_on_saved_tensors": allow_mutation_on_saved_tensors,
    "disable_saved_tensors_hooks": disable_saved_tensors_hooks,
    "register_multi_grad_hook": register_multi_grad_hook,
}
for kind in (saved_tensors_hooks, save_on_cpu, disable_saved_tensors_hooks):
    kind.__module__ = "torch.autograd.graph"
