"""Primitives that write over a tensor, or over a part of it: torch's fill, zero, copy and CopySlices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.graph import Node, Target
from gradcli.engine.memory.views import Path, View, writable
from gradcli.engine.primitive import Primitive, Rule, primitive, structured
from gradcli.engine.symbolic.formula import Formula, call
from gradcli.engine.symbolic.indices import ELSEWHERE, flat
from gradcli.engine.symbolic.indices import written_over as written_at
from gradcli.facts import dataclass
from gradcli.language.tree import Argument, Call, Expression

COPY_SLICES = "torch::autograd::CopySlices"


def _blank(x: Any) -> Any:
    return np.zeros_like(x)[()]


blank: Primitive = primitive(
    "blank",
    _blank,
    lambda g, out, x: blank(g),
    notation=call("zeros_like", _blank),
    says="What is written over no longer counts, so its gradient is 0.",
)


def _fill(x: Any, value: Any) -> Any:
    return np.full_like(x, value)


zero = primitive(
    "zero_over",
    _blank,
    lambda g, out, x: blank(g),
    node="ZeroBackward0",
    notation=call("zero_", _blank),
    says="What is written over no longer counts, so its gradient is 0.",
)
fill = primitive(
    "fill_over",
    _fill,
    lambda g, out, x, value: blank(g),
    node="FillBackward2",
    notation=call("fill_", _fill),
    says="What is written over no longer counts, so its gradient is 0.",
)
fill_tensor = primitive(
    "fill_tensor_over",
    _fill,
    lambda g, out, x, value: blank(g),
    lambda g, out, x, value: g,
    node="FillBackward3",
    notation=call("fill_", _fill),
    keeps_dtype=True,
    says="What is written over gets 0, and what is written gets the gradient of the places it fills.",
)


def _copy(x: Any, source: Any) -> Any:
    return np.broadcast_to(source, x.shape).astype(x.dtype)


copy = primitive(
    "copy_over",
    _copy,
    lambda g, out, x, source: blank(g),
    lambda g, out, x, source: g,
    node="torch::autograd::CopyBackwards",
    notation=call("copy_", _copy),
    keeps_dtype=True,
    says=fill_tensor.says,
)


def follow(x: Any, path: Path) -> Any:
    """Return the part of `x` at the end of the path."""
    for view, options in path:
        x = view(x, **options)
    return x


def lead_back(g: Any, path: Path, shape: tuple[int, ...]) -> Any:
    """Return the gradient of a base of that shape from the gradient `g` of the end of the path, by the views' rules."""
    places = [np.broadcast_to(np.False_, shape)]  # views ask for shapes alone
    for view, options in path:
        places.append(view.forward(places[-1], **options))
    for step, (view, options) in reversed(list(enumerate(path))):
        rule: Any = view.rules[0]
        g = rule(g, places[step + 1], places[step], **options)
    return g


def written_over(name: str, whole: Formula, path: Path, part: Expression) -> Expression:
    """Write `overwrite(x, x[1:], 0)`: the whole, the part that is written over, and the new part."""
    return Call(name, (Argument(whole.tree), Argument(follow(whole, path).tree), Argument(part)))


def _overwrite(x: Any, part: Any, *, path: Path) -> Any:
    whole = np.array(x)
    place = follow(whole, path)
    if np.may_share_memory(place, whole):
        writable(place)[...] = part
    else:  # a gradient may lie in memory in another order than its base, of which a shape may then be a copy
        whole = np.array(x, order="C")
        whole.reshape(-1)[follow(np.arange(whole.size).reshape(whole.shape), path)] = part
    return whole


overwrite: Primitive = structured(
    "overwrite",
    _overwrite,
    lambda g, out, x, part, *, path: overwrite(g, 0, path=path),
    lambda g, out, x, part, *, path: follow(g, path),
    node="CopySlices",  # in torch too, the gradient of a part is written into that of the whole
    notation=lambda operands, options: written_over("overwrite", operands[0], options["path"], operands[1].tree),
    says=fill_tensor.says,
    index=lambda out, x, part, *, path: written_at(x, follow(flat(x), path), "part", part),
)
regenerated = structured(
    "regenerated",
    lambda x, *, path: follow(x, path),
    lambda g, out, x, *, path: lead_back(g, path, x.shape),
    node="AsStridedBackward0",
    notation=lambda operands, options: follow(operands[0], options["path"]).tree,
    view=True,
    says="A view looks at entries of its base, so each of these gets the gradient of the view.",
    index=ELSEWHERE,
)


@dataclass(frozen=True, eq=False)
class OnPart(Primitive):
    """An in-place operation on a part of a tensor, as an operation on the whole: torch's CopySlices.

    The first input is the whole tensor as it was, the others are those of the operation.
    """

    inner: Primitive | None = None

    @cached_property
    def saved(self) -> tuple[frozenset[int], ...]:
        assert self.inner is not None
        return self.inner.saved


def on_part(inner: Primitive, path: Path) -> OnPart:
    """Lift the operation `inner` from the part at the end of the path to the whole."""

    def lifted(position: int, rule: Rule) -> Rule:
        def lift(g: Carrier, out: Carrier, x: Carrier, *others: Carrier, **options: Any) -> Any:
            part = rule(follow(g, path), follow(out, path), follow(x, path), *others, **options)
            return part if position else overwrite(g, part, path=path)

        return lift

    def forward(x: Any, *others: Any, **options: Any) -> Any:
        return _overwrite(x, inner.forward(follow(x, path), *others, **options), path=path)

    def written(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        part = inner.notation([follow(operands[0], path), *operands[1:]], options)
        return written_over("copy_slices", operands[0], path, part)

    rules = tuple(rule and lifted(position, rule) for position, rule in enumerate(inner.rules))
    return OnPart("copy_slices", forward, rules, COPY_SLICES, written, structured=True, inner=inner)


def node_of_base(view: View, node: Node) -> Node:
    """Return the node for the base of a view over which the operation of `node` was written."""
    base = view.base
    whole = on_part(node.primitive, view.path)
    first: Target | None = base.node if whole.rules[0] else None
    return Node(whole, (base, *(node.inputs or ())[1:]), node.options, [first, *node.edges[1:]], base.value)
