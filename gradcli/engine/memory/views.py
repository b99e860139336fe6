"""Views: tensors that look into the memory of another, and whose history follows every change of that memory.

The primitives that write over a tensor or a part of it are torch's fill, zero, copy and CopySlices.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.graph import AccumulateGrad, Node, Target, Unversioned
from gradcli.engine.memory.layout import owner, strided
from gradcli.engine.modes import mode
from gradcli.engine.primitive import REGISTRY, Primitive, Rule, primitive, structured
from gradcli.engine.symbolic.formula import Formula, call
from gradcli.engine.symbolic.indices import ELSEWHERE, flat
from gradcli.engine.symbolic.indices import overwrite_formula as written_at
from gradcli.engine.tensor import Tensor, Value
from gradcli.errors import AutogradError
from gradcli.facts import dataclass
from gradcli.language.tree import Argument, Call, Expression

Path = tuple[tuple[Primitive, dict[str, Any]], ...]  # the views that lead from the base, each with its options

# Made under no_grad, or in inference mode; one of several results of an operation; the output of a snippet's function.
UNRECORDED, INFERENCE, PART, CUSTOM = "unrecorded", "inference", "part", "custom"
_AMBIGUOUS = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {} block (if you don't want the inplace to be tracked) or both "
    "outside (if you want the inplace to be tracked)."
)
REASONS = {
    UNRECORDED: _AMBIGUOUS.format("no_grad"),
    INFERENCE: _AMBIGUOUS.format("inference_mode"),
    PART: (
        "This view is the output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
    ),
    CUSTOM: (
        "This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle view+inplace would override the custom backward associated with the custom Function, leading "
        "to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
        "Function."
    ),
}
ITSELF = "is being modified inplace"
ANOTHER = "its base or another view of its base has been modified inplace"
_node: Any = Tensor.__dict__["node"]  # the plain attribute, below the property of views


class View(Tensor):
    """A tensor on memory of `base`, at the end of `path`.

    Its node is made again when it is read after a change of the memory: then the gradient goes to the new node of the
    base. `origin` is the reason for refusing changes, empty if there is none.
    """

    __slots__ = ("_known", "base", "origin", "path")

    def __init__(self, value: Value, base: Tensor, path: Path, origin: str) -> None:
        super().__init__(value)
        self.base: Tensor = base
        self.path = path
        self.origin = origin
        if base.history is None:
            base.history = []
        self.history = base.history
        self._known = len(self.history)  # how many changes the node knows of

    @property
    def node(self) -> Target | None:
        node: Target | None = _node.__get__(self)
        if (node is None or self._known != len(self.history or ())) and self.base.node is not None:
            return self._renewed(node)
        return node

    @node.setter
    def node(self, node: Target | None) -> None:
        _node.__set__(self, node)

    @property
    def is_invalid(self) -> bool:
        """Whether the base was changed in another mode since this was made: nobody knows its node."""
        return (
            is_view(self)
            and bool(self.origin)
            and self._known != len(self.history or ())
            and self.base.node is not None
        )

    @property
    def known_node(self) -> Target | None:
        node: Target | None = _node.__get__(self)
        return node if self.is_invalid else self.node

    def check_valid(self) -> None:
        """Refuse to tell the node of an invalid view."""
        if self.is_invalid:
            raise self.refusal(ANOTHER)

    def _renewed(self, view_node: Target | None) -> Target | None:
        changes = len(self.history or ())
        if view_node is None and changes == self._known:  # a view made unrecorded collects gradients of its own
            self.node = view_node = AccumulateGrad(self)
            return view_node
        if self.origin:
            if not mode.grad_enabled:
                return view_node
            raise self.refusal(ANOTHER)
        node = Node(REGISTRY["regenerated"], (self.base,), {"path": self.path}, [self.base.node], self.value)
        take_over(view_node, node)
        self._known = changes
        self.node = node
        return node

    @property
    def requires_grad(self) -> bool:
        return _node.__get__(self) is not None or self.base.requires_grad

    @requires_grad.setter
    def requires_grad(self, required: bool) -> None:
        Tensor.requires_grad.__set__(self, required)  # type: ignore[attr-defined]

    @property
    def is_unrecorded(self) -> bool:  # type: ignore[override]
        return bool(self.origin) and not isinstance(_node.__get__(self), Node) and self.base.requires_grad

    def refusal(self, what: str) -> AutogradError:
        """Return the error for a change of a view of this origin, or of its base."""
        node = _node.__get__(self)
        created = "A view was created in"
        subject = ""
        if isinstance(node, Node):
            stem, _, number = node.name().rpartition("Backward")
            subject = f"Output {node.number} of {stem}{number.removeprefix('0')} is a view"
            created = f"{subject} of a view which was created in"
        if self.origin == INFERENCE:
            subject_words = f"{created} inference mode and {what} in normal mode."
        elif self.origin == UNRECORDED or not subject:
            subject_words = f"{created} no_grad mode and {what} with grad mode enabled."
        else:
            subject_words = f"{subject} and {what}."
        return AutogradError(f"{subject_words} {REASONS[self.origin]}", code="E304")


def is_view(x: Any) -> TypeGuard[View]:
    """Whether a value is a tensor on the memory of another; one of a snippet's own class may be or not."""
    return isinstance(x, View) and x.base is not None


