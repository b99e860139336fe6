"""The tensors that a node saved for its backward pass: reading, and releasing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.memory.writing import COPY_SLICES, blank
from gradcli.engine.modes import changes, mode
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.tensor import Tensor, Value
from gradcli.errors import AutogradError
from gradcli.language.tree import Expression

SECOND_TIME = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


def operands(node: Node, create_graph: bool) -> tuple[Sequence[Any], Any]:
    """Return inputs and result as the rules take them: numpy values, or Tensors under `create_graph`."""
    inputs: Sequence[Any] | None = node.inputs
    out = node.out
    if inputs is None:
        if node.hooks is None or node.hooks.packed is None:
            raise AutogradError(
                SECOND_TIME,
                code="E302",
                help="write .backward(retain_graph=True) in the first call, or build the graph again before the second",
            )
        inputs, out = node.hooks.packed()
    if changes.reshaped > node.sequence:
        inputs = [in_former_shape(x, node.sequence) if isinstance(x, Tensor) else x for x in inputs]
    if create_graph:
        return inputs, Tensor(out, node)
    return [x.value if isinstance(x, Tensor) else x for x in inputs], out


# Nodes whose gradients torch computes by a function of the upstream gradient and inputs, and differentiates by both.
NAMES = """
AdaptiveAvgPool2D AdaptiveAvgPool3D AdaptiveMaxPool2D AvgPool2D AvgPool3D BinaryCrossEntropy Celu Convolution Elu Gelu
Glu GridSampler2D GridSampler3D Hardshrink Hardswish HuberLoss LogSigmoid MaxPool2DWithIndices MaxPool3DWithIndices
NativeBatchNorm NativeLayerNorm NllLoss NllLoss2D PreluKernel ReflectionPad1D ReflectionPad2D ReflectionPad3D
ReplicationPad1D ReplicationPad2D ReplicationPad3D RreluWithNoise SmoothL1Loss SoftMarginLoss Softplus Softshrink
Threshold
"""
GROUP = "NativeGroupNormBackward0"  # whose gradients torch computes from its mean and deviation, which have its node
JOINT = frozenset(f"{name}Backward0" for name in NAMES.split())
# Of them, the nodes of which an operand that the other gradients alone depend on gets none, where others give zeros.
SILENT = {"ConvolutionBackward0", "NativeBatchNormBackward0", "NativeLayerNormBackward0", GROUP}
SILENT |= {"GridSampler2DBackward0", "GridSampler3DBackward0"}


# Nodes whose gradients torch cannot differentiate again, and the words in which it says so.
ONCE = {
    "EmbeddingBagWeightsBackward0": (
        RuntimeError,
        "derivative for aten::_embedding_bag_per_sample_weights_backward is not implemented",
    ),
    "ScaledDotProductFlashAttentionForCpuBackward0": (
        RuntimeError,
        "derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward is not implemented",
    ),
    "CtcLossBackward0": (RuntimeError, "derivative for aten::_ctc_loss_backward is not implemented"),
    "EmbeddingBagBackward0": (NotImplementedError, "the derivative for '_embedding_bag_backward' is not implemented."),
    "CdistBackward0": (NotImplementedError, "the derivative for '_cdist_backward' is not implemented."),
    "PdistBackward0": (NotImplementedError, "the derivative for '_pdist_backward' is not implemented."),
    **{
        f"{name.title().replace('_', '')}Backward0": (
            RuntimeError,
            f"derivative for aten::{name}_backward is not implemented",
        )
        for name in ("hardsigmoid", "multi_margin_loss", "multilabel_margin_loss")
    },
}
DEPENDING = JOINT | ONCE.keys() | {GROUP}
# Of some gradients the operand is no part, from this one on.
LINEAR = {"EmbeddingBagBackward0": 0, "EmbeddingBagWeightsBackward0": 0}


@cache
def _final(node: str) -> Primitive:
    error, message = ONCE[node]

    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        return operands[0].tree

    def rule(g: Any, out: Any, *given: Any, position: int) -> Any:
        raise error(message)

    name = f"{node[:5]}BackwardBackward0" if node[1:5] == "dist" else "torch::autograd::NotImplemented"
    return Primitive("final", lambda g, *_: g, (rule,), name, write, structured=True, variadic=True)


@cache
def _joint(node: str) -> Primitive:
    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        return operands[0].tree

    def rule(g: Any, out: Any, *given: Any, position: int) -> Any:
        return g if not position else None if node in SILENT else blank(given[position])

    name = "ViewBackward0" if node == GROUP else node.replace("Celu", "Elu").replace("Backward0", "BackwardBackward0")
    return Primitive("joint", lambda g, *inputs: g, (rule,), name, write, structured=True, variadic=True)


def _is_joint(node: Any) -> bool:
    return isinstance(node, AccumulateGrad) or node.name().endswith("BackwardBackward0")


def joined(gradient: Any, node: Node, inputs: Sequence[Any], position: int = 0) -> Any:
    """Return the gradient as a function of the inputs too, for a snippet with torch's node.

    It requires grad where one of them does; one that torch cannot differentiate again refuses that.
    """
    once = node.primitive.node in ONCE
    if not isinstance(gradient, Tensor) or (once and not mode.strict):
        return gradient
    if node.primitive.node == "BinaryCrossEntropyBackward0" and position:  # the target's is an ordinary function
        return gradient
    if node.primitive.node == GROUP and position == 2:  # the bias is only added
        inputs = ()
    if gradient.requires_grad and not once:
        return _joint(node.primitive.node)(gradient) if mode.strict and not _is_joint(gradient.node) else gradient
    if position >= LINEAR.get(node.primitive.node, 2):
        inputs = [x for place, x in enumerate(inputs) if place != position]
    needed = [x for x in inputs[:2] if isinstance(x, Tensor) and x.requires_grad]  # not of a bias, which is not saved
    if not needed and not (once and gradient.requires_grad):
        return gradient
    return (_final if once else _joint)(node.primitive.node)(gradient, *needed)


# The values that tensors had before they got another shape in place, each with the time of the change.
former: WeakKeyDictionary[Tensor, list[tuple[int, Value]]] = WeakKeyDictionary()


def keep_former_shape(x: Tensor, before: Value) -> None:
    """Note the value that `x` had until now: nodes made from it go by its former shape."""
    changes.reshaped = x.changed()
    former.setdefault(x, []).append((changes.reshaped, before))


def in_former_shape(x: Tensor, time: int) -> Tensor:
    """Return the tensor with the shape that it had then; its values are not read, for saved ones are checked."""
    return next((Tensor(value) for until, value in former.get(x, ()) if until > time), x)


def release(node: Node) -> None:
    """Release the tensors that the rules in use saved; a node that saved none may be used again, if it is no change."""
    edges = node.edges
    for position in node.primitive.saving(edges):
        if edges[position] is not None:
            _free(node)
            return
    if (watched and node in watched) or node.primitive.node == COPY_SLICES:
        _free(node)


def _free(node: Node) -> None:
    node.inputs = node.out = None
    if node.hooks is not None:
        node.hooks.packed = None


def saved(node: Node) -> set[int]:
    """Return the positions that the rules in use mention (`OUT` for the result)."""
    return {
        position
        for edge, positions in zip(node.edges, node.primitive.saved_for(node.edges), strict=False)
        if edge is not None
        for position in positions
    }


class Watched(NamedTuple):
    """A tensor that a node saves beside those of its rules: its history, the time of saving, and what made it."""

    history: list[int]
    since: int
    value: Value
    origin: Callable[[], str]


watched: WeakKeyDictionary[Node, list[Watched]] = WeakKeyDictionary()


def watch(result: Tensor, *inputs: Tensor) -> None:
    """Let the node of a result save these inputs, too, as torch's node does."""
    _watch(result, [(x, partial(_present_origin, x)) for x in inputs])


