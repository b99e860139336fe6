"""The graph of a computation: nodes with edges towards the leaves, and their hooks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from operator import attrgetter
from typing import Any
from weakref import ReferenceType

from gradcli.engine.modes import mode, tick
from gradcli.engine.operators import FUNCTIONS
from gradcli.engine.primitive import Primitive
from gradcli.errors import AutogradError

NOT_CHANGED = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
Hook = Callable[..., Any]


class Unversioned(list[int]):
    """The history of a tensor that was made in inference mode, and of those on the same memory.

    Outside of the mode a change is refused after it was written, as in torch.
    """

    def append(self, time: int) -> None:
        self.check()
        super().append(time)

    def check(self) -> None:
        AutogradError.when(not mode.inference, NOT_CHANGED, code="E304", help="change a clone() instead")


class Hooks:
    """Callbacks of a node, run in this order: `tensor`, `before`, the node itself, `accumulated`, `after`.

    `retain` refers to the tensor that keeps the gradient which the first of them leave; it does not hold it.
    `accumulated` hooks belong to leaves and run when `.grad` has its new value. `packed` returns the inputs and the
    result of a node that does not hold them itself, `notes` are those that a snippet takes on it.
    """

    __slots__ = ("accumulated", "after", "before", "notes", "packed", "retain", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, Hook] = {}
        self.retain: ReferenceType[Any] | None = None
        self.before: dict[int, Hook] = {}
        self.accumulated: dict[int, Hook] = {}
        self.after: dict[int, Hook] = {}
        self.notes: dict[str, Any] = {}
        self.packed: Callable[[], tuple[tuple[Any, ...], Any]] | None = None


class Handle:
    """The handle of a registered hook; `remove` takes the hook off again. Handles are counted in a run.

    The hook is noted in each of `marks` too.
    """

    def __init__(self, hooks: dict[int, Any], hook: Any, marks: Sequence[dict[int, bool]] = ()) -> None:
        self._hooks = hooks
        self._marks = marks
        self.id = mode.handles
        mode.handles += 1
        hooks[self.id] = hook
        for mark in marks:
            mark[self.id] = True

    def remove(self) -> None:
        self._hooks.pop(self.id, None)
        for mark in self._marks:
            mark.pop(self.id, None)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: Any) -> None:
        self.remove()


class Hookable:
    """A place in the graph that gradients arrive at."""

    __slots__ = ("hooks",)
    hooks: Hooks | None

    def with_hooks(self) -> Hooks:
        if self.hooks is None:
            self.hooks = Hooks()
        return self.hooks

    def __call__(self, *gradients: Any) -> Any:
        """Pass an upstream gradient through this place alone."""
        return FUNCTIONS["pass_through"](self, *gradients)

    def register_tensor_hook(self, hook: Hook) -> Handle:
        return Handle(self.with_hooks().tensor, hook)

    def register_prehook(self, hook: Hook) -> Handle:
        return Handle(self.with_hooks().before, hook)

    def register_hook(self, hook: Hook) -> Handle:
        return Handle(self.with_hooks().after, hook)


class Node(Hookable):
    """One application of a primitive: torch's `grad_fn`.

    `edges` has one entry an input: where that input's gradient goes, or None when it needs none. `saved_out` is the
    history of the result and the time at which it was saved, for primitives whose rules mention the result; `watched`
    are tensors that torch's node saves beside. After a backward pass `inputs` is None if the node had saved tensors and
    was not asked to retain them. `joint` is the first of the nodes that are one in torch.
    """

    __slots__ = (
        "__weakref__", "edges", "inputs", "joint", "made", "options", "out", "primitive", "saved_out", "sequence",
        "watched",
    )  # fmt: skip
    waits = False  # whether its hooks are run later, by the node before it
    made: str  # in anomaly mode alone: the line that made the node

    def __init__(
        self,
        primitive: Primitive,
        inputs: tuple[Any, ...],
        options: dict[str, Any],
        edges: Sequence[Node | AccumulateGrad | None],
        out: Any,
    ) -> None:
        self.primitive = primitive
        self.inputs: tuple[Any, ...] | None = inputs
        self.options = options
        self.edges = edges
        self.out = out
        self.sequence = next(tick)
        self.saved_out: tuple[list[int], int] | None = None
        self.watched: tuple[Any, ...] = ()
        self.joint: Node | None = None
        self.hooks = None

    def __repr__(self) -> str:
        return f"<{self.name()}>"

    def name(self) -> str:
        return self.primitive.node

    def hook_gradients(self, upstream: Any) -> tuple[Any, ...]:
        """Return the upstream gradients as hooks get them, one a result."""
        return (upstream,)

    @property
    def number(self) -> int:
        """The number of this result among those of torch's node."""
        return self.primitive.number_for(self.options)

    @property
    def short_name(self) -> str:
        """The name without its C++ namespace, as torch prints it: `CopySlices`."""
        return self.name().rpartition("::")[2]

    @property
    def next_functions(self) -> tuple[tuple[Node | AccumulateGrad | None, int], ...]:
        """The edges as torch shows them: `(None, 0)` for an input that needs no gradient."""
        rules = self.primitive.rules_for(self.edges)
        return tuple((edge, 0) for edge, rule in zip(self.edges, rules, strict=False) if rule is not None)


