"""The origins of tensors: the leaves below them, and the cuts on the way back."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary, ref

from gradcli.engine.graph import AccumulateGrad, Node, Target
from gradcli.engine.memory.views import copy
from gradcli.engine.modes import mode
from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.timeline.names import node_of
from gradcli.source import Source

ROOTS = 4  # tensors outside the graph that are remembered below another


class Cut(NamedTuple):
    """A place where values left the graph: the line, and how: `detach()`, `no_grad`, an operation without gradient."""

    line: int
    how: str
    source: Source | None = None


Below = dict[Tensor, Cut | None]  # leaves, and the cut on the way to each, if any; never changed once it is made
NOTHING: Below = {}


class Origins:
    """The leaves and roots from which every tensor was computed."""

    def __init__(self, former: Container[Tensor] = frozenset()) -> None:
        self.former = former  # leaves that have lost their name: no chain of them is kept
        self._below: WeakKeyDictionary[Tensor, Below] = WeakKeyDictionary()
        self._roots: WeakKeyDictionary[Tensor, tuple[ref[Tensor], ...]] = WeakKeyDictionary()
        self.used: WeakKeyDictionary[Tensor, int] = WeakKeyDictionary()  # leaves: the line that first computed with it
        self.since: WeakKeyDictionary[Tensor, int] = WeakKeyDictionary()  # how many passes had run then
        self.passes = 0  # the number of passes that have run
        self.made: WeakKeyDictionary[Tensor, int] = WeakKeyDictionary()  # where results of constants begin
        self.taken: WeakKeyDictionary[Tensor, Cut] = WeakKeyDictionary()  # leaves below a number that left for Python
        self.copied: WeakKeyDictionary[Tensor, Cut] = WeakKeyDictionary()  # those below a tensor that left

    def computed(self, application: Application, node: Target | None, line: int, source: Source | None = None) -> None:
        """Note the origins of the result of an operation, which has this node."""
        out, inputs = application.out, [x for x in application.inputs if isinstance(x, Tensor)]
        parts = []
        for x in inputs:
            if part := self._below_one(x):
                parts.append(part)
                if (x in part and x not in self.used) or any(part.values()):  # below a result they were used for it
                    for leaf in part:
                        if leaf not in self.used:
                            self.used[leaf], self.since[leaf] = line, self.passes
        below = parts[0] if len(parts) == 1 else merge_leaves(parts)
        if not below:
            self.made[out] = next((self.made[x] for x in inputs if x in self.made), line)
            self._roots[out] = tuple(dict.fromkeys(root for x in inputs for root in self.roots(x)))[:ROOTS]
            return
        if not isinstance(node, Node):
            below = cut(below, Cut(line, how(application) if mode.grad_enabled else "no_grad", source))
        self._below[out] = below
        if application.primitive is copy:  # into the memory of the first
            self._below[inputs[0]] = merge_leaves([self.below([inputs[0]]), below])
        if out.base is not None:  # perhaps the part that was written over
            self._below[out.base] = merge_leaves([self.below([out.base]), below])

    def left(self, source: Tensor, result: object, place: Cut) -> None:
        """Note that `detach()` or the like made a result outside the graph of the source."""
        below = {leaf: cut_at for leaf, cut_at in cut(self.below([source]), place).items() if leaf not in self.former}
        if not below:
            return
        if isinstance(result, Tensor):
            self._below[result] = {**self._below.get(result, {}), **below}
            for leaf in below:
                self.copied.setdefault(leaf, place)
        else:
            for leaf in below:
                self.taken.setdefault(leaf, below[leaf] or place)

    def way_out(self, leaf: Tensor) -> Cut | None:
        """Return where a leaf left for Python, or left the graph before any operation could use it."""
        return self.taken.get(leaf) or (self.copied.get(leaf) if leaf not in self.used else None)

    def forget(self, leaves: Iterable[Tensor]) -> None:
        """Forget the leaves below ones that have lost their name, or a chain of all former ones would stay."""
        for leaf in leaves:
            self._below.pop(leaf, None)

    def below(self, tensors: Iterable[Tensor]) -> Below:
        """Return the leaves below these tensors, whether or not the graph still leads to them."""
        return merge_leaves([self._below_one(x) for x in tensors])

    def _below_one(self, x: Tensor) -> Below:
        below = self._below.get(x, NOTHING)
        is_leaf = isinstance(node_of(x), AccumulateGrad) and not x.is_unrecorded
        return {**below, x: None} if is_leaf else below

    def roots(self, tensor: Tensor) -> Sequence[ref[Tensor]]:
        """Return the tensors from which one without any leaf below it was computed."""
        return self._roots.get(tensor) or (ref(tensor),)


def merge_leaves(parts: Sequence[Below]) -> Below:
    """Join leaves; the way to a leaf is cut where it is cut in every part."""
    parts = [part for part in parts if part]
    if len(parts) < 2 or all(part is parts[0] for part in parts):
        return parts[0] if parts else {}
    leaves: Below = {}
    for part in parts:
        for leaf, place in part.items():
            leaves[leaf] = place and leaves.get(leaf, place)
    return leaves


def cut(below: Below, place: Cut) -> Below:
    """Return the same leaves, each cut off."""
    return {leaf: before or place for leaf, before in below.items()}


def how(application: Application) -> str:
    """Return the words for an operation that has no gradient."""
    name = application.primitive.name
    if name == "to_copy":
        return f"the cast to {application.out.dtype}"
    symbol = OPERATIONS[name].symbol if name in OPERATIONS else ""
    return f"the comparison {symbol}" if symbol and symbol[0] in "<>=!" else name
