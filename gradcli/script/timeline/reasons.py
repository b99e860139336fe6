"""Why a `.grad` is None."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradcli.script.timeline.recorder import Recorder


class Cut(NamedTuple):
    """A place where a tensor left the graph: the line, how, the leaves below it, and what came out."""

    line: int
    how: str
    leaves: frozenset[Tensor]
    result: Tensor | None


class Pass(NamedTuple):
    """A backward pass: its line, and the leaves that its output was computed from, whether it reached them or not.

    That of `torch.autograd.grad` returns what it finds, and leaves every `.grad` alone.
    """

    line: int
    leaves: frozenset[Tensor]
    returns: bool = False


def why_none(recorder: Recorder, tensor: Tensor, name: str) -> tuple[str, str]:
    """A code of `model.REASONS` and a sentence."""
    if isinstance(tensor.node, AccumulateGrad):
        return _of_leaf(recorder, tensor, name)
    if isinstance(tensor.node, Node):
        return _of_result(recorder, tensor.node, name, tensor.retains_grad)
    below = recorder.origins.get(tensor, frozenset())
    cut = next((cut for cut in reversed(recorder.cuts) if cut.result is tensor), None)
    cut = cut or next((cut for cut in reversed(recorder.cuts) if cut.leaves & below), None)
    if cut is not None and cut.how == "no_grad":
        return "no-grad", f"{name} was computed inside no_grad() at line {cut.line}, so it is not in the graph"
    if cut is not None:
        return "detached", f"{name} is outside the graph: {cut.how} at line {cut.line} cut it off"
    return "constant", f"{name} does not require grad: make it with requires_grad=True before it is used"


def _of_result(recorder: Recorder, node: Node, name: str, retains: bool) -> tuple[str, str]:
    line = recorder.lines.get(node)
    origin = f" (line {line})" if line else ""
    if retains:
        return "no-backward", f"{name} retains its gradient, but no backward pass has reached it yet"
    return (
        "non-leaf",
        f"{name} is the result of {node.primitive.name}{origin}, not a leaf: "
        f"call {name}.retain_grad() before backward()",
    )


def _of_leaf(recorder: Recorder, tensor: Tensor, name: str) -> tuple[str, str]:
    if tensor in recorder.reset_at:
        return (
            "reset",
            f"line {recorder.reset_at[tensor]} reset {name}.grad to None, and no backward pass came after it",
        )
    passes = [one for one in recorder.passes if not one.returns]
    asked = next((one.line for one in recorder.passes if one.returns and tensor in one.leaves), None)
    if not passes and asked is not None:
        what = f"torch.autograd.grad at line {asked} returned the gradient and leaves {name}.grad alone"
        return "no-backward", f"{what}: call backward() to fill it"
    if not passes:
        return "no-backward", f"no backward pass has run yet: call backward() on what was computed from {name}"
    numbers = dict.fromkeys(one.line for one in passes)
    lines = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
    computed = any(tensor in one.leaves for one in passes)
    cut = next((cut for cut in recorder.cuts if computed and tensor in cut.leaves), None)
    if cut is not None and cut.how == "no_grad":
        where = f"line {cut.line} computed with {name} inside no_grad()"
        return "no-grad", f"the backward pass of {lines} did not reach {name}: {where}"
    if cut is not None:
        return "detached", f"the backward pass of {lines} did not reach {name}: {cut.how} at line {cut.line} cut it off"
    return "not-reached", f"the output of the backward pass of {lines} does not depend on {name}"
