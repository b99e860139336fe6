"""The names of `torch._C` that concern the graph: functions that stop a gradient, the pass that runs, versions."""

from __future__ import annotations

from typing import Any

from gradcli.engine.backward import walk
from gradcli.engine.graph import AccumulateGrad, Node, Target, wholes
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.stdlib.data.weakrefs import WeakTensorRef
from gradcli.script.torch.autograd.anomaly import current_node, state_of
from gradcli.script.torch.autograd.backward import Passes
from gradcli.script.torch.autograd.context import Context
from gradcli.script.torch.autograd.dual import Forward, is_forward_enabled
from gradcli.script.torch.autograd.grad_modes import is_grad_enabled, is_multithreading_enabled
from gradcli.script.torch.autograd.nodes import named, visible
from gradcli.script.torch.autograd.old_functions import of_cache
from gradcli.script.torch.autograd.parts import refusing, undefined
from gradcli.script.torch.autograd.saved.packing import SAVED_TENSOR, Refusal, saved_alone
from gradcli.script.torch.operations.readers import kind_name

LEAF = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
    "currently not supported."
)
THREADS = """\
get_current_graph_task_execution_order expects the current backward to be executed with multithreading disabled, \
e.g. by running:

>>> with torch.autograd.set_multithreading_enabled(False):
...     torch.autograd.grad(...)
"""


class UndefinedGrad(Facade):
    """`torch._C._functions.UndefinedGrad`: `UndefinedGrad()(x)` is `x`, and no gradient comes back through it."""

    def __call__(self, x: Tensor) -> Any:
        return undefined(x)


class DelayedError(Facade):
    """`torch._C._functions.DelayedError`: the tensors that it is called with, whose gradients raise the message."""

    def __init__(self, message: str, count: int) -> None:
        self.message = message.decode() if isinstance(message, bytes) else message

    def __call__(self, *tensors: Any) -> Any:
        results = refusing(tensors, self.message)
        return results[0] if len(results) == 1 else results


def task_number() -> int:
    """Return the number of the backward pass, from 0; -1 outside of one."""
    return running.machine.own(Passes).number - 1


def keeps_graph() -> bool:
    """Tell whether the backward pass that runs keeps the graph; outside of all it is kept."""
    return running.machine.own(Passes).keeps


def visible_node() -> Any:
    """Return the node whose backward or hooks run now, as snippets see it."""
    node = current_node()
    return node if node is None else visible(node)


def _parts(node: Any) -> list[Target]:
    """Return the nodes here that are this one in torch."""
    if isinstance(node, Context):
        return [node._node]
    return [part for part in wholes[node].parts if part is not None] if node in wholes else [node]


def will_execute(node: Any) -> bool:
    """Return whether the backward pass that runs comes to the node."""
    if not isinstance(node, Node | AccumulateGrad | Context):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {kind_name(node)}")
    state = state_of(walk)
    if not state:
        raise RuntimeError("_get_should_execute_nodes should only be called during the backward pass")
    if isinstance(node, AccumulateGrad) and node in (state["captured"] or ()):
        raise RuntimeError(LEAF)
    between = state["between"]
    reached = {*state["order"], *state["waiting"]} if between is None else between
    return any(part in reached for part in _parts(node))


def execution_order() -> list[Any]:
    """Return the nodes in the order in which the backward pass comes to them."""
    state = state_of(walk)
    if not state:
        raise RuntimeError("_current_graph_task_execution_order should only be called during the backward pass")
    if is_multithreading_enabled():
        raise RuntimeError(THREADS)
    run = [node for node in state["order"] if state["between"] is None or node in state["between"]]
    waiting: dict[Target, int] = {}
    for node in run:
        for edge in node.edges:
            waiting[edge] = waiting.get(edge, 0) + 1
    found: dict[Any, None] = {}
    for node in run:
        found[visible(node)] = None
        for edge in node.edges:
            waiting[edge] -= 1
            wanted = state["between"] is None or edge in state["between"]
            if isinstance(edge, AccumulateGrad) and wanted and not waiting[edge]:
                found[edge] = None
    return list(found)


class preserve_versions(Facade):  # noqa: N801  a context
    """`with torch.autograd._unsafe_preserve_version_counter(x):`: changes inside of the block are not counted."""

    def __init__(self, tensors: Any) -> None:
        self._histories = [x.shared_history() for x in ((tensors,) if isinstance(tensors, Tensor) else tensors)]
        self._before = [list(history) for history in self._histories]

    def __enter__(self) -> None:
        """Do nothing: the versions are known since this was made."""

    def __exit__(self, *_: Any) -> None:
        for history, before in zip(self._histories, self._before, strict=True):
            history[:] = before


def set_versions(tensors: tuple[Tensor, ...], versions: tuple[int, ...]) -> None:
    """`torch._C._autograd._unsafe_set_version_counter`, of a version that the tensor has had."""
    for x, version in zip(tensors, versions, strict=True):
        if version < 0:
            raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
        history = x.shared_history()
        if version > len(history):
            raise UnsupportedError("a version to come is not supported here")
        del history[version:]


def set_forward(mode: bool) -> None:
    running.machine.own(Forward).set(mode)


def namespace(name: str) -> Namespace:
    """Make `torch._C`, of which no more than a few names are there."""
    members: dict[str, Any] = {kind.__name__: kind for kind in (UndefinedGrad, DelayedError)}
    hooks = {"_saved_tensors_hooks_is_enabled": lambda: running.machine.own(Refusal).message is None}
    counter = {"_unsafe_set_version_counter": set_versions, "_get_current_graph_task_keep_graph": keeps_graph}
    alone = {"_make_saved_tensor": saved_alone}
    saved = Namespace(f"{name}._autograd", {"SavedTensor": SAVED_TENSOR, **counter, **hooks, **alone})
    functions = Namespace(f"{name}._functions", {**members, "AccumulateGrad": named(AccumulateGrad, "AccumulateGrad")})
    members = {
        "_current_graph_task_id": task_number,
        "_current_autograd_node": visible_node,
        "_will_engine_execute_node": will_execute,
        "_current_graph_task_execution_order": execution_order,
        "_is_fwd_grad_enabled": is_forward_enabled,
        "_set_fwd_grad_enabled": set_forward,
        "is_grad_enabled": is_grad_enabled,
        "_WeakTensorRef": WeakTensorRef,
        **of_cache(),
    }
    return Namespace(name, {"_functions": functions, "_autograd": saved, **members})
