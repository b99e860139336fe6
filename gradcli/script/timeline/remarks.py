"""Notes on a backward pass: gradients that add up, become 0 or nan, or change at hooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.engine.primitive import REGISTRY
from gradcli.engine.tensor import Tensor
from gradcli.explanation.model import Explanation, Note, Step
from gradcli.explanation.model import Node as Line
from gradcli.language.tree import Name
from gradcli.language.tree import names as names_in
from gradcli.language.unparser import unparse
from gradcli.script.timeline.reasons import list_names
from gradcli.script.timeline.run import Run
from gradcli.script.timeline.walk import Walk

TOO_LARGE = "the sum of what arrives is too large for its dtype"
Arrivals = Sequence[tuple[Tensor, Any, Any]]  # a leaf, its gradient, and what its `.grad` held before


def accumulation_notes(run: Run, arrivals: Arrivals) -> Iterator[Note]:
    """Note gradients that were added to the ones of an earlier pass, once for each pair of lines."""
    lines: dict[int, list[str]] = {}
    for leaf, _, before in arrivals:
        if before is not None and leaf in run.filled and run.filled[leaf].line and np.any(before):
            lines.setdefault(run.filled[leaf].line, []).append(run.name(leaf))
    for line, names in lines.items():
        if not run.once("added", *run.place, line, *names):
            continue
        grads = list_names(f"{name}.grad" for name in names)
        which = "this line's earlier backward pass" if line == run.machine.line else f"line {line}'s backward pass"
        fact = f"{grads} still held the gradient of {which} (no zero_grad() since): the new one was added"
        yield Note("accumulated", names[0], fact)


def on_way(run: Run, walk: Walk, explanation: Explanation | None) -> Iterator[Note]:
    """Note hooks that changed a gradient."""
    for target, gradient in walk.hooked():
        before = walk.totals.get(target)
        if before is not None and explanation is not None and not np.array_equal(before, gradient, equal_nan=True):
            name = run.names.of_node.get(target) or "a result"
            change = f" from {short(before)} to {short(gradient)}" if np.ndim(before) == 0 else ""
            yield Note("hook", name, f"a hook on {name} changed its gradient{change}")


def short(value: Any) -> str:
    return f"{float(value):.6g}"


def at_leaves(arrivals: Arrivals, run: Run, walk: Walk, explanation: Explanation | None) -> Iterator[Note]:
    """Note gradients that are 0 everywhere, or not finite somewhere; leaves with the same reason share a note.

    Of passes that are not shown, only the first of a line with a gradient that is not finite has a note.
    """
    stories: dict[tuple[str, str], list[str]] = {}
    for leaf, gradient, _ in arrivals:
        name = run.name(leaf)
        if not np.all(np.isfinite(gradient)):
            kind = "nan" if np.any(np.isnan(gradient)) else "infinite"
            if explanation is None and not run.once("not-finite", *run.place, name):
                continue
            if explanation is None:
                since = f" since pass {run.times('backward') + 1} of this line"
                story = ("not-finite", f"{kind}{since}: {spoilt(run, walk)}")
            else:
                story = ("not-finite", f"{kind}: {nonfinite_reason(run, explanation, name)}")
        elif explanation is not None and not np.any(gradient):
            story = ("zero-gradient", f"0: {vanishing_reason(run, explanation, name)}")
        else:
            continue
        stories.setdefault(story, []).append(name)
    for (code, words), names in stories.items():
        verb = "is" if len(names) == 1 else "are"
        yield Note(code, names[0], f"{list_names(f'{name}.grad' for name in names)} {verb} {words}")


def vanishing_reason(run: Run, explanation: Explanation, name: str) -> str:
    """Return a sentence that says where on its way a gradient became zero."""
    below = {name}
    for step in reversed(explanation.steps):
        if step.input in below:
            if np.any(step.upstream) and not np.any(step.contribution):
                line = explanation.node(step.node)
                why = because(explanation, line, step)
                primitive = REGISTRY.get(line.op or "")
                if not why and (step.summed_axes or (primitive is not None and primitive.structured)):
                    return f"what {line.op}{at(run, line)} passes back to the entries of {step.input} adds up to 0"
                return f"{line.op}{at(run, line)} passes nothing back to {step.input}{why}"
            below.add(step.node)
    return "the parts that arrive cancel, or what enters is 0"


def because(explanation: Explanation, line: Line, step: Step) -> str:
    """Return the reason why an operation passes no gradient back."""
    local = next((local for local in line.locals if local.input == step.input), None)
    formula = local.formula if local is not None else None
    if formula is not None and not names_in(formula):
        return ", for its derivative is 0 everywhere"
    primitive = REGISTRY.get(line.op or "")
    traits = primitive.traits if primitive else ()
    if line.op == "relu":
        return f", for {step.input} is nowhere above 0"
    if "bounded" in traits:
        return f", for {step.input} is outside its bounds, where it is flat"
    if line.op in ("softmax", "log_softmax"):
        return ": its entries always add up to 1, so what arrives equally at all of them cancels"
    if "saturating" in traits:
        return f", for {step.input} is so far from 0 that it is flat there: its derivative rounds to 0"
    zeros = [x for x in line.inputs if x != step.input and not np.any(explanation.node(x).value)]
    if "product" in traits and zeros:
        return f", for it multiplies by {zeros[0]}, which is 0"
    if formula is not None:
        return f", for its derivative {unparse(formula)} is 0 there"
    return ""


def nonfinite_reason(run: Run, explanation: Explanation, name: str) -> str:
    """Return a sentence on the source of nan or infinity: a value, or the derivative of an operation."""
    for note in explanation.notes:
        if note.code == "not-finite":
            line = explanation.node(note.node)
            kind = "nan" if np.any(np.isnan(line.value)) else "infinite"
            given = f"{line.name} = {unparse(line.expression)}" if line.kind == "op" else line.name
            if not is_masked(explanation, line):
                return f"{given}{at(run, line)} is {kind} already"
    for step in explanation.steps:
        if not np.all(np.isfinite(step.contribution)) and np.all(np.isfinite(step.upstream)):
            line = explanation.node(step.node)
            local = next((local for local in line.locals if local.input == step.input), None)
            words = f"the derivative of {line.op}{at(run, line)}"
            if local is not None and local.formula is not None and not isinstance(local.formula, Name):
                words += f", {unparse(local.formula)},"
            words += f" is infinite {where(explanation.node(step.input), step)}"
            value = local.value if local is not None else None
            if value is not None and np.any(np.isnan(step.contribution)) and not np.any(np.isnan(value)):
                words += ", and 0 times infinity is nan"
            if is_masked(explanation, line):
                words += (
                    f": where() leaves {line.name} out only after that, so keep {step.input} away from there before"
                )
            return words
    return TOO_LARGE


def where(x: Line, step: Step) -> str:
    """Name the first entry of an input at which a gradient is not finite: `where x is 0`."""
    if np.shape(x.value) != np.shape(step.contribution):
        return f"for {x.name}"
    entry = np.asarray(x.value)[~np.isfinite(step.contribution)].flat[0]
    return f"where {x.name} is {short(entry)}"


def spoilt(run: Run, walk: Walk) -> str:
    """Return such a sentence from the values that were kept: after a pass the graph is gone."""
    for node in reversed(list(walk.order)):
        value = run.made.get(node)
        if value is not None and not np.all(np.isfinite(value)):
            kind = "nan" if np.any(np.isnan(value)) else "infinite"
            line = run.lines.get(node)
            return f"{run.names.of(node)}, the result of {node.primitive.name} (line {line}), is {kind} already"
    for node in walk.left:
        edges = [edge for edge in node.edges if edge is not None and edge in walk.totals]
        if np.all(np.isfinite(walk.left[node])) and not all(np.all(np.isfinite(walk.totals[edge])) for edge in edges):
            return f"the derivative of {node.primitive.name} (line {run.lines.get(node)}) is not finite there"
    return TOO_LARGE


def is_masked(explanation: Explanation, line: Line) -> bool:
    """Whether a `where` leaves entries of a value out."""
    return any(node.op == "where" and line.id in node.inputs for node in explanation.nodes)


def at(run: Run, line: Line) -> str:
    """Return ` (line 3)`, where the line is known."""
    if line.span.end == 0:
        return ""
    return f" (line {run.machine.source.position(line.span.start).line})"
