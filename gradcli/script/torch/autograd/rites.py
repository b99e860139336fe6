"""What a snippet has done at the places of a backward pass: hooks, gradients that are kept, functions of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradcli.engine import backward
from gradcli.engine.broadcast import fit
from gradcli.engine.carrier import Carrier
from gradcli.engine.dtypes import TYPE_NAMES, type_name
from gradcli.engine.graph import AccumulateGrad, Node, Target
from gradcli.engine.rites import Rites, accumulate
from gradcli.engine.tensor import Gradient, Tensor
from gradcli.script.machine import running


def before_hooks(node: Target, gradient: Any, *, passes: bool = True) -> Any:
    """Run tensor hooks, `retain_grad` and prehooks, in torch's order; returns the gradient that they leave.

    Prehooks run only where the gradient `passes` on through the node.
    """
    hooks = node.hooks
    assert hooks is not None
    carried = _tensor(gradient)
    for hook in list(hooks.tensor.values()):
        replacement = hook(carried)
        carried = carried if replacement is None else _checked(hook, carried, replacement)
    keeper = None if hooks.retain is None or carried is None else hooks.retain()
    if keeper is not None:
        keeper.keep(carried)
    for before in list(hooks.before.values()) if passes else ():
        (carried,) = replaced_gradients(before, (carried,), before((carried,)))
    return carried if isinstance(gradient, Tensor) or carried is None else carried.value


def after_hooks(node: Node, upstream: Any, given: Sequence[Any]) -> Sequence[Any]:
    """Run posthooks on the gradients of the inputs and the upstream gradient; return the gradients that they leave.

    `given` has one entry an edge, None for no gradient.
    """
    assert node.hooks is not None
    upstream_gradients = node.hook_gradients(_tensor(upstream))
    rules = node.primitive.rules_for(node.edges)
    positions = [i for i in range(len(node.edges)) if i < len(rules) and rules[i] is not None]
    results = tuple(None if given[i] is None else _tensor(given[i]) for i in positions)
    for hook in list(node.hooks.after.values()):
        results = replaced_gradients(hook, results, hook(results, upstream_gradients))
    left = list(given)
    for i, result in zip(positions, results, strict=True):
        left[i] = result if result is None or isinstance(upstream, Tensor) else result.value
    return left


def _constant(gradient: Any) -> Callable[..., Any]:
    """Return a rule that gives the gradient whatever the operands and options are."""
    return lambda *_, **__: gradient


def contributions(node: Node, rules: Sequence[Any], upstream: Any, out: Any, values: Sequence[Any]) -> list[Any]:
    """Return the contributions of a node, one an edge: None where no gradient is needed."""
    given: list[Any] = [None] * len(node.edges)
    for place, (edge, rule, x) in enumerate(zip(node.edges, rules, values, strict=False)):
        unsummed = None if edge is None else rule(upstream, out, *values, **node.options)
        given[place] = None if unsummed is None else fit(unsummed, x)
    return given


def accumulated_hooks(node: AccumulateGrad, gradient: Any) -> None:
    """Run hooks on the leaf with its new `.grad`, then posthooks, which have no gradient to replace."""
    assert node.hooks is not None
    for accumulated in list(node.hooks.accumulated.values()):
        answer = accumulated(node.variable)
        if answer is not None and _checked(accumulated, node.variable, answer) is not node.variable:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    for hook in list(node.hooks.after.values()):
        replaced_gradients(hook, (), hook((), (_tensor(gradient),)))


def replaced_gradients(hook: Any, before: tuple[Any, ...], answer: Any) -> tuple[Any, ...]:
    """Return the gradients after a hook on a node: its answer, checked, or those before."""
    if answer is None:
        return before
    if not isinstance(answer, tuple):
        raise TypeError(f"expected tuple, but hook returned '{_kind(answer)}'")
    if len(answer) != len(before):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(answer)}, but expected "
            f"{len(before)})"
        )
    return tuple(_checked(hook, old, new) for old, new in zip(before, answer, strict=True))


def _checked(hook: Any, before: Tensor | None, after: Any) -> Any:
    """Return a gradient that a hook put in the place of another, if dtype and shape agree."""
    if after is None:
        return None
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(after, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{_kind(after)}'")
    if after.dtype != before.dtype:
        old, new = (f"torch.{TYPE_NAMES[x.dtype]}Tensor" for x in (before, after))
        raise RuntimeError(f"hook '{_name(hook)}' has changed the type of value (was {old} got {new})")
    if after.shape != before.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    return after


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")


def _kind(answer: Any) -> str:
    return "Tensor" if isinstance(answer, Tensor) else type_name(answer)


def _tensor(gradient: Any) -> Any:
    return gradient if isinstance(gradient, Tensor) or gradient is None else Tensor(gradient)


class Passes:
    """The number of the running backward pass, and its rites."""

    last = 0
    number = 0  # outside of all passes
    rites: Rites | None = None

    @contextmanager
    def running(self, rites: Rites) -> Iterator[None]:
        """Count a new pass, which lasts as long as the block.

        The depth of calls begins again: torch runs deep passes within passes in threads of their own.
        """
        machine = running.machine
        before, depth = (self.number, self.rites), machine.depth
        machine.depth = 0
        self.last += 1
        self.number, self.rites = self.last, rites
        try:
            yield
        finally:
            self.number, self.rites = before
            machine.depth = depth


class SnippetRites(Rites):
    """The rites of a pass of a snippet, which captures gradients or, where `captured` is None, adds to `.grad`.

    `recorded` is whether the pass computes with Tensors.
    """

    def __init__(self, captured: dict[Target, Carrier | None] | None = None, *, recorded: bool = False) -> None:
        super().__init__(captured)
        self.recorded = recorded

    def arrive(self, place: Target, gradient: Carrier | None) -> Carrier | None:
        """Run the hooks before a place. torch captures before them where the gradient flows on, else after them."""
        self.place = place
        if isinstance(place, AccumulateGrad):
            return self._arrive_at_leaf(place, gradient)
        if gradient is not None and place.hooks is None:
            return super().arrive(place, gradient)
        return self._arrive_at_node(place, gradient)

    def _arrive_at_node(self, place: Node, gradient: Carrier | None) -> Carrier | None:
        passes = self.leads_on(place)
        if gradient is None:
            gradient = place.primitive.from_nothing(place, self.recorded)
        if passes:
            self._capture(place, gradient)
        if place.hooks is not None and not (place.waits and (passes or gradient is None)):
            gradient = self._hook(place, gradient, passes)
        if not passes:
            self._capture(place, gradient)
        return gradient if passes or self.captured is None else None

    def _arrive_at_leaf(self, leaf: AccumulateGrad, gradient: Carrier | None) -> Carrier | None:
        if leaf.hooks is not None:
            gradient = before_hooks(leaf, gradient, passes=self.captured is None)
        if self.captured is not None:
            self._capture(leaf, gradient)
            return None
        if gradient is None and leaf.hooks is not None and leaf.collects:
            accumulated_hooks(leaf, None)
        return gradient if leaf.collects else None

    def _hook(self, node: Node, gradient: Carrier | None, passes: bool) -> Carrier | None:
        """Run the hooks of a node; where no gradient arrives, torch gives them None, and those behind it too."""
        passes = passes or self.captured is None
        left: Carrier | None = before_hooks(node, gradient, passes=passes)
        if gradient is None and passes and node.hooks is not None and node.hooks.after:
            after_hooks(node, None, [None] * len(node.edges))
        return left

    def _capture(self, place: Target, gradient: Carrier | None) -> None:
        if self.captured is not None and place in self.captured:
            self.captured[place] = gradient

    def rules(self, node: Node, upstream: Carrier, out: Any, values: Sequence[Any]) -> Sequence[Any]:
        """Return the rules of a node; where there are posthooks, what they leave of the gradients."""
        rules = node.primitive.rules_for(values)
        if node.hooks is None or not node.hooks.after:
            return rules
        if not self.leads_on(node):
            after_hooks(node, upstream, [None] * len(node.edges))
            return ()
        gradients = contributions(node, rules, upstream, out, values)  # computed at once, since hooks may replace them
        return [_constant(left) for left in after_hooks(node, upstream, gradients)]

    def accumulate(self, place: AccumulateGrad, gradient: Carrier, unshared: bool) -> None:
        accumulate(place.variable, gradient, unshared and place.hooks is None)
        if place.hooks is not None:
            accumulated_hooks(place, gradient)


def grad(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    grad_outputs: Sequence[Gradient] | None = None,
    *,
    create_graph: bool = False,
    **options: Any,
) -> tuple[Tensor | None, ...]:
    """Return gradients as the engine does, with the rites of snippets."""
    rites = SnippetRites(recorded=create_graph)
    return backward.grad(outputs, inputs, grad_outputs, create_graph=create_graph, rites=rites, **options)