class AccumulateGrad(Hookable):
    """The end of an edge at a leaf, where the gradient is added to `.grad`; `variable` is the leaf, a Tensor."""

    __slots__ = ("__weakref__", "variable")
    next_functions: tuple[()] = ()

    def __init__(self, variable: Any) -> None:
        self.variable = variable
        self.hooks = None

    @property
    def collects(self) -> bool:
        """Whether gradients are accumulated: not for a leaf detached since, nor for a view made under no_grad."""
        return self.variable.requires_grad and not self.variable.is_unrecorded

    def __repr__(self) -> str:
        return "<AccumulateGrad>"

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"


Target = Node | AccumulateGrad


def join(results: Iterable[Any]) -> tuple[Any, ...]:
    """Return the results of one operation, whose nodes know that torch has one node for them."""
    tensors = tuple(results)
    nodes = [x.node for x in tensors if isinstance(getattr(x, "node", None), Node)]
    for node in nodes:
        node.joint = nodes[0]
    return tensors


def reachable(roots: Iterable[Target], into: Collection[Target] | None = None) -> dict[Target, None]:
    """Return the places below the roots, oldest first, each leaf just before the oldest node with an edge to it.

    A node is always newer than its inputs, so in reverse this order is topological. Of the places those alone are
    returned from which one of `into` can be reached.
    """
    roots = list(roots)
    places: dict[Target, None] = {}
    for node in sorted(_nodes(roots), key=attrgetter("sequence")):
        for edge in reversed(node.edges):
            if isinstance(edge, AccumulateGrad):
                places[edge] = None
        places[node] = None
    places |= {root: None for root in reversed(roots) if isinstance(root, AccumulateGrad)}
    return places if into is None else _leading(places, into)


def _nodes(roots: Iterable[Target]) -> set[Node]:
    stack = [root for root in roots if isinstance(root, Node)]
    seen = set(stack)
    while stack:
        for edge in stack.pop().edges:
            if isinstance(edge, Node) and edge not in seen:
                seen.add(edge)
                stack.append(edge)
    return seen


def _leading(places: Iterable[Target], into: Collection[Target]) -> dict[Target, None]:
    """Return the places, which come oldest first, from which one of `into` can be reached."""
    leading: dict[Target, None] = {}
    for place in places:
        if place in into or any(edge in leading for edge in getattr(place, "edges", ())):
            leading[place] = None
    return leading


def nodes_below(roots: Iterable[Target]) -> list[Node]:
    """Return the nodes below the roots, newest first."""
    return [place for place in reversed(reachable(roots)) if isinstance(place, Node)]


def leaves_below(*roots: Target | None) -> list[AccumulateGrad]:
    """Return the leaves below the roots."""
    return [place for place in reachable(filter(None, roots)) if isinstance(place, AccumulateGrad)]
