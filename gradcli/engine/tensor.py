"""The Tensor: a numpy value, the graph node that made it, and torch's rules for both.

Scalars are kept as numpy scalars, which are ten times faster than 0-d arrays; `array` turns one into a real array when
memory must be shared or written to. Operators are in `protocol`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES, type_name
from gradcli.engine.graph import AccumulateGrad, Handle, Node, Target, Unversioned
from gradcli.engine.hidden import Hidden
from gradcli.engine.modes import changes, mode, tick
from gradcli.engine.operators import FUNCTIONS
from gradcli.engine.primitive import REGISTRY
from gradcli.engine.protocol import TensorProtocol
from gradcli.errors import AutogradError, ShapeError

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)


def check_gradient(x: Any, gradient: Any) -> None:
    """Refuse to assign as `.grad` of a tensor one that differs in shape or dtype."""
    ShapeError.when(
        gradient.shape != x.shape,
        f"attempting to assign a gradient of size '{list(gradient.shape)}' to a tensor of size "
        f"'{list(x.shape)}'. Please ensure that the gradient and the tensor are the same size",
    )
    if gradient.dtype != x.dtype:
        raise ShapeError(
            f"attempting to assign a gradient with dtype '{C_NAMES[TYPE_NAMES[gradient.dtype]]}' to a tensor with "
            f"grad_dtype '{TYPE_NAMES[x.dtype]}'. The gradient must match the tensor's grad_dtype (defaults to "
            "the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
            "allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
            "downstream systems that assume they match."
        )


Value = Any  # np.ndarray or a numpy scalar
Gradient = Any  # an upstream gradient: Tensor, array, number, or None for 1

DETACHED_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, "
    "and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be "
    "called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
    "torch/optim/optimizer.py as the solution."
)


class Tensor(TensorProtocol):
    """A value in the graph.

    `node` is the place that its gradient flows into: a `Node` for a result, an `AccumulateGrad` for a leaf that
    requires grad, None for a constant. `history` holds the time of each in-place change and is shared by every tensor
    on the same memory.
    """

    __slots__ = ("__weakref__", "_grad", "history", "node", "snippet_attributes", "value")
    __array_ufunc__ = None  # numpy leaves its operators to this class

    snippet_attributes: dict[str, Any]  # the attributes that a snippet puts on a tensor; not set before there is one
    base: Tensor | None = None  # of a view: the tensor whose memory it looks into
    is_unrecorded = False  # whether this is a view, made under no_grad, of a tensor that requires grad

    def __init__(self, value: Value, node: Target | None = None) -> None:
        self.value = value
        self.node = node
        self._grad: Tensor | None = None
        self.history: list[int] | None = None

    def __repr__(self) -> str:
        return f"<Tensor {self.shape} {self.dtype}{' requires_grad' if self.requires_grad else ''}>"

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape  # type: ignore[no-any-return]

    @property
    def strides(self) -> tuple[int, ...]:
        return self.array.strides

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.value.dtype  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        return self.value.ndim  # type: ignore[no-any-return]

    @property
    def array(self) -> np.ndarray[Any, Any]:
        """The value as an array that can be written to and looked into."""
        if not isinstance(self.value, np.ndarray | Hidden):
            scalar, self.value = self.value, np.array(self.value)
            if isinstance(self.node, Node) and self.node.out is scalar:
                self.node.out = self.value
        return self.value  # type: ignore[return-value]

    @property
    def data(self) -> Tensor:
        """A tensor on this memory outside the graph; changes through it are not counted."""
        alias = Tensor(self.array)
        if isinstance(self.history, Unversioned):
            alias.history = self.history
        if mode.examples is not None:
            mode.examples.refuse(self, "data")
        return alias

    @data.setter
    def data(self, other: Tensor) -> None:
        if not isinstance(other, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(other)}")
        AutogradError.when(
            self.requires_grad and not is_floating(other.value),
            "data set to a tensor that requires gradients must be floating point or complex dtype",
        )
        self.value = other.array

    @property
    def requires_grad(self) -> bool:
        return self.node is not None

    @requires_grad.setter
    def requires_grad(self, required: bool) -> None:
        if required == self.requires_grad:
            return
        AutogradError.when(
            not self.is_leaf,
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in "
            "a subgraph that doesn't require differentiation use var_no_grad = var.detach().",
        )
        AutogradError.when(
            required and not is_floating(self.value), "only Tensors of floating point dtype can require gradients"
        )
        self.node = AccumulateGrad(self) if required else None

    @property
    def known_node(self) -> Target | None:
        """The node; of an invalid view, the last node that it had."""
        return self.node

    def check_valid(self) -> None:
        """Raise AutogradError for a view whose node is not known; any other tensor knows its node."""

    @property
    def is_leaf(self) -> bool:
        return not isinstance(self.node, Node)

    @property
    def grad_fn(self) -> Node | None:
        return self.node if isinstance(self.node, Node) else None

    @property
    def grad(self) -> Tensor | None:
        if self._grad is None and isinstance(self.known_node, Node) and not self.retains_grad:
            warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, gradient: Tensor | None) -> None:
        if gradient is not None:
            if not isinstance(gradient, Tensor):
                kind = type_name(gradient)
                raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {kind}")
            AutogradError.when(gradient is self, "can't assign Variable as its own grad")
            check_gradient(self, gradient)
        self._grad = gradient

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def retains_grad(self) -> bool:
        node = self.known_node
        return isinstance(node, Node) and node.hooks is not None and node.hooks.retain is not None

    def retain_grad(self) -> None:
        """Keep the gradient of a result in its `.grad`; a leaf keeps its own anyway."""
        AutogradError.when(not self.requires_grad, "can't retain_grad on Tensor that has requires_grad=False")
        if isinstance(self.known_node, Node):
            self.known_node.with_hooks().retain = ref(self)

    def keep(self, gradient: Tensor) -> None:
        """Accumulate, as a leaf does: a second backward pass adds to the gradient of the first."""
        held: Any = self._grad
        self._grad = FUNCTIONS["apply"](REGISTRY["clone"], (gradient,), {}) if held is None else held + gradient

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> Handle:
        """Call `hook` with the gradient of this tensor; a tensor that it returns takes the gradient's place."""
        self.check_valid()
        if self.node is None:
            raise AutogradError("cannot register a hook on a tensor that doesn't require gradient")
        return self.node.register_tensor_hook(hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> Handle:
        """Call `hook` with this leaf each time that a gradient has arrived in its `.grad`."""
        if self.node is None:
            raise AutogradError("cannot register a hook on a tensor that doesn't require gradient")
        AutogradError.when(not self.is_leaf, "post accumulate grad hooks cannot be registered on non-leaf tensors")
        return Handle(self.node.with_hooks().accumulated, hook)

    @property
    def _version(self) -> int:
        AutogradError.when(isinstance(self.history, Unversioned), "Inference tensors do not track version counter.")
        return 0 if self.history is None else len(self.history)

    def changed(self) -> int:
        """Note an in-place change of the memory; returns its time."""
        now = changes.latest = next(tick)
        self.shared_history().append(now)
        return now

    def shared_history(self) -> list[int]:
        if self.history is None:
            self.history = []
        return self.history

    def detach(self) -> Tensor:
        """Return the same memory, outside the graph."""
        alias = Tensor(self.array)
        alias.history = self.shared_history()
        return alias

    def detach_(self) -> Tensor:
        """Take this tensor itself out of the graph."""
        if self.base is not None:
            raise AutogradError(DETACHED_VIEW)
        if mode.inference:
            return self
        changes.latest = next(tick)  # nodes that saved it are to look at it
        self.node = None
        return self

    def requires_grad_(self, required: bool = True) -> Tensor:
        self.requires_grad = required
        return self

    def item(self) -> Any:
        """Return the Python number of a tensor of one element."""
        if mode.examples is not None:
            mode.examples.refuse(self, "item")
        if self.value.size != 1:
            raise AutogradError(f"a Tensor with {self.value.size} elements cannot be converted to Scalar")
        return self.value.item()

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return the memory as an array."""
        if mode.examples is not None:
            mode.examples.refuse(self, "memory")
        AutogradError.when(
            mode.grad_enabled and self.requires_grad,
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        )
        return self.array

    def backward(self, gradient: Gradient = None, retain_graph: bool | None = None, create_graph: bool = False) -> None:
        """Accumulate the gradient of this tensor into the `.grad` of the leaves it depends on.

        `gradient` is the upstream gradient and may be left out for one element; `retain_graph` (default:
        `create_graph`) keeps the saved tensors for another pass; `create_graph` records the backward pass itself.
        """
        FUNCTIONS["backward"](self, gradient, retain_graph, create_graph)


def is_floating(value: Value) -> bool:
    return value.dtype.kind == "f"  # type: ignore[no-any-return]


def tensor(data: Any, *, dtype: np.dtype[Any] | None = None, requires_grad: bool = False) -> Tensor:
    """Make a leaf from a number, nested lists or an array; fractions take the default dtype, as in torch.

    Raises TypeError for words, None and integers of more than 64 bits, ValueError for rows of different lengths.
    """
    value = np.array(data, dtype=dtype)
    if value.dtype.kind not in "fiub":
        raise TypeError(f"a tensor holds numbers or booleans, not {data!r:.60}")
    if dtype is None and value.dtype == np.float64 and not isinstance(data, np.ndarray | np.generic):
        value = value.astype(mode.default_dtype)
    leaf = Tensor(value[()])
    if requires_grad:
        require_grad(leaf)
    return leaf


def require_grad(leaf: Tensor) -> None:
    """Let a new leaf gather its gradient. Raises AutogradError where its numbers are whole."""
    AutogradError.when(
        not is_floating(leaf.value), "Only Tensors of floating point and complex dtype can require gradients"
    )
    leaf.node = AccumulateGrad(leaf)