def watch_beside(result: Tensor, *others: Tensor) -> None:
    """Let the node of a result save other results of the same node of torch, too."""
    names = [origin(x.node) for x in others]  # no more than the name: their nodes may hold this one
    _watch(result, [(x, partial(str, name)) for x, name in zip(others, names, strict=True)])


def watch_each_other(*results: Tensor) -> None:
    """Let the nodes of several results, which are one node in torch, save all of them."""
    for x in results:
        watch_beside(x, *(y for y in results if y is not x))


def _present_origin(x: Tensor) -> str:
    return origin(x.node)


def _watch(result: Tensor, tensors: Iterable[tuple[Tensor, Callable[[], str]]]) -> None:
    if isinstance(result.node, Node):
        since, before = result.node.sequence, watched.get(result.node, [])
        watched[result.node] = before + [Watched(x.shared_history(), since, x.value, name) for x, name in tensors]


def origin(made_by: Node | AccumulateGrad | None) -> str:
    return f", which is output {made_by.number} of {_short(made_by.name())}," if isinstance(made_by, Node) else ""


def _short(name: str) -> str:
    """The name of a node as torch's errors have it: `Exp` of ExpBackward0, `Pow1` of PowBackward1, `F` of FBackward."""
    stem, _, number = name.rpartition("Backward")
    return stem + number.removeprefix("0") if stem and (number.isdigit() or not number) else name