View.__name__ = View.__qualname__ = "Tensor"  # which Python's own messages name


def view_of(source: Tensor, value: Value, primitive: Primitive, options: dict[str, Any]) -> Tensor:
    """Return the result of a view: a View, or a plain Tensor where numpy had to copy (a reshape of a transpose)."""
    if value is not source.value and getattr(value, "base", None) is None:
        return Tensor(value)
    if isinstance(source.history, Unversioned):  # torch keeps no account of views of an inference tensor
        alias = Tensor(value)
        alias.history = source.history
        return alias
    if mode.grad_enabled:
        origin = PART if "part" in primitive.traits else ""
    else:
        origin = INFERENCE if mode.inference else UNRECORDED
    step = (primitive, options)
    if isinstance(source, View) and source.base is not None:
        return View(value, source.base, (*source.path, step), origin or source.origin)
    return View(value, source, (step,), origin)


def take_over(old: Target | None, new: Node) -> None:
    """Move `retain_grad` to the new node of a tensor; other hooks stay with the old one, as in torch."""
    if isinstance(old, Node) and old.hooks is not None and old.hooks.retain is not None:
        new.with_hooks().retain, old.hooks.retain = old.hooks.retain, None


def writable(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the same memory, writable: numpy protects diagonals and expanded arrays, torch does not."""
    return value if value.flags.writeable else strided(value, value.shape, value.strides)


def first_entry(array: np.ndarray[Any, Any]) -> int:
    """Return the offset of the first entry in the memory, in entries."""
    return int(array.ctypes.data - owner(array).ctypes.data) // int(array.itemsize)


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


def _over(name: str, forward: Any, word: str, node: str) -> Primitive:
    """Declare what writes a constant over a tensor."""
    return primitive(
        name,
        forward,
        lambda g, out, x, *_: blank(g),
        node=node,
        notation=call(word, forward),
        traits=("writing",),
        says="What is written over no longer counts, so its gradient is 0.",
    )


zero = _over("zero_over", _blank, "zero_", "ZeroBackward0")
fill = _over("fill_over", _fill, "fill_", "FillBackward2")
fill_tensor = primitive(
    "fill_tensor_over",
    _fill,
    lambda g, out, x, value: blank(g),
    lambda g, out, x, value: g,
    node="FillBackward3",
    notation=call("fill_", _fill),
    traits=("writing",),
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
    traits=("writing",),
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


def write_overwrite(name: str, base: Formula, path: Path, part: Expression) -> Expression:
    """Write `overwrite(x, x[1:], 0)`: the whole, the part that is written over, and the new part."""
    return Call(name, (Argument(base.tree), Argument(follow(base, path).tree), Argument(part)))


def _overwrite(x: Any, part: Any, *, path: Path) -> Any:
    result = np.array(x)
    place = follow(result, path)
    if np.may_share_memory(place, result):
        writable(place)[...] = part
    else:  # a gradient may lie in memory in another order than its base, of which a shape may then be a copy
        result = np.array(x, order="C")
        result.reshape(-1)[follow(np.arange(result.size).reshape(result.shape), path)] = part
    return result


overwrite: Primitive = structured(
    "overwrite",
    _overwrite,
    lambda g, out, x, part, *, path: overwrite(g, 0, path=path),
    lambda g, out, x, part, *, path: follow(g, path),
    node="CopySlices",  # in torch too, the gradient of a part is written into that of the whole
    notation=lambda operands, options: write_overwrite("overwrite", operands[0], options["path"], operands[1].tree),
    traits=("writing",),
    says=fill_tensor.says,
    index=lambda out, x, part, *, path: written_at(x, follow(flat(x), path), "part", part),
)
regenerated = structured(
    "regenerated",
    lambda x, *, path: follow(x, path),
    lambda g, out, x, *, path: lead_back(g, path, x.shape),
    node="AsStridedBackward0",
    notation=lambda operands, options: follow(operands[0], options["path"]).tree,
    traits=("writing",),
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
        return write_overwrite("copy_slices", operands[0], path, part)

    rules = tuple(rule and lifted(position, rule) for position, rule in enumerate(inner.rules))
    return OnPart("copy_slices", forward, rules, COPY_SLICES, written, structured=True, inner=inner)


def node_of_base(view: View, node: Node) -> Node:
    """Return the node for the base of a view over which the operation of `node` was written."""
    base = view.base
    primitive = on_part(node.primitive, view.path)
    first: Target | None = base.node if primitive.rules[0] else None
    return Node(primitive, (base, *(node.inputs or ())[1:]), node.options, [first, *node.edges[1:]], base.value)
