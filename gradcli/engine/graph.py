"""The graph that results leave behind: nodes with edges towards the leaves, and their hooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcli.engine.primitive import Primitive
    from gradcli.engine.tensor import Tensor, Value

tick = count()  # the engine's clock: creation of nodes and in-place changes, in one order


class Changes:
    """When memory was last changed in place, anywhere: nodes newer than that need no check of their versions.

    `reshaped` is when a tensor last got another shape in place (`x.unsqueeze_(0)`).
    """

    latest = -1
    reshaped = -1


changes = Changes()


class Unversioned(list[int]):
    """The history of a tensor that was made in inference mode, and of those on the same memory."""


OUT = -1  # the position of the result among what a rule may mention; inputs count from 0


class Hooks:
    """Callbacks of a node, run in this order: `tensor`, `retain`, `before`, the node itself, `accumulated`, `after`.

    The `accumulated` are for leaves, when `.grad` has its new value. `packed` gives the inputs and the result of a node
    that has them elsewhere.
    """

    __slots__ = ("accumulated", "after", "before", "packed", "retain", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, Callable[[Tensor], Tensor | None]] = {}
        self.retain: Callable[[Tensor], None] | None = None
        self.before: dict[int, Callable[[tuple[Tensor]], Any]] = {}
        self.accumulated: dict[int, Callable[[Tensor], None]] = {}
        self.after: dict[int, Callable[[tuple[Tensor | None, ...], tuple[Tensor]], Any]] = {}
        self.packed: Callable[[], tuple[tuple[Any, ...], Any]] | None = None


class Handle:
    """What registering a hook returns; `remove` takes the hook off again."""

    def __init__(self, hooks: dict[int, Any], hook: Any) -> None:
        self._hooks = hooks
        self._key = next(tick)
        hooks[self._key] = hook

    def remove(self) -> None:
        self._hooks.pop(self._key, None)


class Hookable:
    """A place in the graph that gradients arrive at."""

    __slots__ = ("hooks",)

    def __init__(self) -> None:
        self.hooks: Hooks | None = None

    def with_hooks(self) -> Hooks:
        if self.hooks is None:
            self.hooks = Hooks()
        return self.hooks

    def register_prehook(self, hook: Callable[[tuple[Tensor]], Any]) -> Handle:
        return Handle(self.with_hooks().before, hook)

    def register_hook(self, hook: Callable[[tuple[Tensor | None, ...], tuple[Tensor]], Any]) -> Handle:
        return Handle(self.with_hooks().after, hook)


class Node(Hookable):
    """One application of a primitive: torch's `grad_fn`.

    `edges` has one entry an input: where that input's gradient goes, or None when it needs none. `saved_out` is the
    history of the result and the time at which it was saved, for primitives whose rules mention the result. After a
    backward pass `inputs` is None if the node had saved tensors and was not asked to retain them.
    """

    __slots__ = ("__weakref__", "edges", "inputs", "options", "out", "primitive", "saved_out", "sequence")

    def __init__(
        self,
        primitive: Primitive,
        inputs: tuple[Any, ...],
        options: dict[str, Any],
        edges: Sequence[Node | AccumulateGrad | None],
        out: Value,
    ) -> None:
        self.primitive = primitive
        self.inputs: tuple[Any, ...] | None = inputs
        self.options = options
        self.edges = edges
        self.out = out
        self.sequence = next(tick)
        self.saved_out: tuple[list[int], int] | None = None
        self.hooks: Hooks | None = None

    def __repr__(self) -> str:
        return f"<{self.name()}>"

    def name(self) -> str:
        return self.primitive.node

    def __call__(self, *gradients: Any) -> Any:
        """What the node gives its inputs for this upstream gradient; of several a tuple."""
        from gradcli.engine.backward import given

        if len(gradients) != 1:
            raise TypeError(f"expected 1 arguments, got {len(gradients)} instead")
        results = given(self, gradients[0])
        return results[0] if len(results) == 1 else results

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
    """The end of the road: adds what arrives to the `.grad` of a leaf."""

    __slots__ = ("__weakref__", "variable")
    next_functions: tuple[()] = ()

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.hooks: Hooks | None = None

    @property
    def collects(self) -> bool:
        """Not for a leaf that was detached since, nor for a view that was made unrecorded."""
        return self.variable.requires_grad and not self.variable.is_unrecorded

    def __repr__(self) -> str:
        return "<AccumulateGrad>"

    def __call__(self, gradient: Tensor) -> None:
        """Add to the `.grad` of the leaf."""
        from gradcli.engine.accumulation import accumulate

        accumulate(self.variable, gradient.value, False, alone=False)

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"
