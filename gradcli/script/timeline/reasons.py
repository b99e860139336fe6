"""The reasons why a `.grad` is None or a tensor outside the graph: a code of `model.REASONS`, and words on "it"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.tensor import Tensor
from gradcli.script.timeline.origins import Cut
from gradcli.script.timeline.run import Pass, Run

Reason = tuple[str, str]
SPELT = {"to_copy": "to()", "copy_slices": "an assignment to a part of it"}


def why_none(run: Run, tensor: Tensor) -> Reason:
    """Return why the `.grad` of a tensor is None."""
    if isinstance(tensor.node, AccumulateGrad):
        return of_leaf(run, tensor)
    if isinstance(tensor.node, Node):
        return of_result(run, tensor, tensor.node)
    return outside(run, tensor)


def outside(run: Run, tensor: Tensor) -> Reason:
    """Return why a tensor is outside the graph."""
    place = next((place for place in run.origins.below([tensor]).values() if place), None)
    name, renamed = run.names.renamed.get(tensor, ("", 0))
    if renamed and place is not None and place.how == "no_grad":
        kept = f"the leaf that {name} was before has the gradient; {name} -= ... changes that one in place"
        return "no-grad", f"line {renamed} made a new tensor inside no_grad() and called it {name}: {kept}"
    if place is not None:
        if place.how == "no_grad":
            return "no-grad", f"it was computed inside no_grad() at line {place.line}, so it is not in the graph"
        return "detached", f"it is outside the graph: {words(place)}"
    line, required = run.switched.get(tensor, (0, True))
    if not required:
        return "constant", f"it does not require grad: line {line} switched its requires_grad off"
    roots = [root for root in (reference() for reference in run.origins.roots(tensor)) if root not in (None, tensor)]
    for root in roots:
        line, required = run.switched.get(root, (0, True))
        name = run.name(root)
        if line and not required:
            return "constant", f"it does not require grad: line {line} switched requires_grad of {name} off"
        if line:
            computed = f"line {run.origins.made.get(tensor)} computed it"
            return "constant", f"{computed} before line {line} switched requires_grad of {name} on"
    if run.origins.taken and (roots or run.origins.made.get(tensor) is None):
        place = next(reversed(list(run.origins.taken.values())))
        source = run.name(roots[0]) if roots else "it"
        return "constant", f"it does not require grad: {words(place)}, and {source} may be made of that"
    line = next((line for line in map(run.gradient_at, (tensor, *roots)) if line), 0)
    if line:
        return "constant", f"it is outside the graph: line {line} computed the gradient without create_graph=True"
    names = [name for name in map(run.names.get, roots) if name]
    if names:
        verb = "does" if len(names) == 1 else "do"
        given = f"{list_names(names)} {verb} not require grad"
        return "constant", f"{given}: make {names[0]} with requires_grad=True before it is used"
    return "constant", "it does not require grad: make it with requires_grad=True before it is used"


def words(place: Cut) -> str:
    """Return a sentence about a cut."""
    if place.how in ("torch.tensor()", "torch.as_tensor()", "new_tensor()"):
        return f"{place.how} at line {place.line} copied the numbers and left the graph behind"
    if place.how.endswith(")") or place.how.startswith("."):
        what = "cut it off" if place.how in ("detach()", "detach_()", ".data") else "took the number out of the graph"
        return f"{place.how} at line {place.line} {what}"
    return f"{place.how} at line {place.line} has no gradient"


def of_result(run: Run, tensor: Tensor, node: Node) -> Reason:
    """Return why a result keeps no gradient; often the leaf that is meant is another tensor."""
    if tensor.retains_grad:
        passes = [backward_pass for backward_pass in run.passes.values() if not backward_pass.returns]
        since = " since" if passes else " yet"
        return "no-backward", f"retain_grad() keeps its gradient, but no backward pass has reached it{since}"
    line = run.lines.get(node)
    origin = f"the result of {SPELT.get(node.primitive.name, node.primitive.name)}{f' (line {line})' if line else ''}"
    name, renamed = run.names.renamed.get(tensor, ("", 0))
    if renamed:
        leaf = f"the leaf that {name} was before line {renamed} has the gradient"
        update = f"change that one inside no_grad(), {name} -= ..."
        cure = update if node.primitive.name in ("sub", "add") else "give the result another name"
        return "non-leaf", f"it is {origin}, not a leaf: {leaf}; {cure}"
    inputs = [x for x in node.inputs or () if isinstance(x, Tensor)] or [
        edge.variable for edge in node.edges if isinstance(edge, AccumulateGrad)
    ]
    if any(isinstance(x.node, AccumulateGrad) and run.names.is_generated(x) for x in inputs):
        return "non-leaf", f"it is {origin}, not a leaf: call requires_grad_() last, on the finished tensor"
    return "non-leaf", f"it is {origin}, not a leaf: call retain_grad() on it before backward()"


def of_leaf(run: Run, tensor: Tensor) -> Reason:
    line, passed = run.reset_at.get(tensor, (0, 0))
    passes = run.passes.values()
    later = [run.passes[number] for number in run.passes if number > passed and not run.passes[number].returns]
    is_reached = any(tensor in backward_pass.below for backward_pass in later)
    if line and not is_reached:
        return "reset", f"line {line} set it to None, and no backward pass reached it after that"
    lines = [backward_pass.line for backward_pass in passes if backward_pass.returns and tensor in backward_pass.below]
    if lines and not is_reached:
        asked = f"torch.autograd.grad at line {lines[0]} returns the gradient and leaves .grad alone"
        return "no-backward", f"{asked}: call backward() to fill it"
    if not later:
        return "no-backward", "no backward pass has run yet: call backward() on what is computed from it"
    used, since = run.origins.used.get(tensor), run.origins.since.get(tensor, 0)
    if used and since and all(number <= since for number in run.passes):
        unused = f"no backward pass has run since line {used} computed with it"
        return "no-backward", f"{unused}: call backward() on what is computed from it"
    return unreached_reason(run, tensor, later)


def unreached_reason(run: Run, tensor: Tensor, passes: Iterable[Pass]) -> Reason:
    """Return why passes that have run left no gradient at a leaf."""
    passes = list(passes)
    numbers = sorted({backward_pass.line for backward_pass in passes})
    which = f"the backward pass of line{'s' * (len(numbers) > 1)} {list_names(map(str, numbers))}"
    for backward_pass in passes:
        if tensor in backward_pass.stops:
            return "not-reached", f"{which} did not reach it: {backward_pass.stops[tensor]}"
        place = backward_pass.below.get(tensor)
        if place is not None and place.how == "no_grad":
            return "no-grad", f"{which} did not reach it: line {place.line} computed with it inside no_grad()"
        if place is not None:
            return "detached", f"{which} did not reach it: {words(place)}"
    if tensor in run.origins.taken:
        place = run.origins.taken[tensor]
        return "detached", f"{which} did not reach it: {words(place)}"
    if tensor not in run.origins.used:
        return "not-reached", "no line has computed anything with it"
    outputs = [backward_pass.output for backward_pass in passes if backward_pass.output not in run.names.given]
    if not outputs:
        return "not-reached", f"{which} started from what does not depend on it"
    return "not-reached", f"{which} started from {list_names(dict.fromkeys(outputs))}, which does not depend on it"


def of(name: str, reason: str) -> str:
    """Return a reason as a sentence about a name."""
    return name + reason.removeprefix("it") if reason.startswith("it ") else f"{name}: {reason}"


def of_several(reason: str) -> str:
    """Return a reason on one leaf as one on several."""
    return re.sub(r"\bit\b", "them", reason)


def list_names(names: Iterable[str], most: int = 4) -> str:
    """Join names: `a`, `a and b`, `a, b and c`; of many the first, and the number of the others."""
    names = list(names)
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
