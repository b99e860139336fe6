"""Remarks on a point: kinks and ties, nan and infinity, variables and operations without effect."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.engine.primitive import REGISTRY
from gradcli.explanation.lines import Evaluation, Line
from gradcli.explanation.model import Leaf, Node, Note, Step
from gradcli.language.tree import Number


def notes(evaluation: Evaluation, nodes: Sequence[Node], steps: Sequence[Step], leaves: Sequence[Leaf]) -> list[Note]:
    """Return all notes, in the order in which a reader meets their nodes."""
    found = [note for line in evaluation.lines for note in kinks(line)]
    found.extend(flats(nodes))
    found.extend(not_finite(nodes))
    found.extend(gradient_not_finite(steps))
    found.extend(
        Note("unused", leaf.node, f"the output does not depend on {leaf.name}, so its gradient is None")
        for leaf in leaves
        if leaf.gradient is None
    )
    return found


def kinks(line: Line) -> Iterator[Note]:
    """Inputs that sit where the derivative jumps, where torch's convention decided."""
    application = line.application
    if application is None or not line.tensor.requires_grad or not application.primitive.kinks:
        return
    primitive = application.primitive
    values = [x.tensor.value for x in line.inputs]
    if callable(primitive.kinks):
        mask = primitive.kinks(*values, **application.options)
    else:
        mask = np.isin(values[0], primitive.kinks)
    count = int(np.count_nonzero(mask))
    if count:
        size = int(np.size(mask))
        where = f" in {count} of {size} entries" if size > 1 else ""
        code = "tie" if "tie" in primitive.convention else "kink"
        what = "has a tie" if code == "tie" else "is at a kink"
        yield Note(code, line.name, f"{line.name} {what}{where}; torch's convention: {primitive.convention}")


def flats(nodes: Sequence[Node]) -> Iterator[Note]:
    """Operations whose derivative is zero everywhere, so that nothing flows through them."""
    for node in nodes:
        for local in node.locals:
            if isinstance(local.formula, Number) and local.formula.value == 0 and node.op not in ("mul", "pow"):
                yield Note(
                    "flat", node.id, f"the derivative of {node.op} is zero, so no gradient flows through {node.name}"
                )
                break


def not_finite(nodes: Sequence[Node]) -> Iterator[Note]:
    """The first value that is nan or infinite, where it came from finite ones."""
    finite = {node.id: is_finite(node.value) for node in nodes}
    for node in nodes:
        if not finite[node.id] and all(finite[x] for x in node.inputs):
            origin = " as given" if node.kind != "op" else within_domain(node)
            yield Note("not-finite", node.id, f"{node.name} is {kind_of(node.value)}{origin}")
            return


def within_domain(node: Node) -> str:
    """Return the interval in which the operation is finite and smooth, as the end of a message; empty where unknown."""
    domain = REGISTRY[node.op or ""].smooth_for
    return f"; {node.op} is finite and smooth for {domain}" if domain else ""


def gradient_not_finite(steps: Sequence[Step]) -> Iterator[Note]:
    """The first contribution that is nan or infinite though its upstream gradient is finite."""
    for step in steps:
        if not is_finite(step.contribution) and is_finite(step.upstream):
            message = f"the gradient becomes {kind_of(step.contribution)} on the way from {step.node} to {step.input}"
            yield Note("gradient-not-finite", step.node, message)
            return


def is_finite(value: Any) -> bool:
    """Return whether no entry is nan or infinite."""
    return math.isfinite(value) if isinstance(value, float) else bool(np.isfinite(value).all())


def kind_of(value: Any) -> str:
    """`nan` or `infinite`, for one entry or some of many."""
    kind = "nan" if np.any(np.isnan(value)) else "infinite"
    count = int(np.count_nonzero(~np.isfinite(value)))
    return kind if np.ndim(value) == 0 else f"{kind} in {count} entr{'y' if count == 1 else 'ies'}"
