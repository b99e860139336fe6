"""From a tape and the events of a backward pass to the explanation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from gradcli.engine.backward import Contribution, trace
from gradcli.engine.broadcast import summed_axes
from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.graph import Node as GraphNode
from gradcli.engine.rites import Rites
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, EvaluationError, UsageError, warn
from gradcli.explanation.chain.links import mark_repeated_edges
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.formulas.derivation import Derivation, locals_of, seed_formula
from gradcli.explanation.lines import FAILURES, Evaluation, Line, captured, failed, numbers
from gradcli.explanation.model import (
    MISSING,
    Explanation,
    Gradients,
    Leaf,
    Local,
    Node,
    Step,
    Whole,
    missing_notes,
    unused,
)
from gradcli.explanation.notes import notes
from gradcli.explanation.values import Variables, check_bindings
from gradcli.explanation.why import attach_reasons, reserve_names
from gradcli.guard import guarded, noting
from gradcli.language.tree import Expression, Program
from gradcli.source import did_you_mean

name_of_dtype = cache(str)  # numpy takes 9 µs to write it


def explain(
    program: Program,
    values: Mapping[str, Any],
    *,
    wrt: Sequence[str] | None = None,
    of: str | None = None,
    upstream: Any = None,
    dtype: Any = np.float64,
    is_seed_named: bool = False,
) -> Explanation:
    """Run a program and explain it.

    `values` are numbers, nested lists or arrays by variable; `upstream` (default 1) is needed when the output is not a
    scalar, and in formulas stands by its name where it is large, or `is_seed_named`. Raises EvaluationError where the
    program cannot be evaluated.
    """
    evaluation = checked_evaluation(program, values, wrt, of, dtype)
    try:
        with np.errstate(all="ignore"):
            return build(evaluation, upstream, is_seed_named=is_seed_named)
    except EvaluationError as error:
        raise error.at(source=program.source) from None


def gradients(
    program: Program,
    values: Mapping[str, Any],
    *,
    wrt: Sequence[str] | None = None,
    of: str | None = None,
    upstream: Any = None,
    dtype: Any = np.float64,
) -> Gradients:
    """Return the value and the gradients of a program, without an explanation; takes and raises what `explain` does."""
    evaluation = checked_evaluation(program, values, wrt, of, dtype, is_bare=True)
    try:
        return _gradients(evaluation, upstream, Rites())
    except (EvaluationError, *FAILURES):  # again, with the lines that say where
        evaluation = evaluate(program, values, wrt=wrt, of=of, dtype=np.dtype(dtype))
    try:
        with refusals_explained(evaluation, upstream) as rites:
            return _gradients(evaluation, upstream, rites)
    except EvaluationError as error:
        raise error.at(source=program.source) from None


def _gradients(evaluation: Evaluation, upstream: Any, rites: Rites) -> Gradients:
    output = evaluation.output
    assert output is not None
    leaves = {x.name: x.tensor for x in evaluation.lines if isinstance(x.tensor.node, AccumulateGrad)}
    seed = None if upstream is None else seed_of(output, upstream)
    by_leaf = dict.fromkeys(leaves) if output.node is None else captured(output, seed, leaves, rites)
    return Gradients(output.value, by_leaf)


def checked_evaluation(
    program: Program,
    values: Mapping[str, Any],
    wrt: Sequence[str] | None,
    of: str | None,
    dtype: Any,
    *,
    is_bare: bool = False,
) -> Evaluation:
    """Run a program after a check of its bindings; a warning names the values that it does not use."""
    needed = Variables.of(program)
    if idle := check_bindings(needed, values):
        warn(f"the program does not use {', '.join(idle)}")
    check_wrt(needed, wrt)
    run = partial(evaluate, wrt=wrt, of=of, variables=needed, is_bare=is_bare)
    return run(program, values, dtype=np.dtype(dtype))


def check_wrt(needed: Variables, wrt: Sequence[str] | None) -> None:
    places = needed.places
    for name in wrt or ():
        if name not in places:
            close = did_you_mean(name, places)
            hint = f"did you mean {close}?" if close else f"the variables are {', '.join(places)}"
            raise UsageError("E007", f"{name} is not a variable of the program", help=hint)


def build(
    evaluation: Evaluation,
    upstream: Any = None,
    events: Sequence[Contribution] | None = None,
    *,
    is_seed_named: bool = False,
) -> Explanation:
    """Return the explanation of an evaluated program, or of the backward pass whose events are given."""
    with noting() as missing:
        explanation = _built(evaluation, upstream, events, is_seed_named=is_seed_named)
    return replace(explanation, notes=(*explanation.notes, *missing_notes(missing))) if missing else explanation


def _built(
    evaluation: Evaluation, upstream: Any, events: Sequence[Contribution] | None, *, is_seed_named: bool
) -> Explanation:
    output = evaluation.line_of[id(evaluation.output)]
    seed = seed_of(output.tensor, upstream)
    if events is None:
        events = backward_events(evaluation, None if upstream is None else seed)
    targets = {id(line.tensor.node): line for line in evaluation.lines if line.tensor.node is not None}
    gradients: dict[str, Any] = {output.name: seed} if output.tensor.node is not None else {}
    upstream_name = unused("g", {line.name for line in evaluation.lines})
    edges = mark_repeated_edges({line.name: edges_of(line, upstream_name) for line in evaluation.lines})
    steps = []
    for event in events:
        line = targets[id(event.node.edges[event.position])]
        consumer = targets[id(event.node)]
        gradients[line.name] = event.total
        steps.append(step(consumer.name, edges[consumer.name][event.position], event))
    enter = partial(seed_formula, output, seed, upstream is not None, unused("upstream", edges), is_seed_named)
    formulas = guarded("formula", partial(leaf_formulas, evaluation, events, targets, enter), {})
    operations = guarded("operation", partial(whole_operations, evaluation.lines, upstream_name, gradients), {})
    nodes = tuple(
        node(
            line,
            gradient,
            guarded("reason", partial(attach_reasons, line, edge, gradient, upstream_name), edge, line.name).values(),
            operations.get(line.name),
        )
        for line in evaluation.lines
        for gradient, edge in [(gradients.get(line.name), edges[line.name])]
    )
    reserve_names(nodes)
    leaves = leaves_of(evaluation, gradients, formulas)
    parts = nodes, tuple(steps), leaves, tuple(notes(evaluation, nodes, steps, leaves))
    return Explanation(evaluation.program, output.name, output.tensor.value, seed, *parts, is_seed_named=is_seed_named)


def whole_operations(lines: Sequence[Line], upstream_name: str, gradients: Mapping[str, Any]) -> dict[str, Whole]:
    """Return the operations that took several lines, by the name of their last line."""
    if not any(line.part_of for line in lines):
        return {}
    from gradcli.explanation.wholes.rules import wholes  # which knows the index formulas; most programs need none

    return wholes(lines, upstream_name, gradients)


def build_leaves(evaluation: Evaluation, upstream: Any) -> Explanation:
    """Return an explanation of the leaves alone, without edges, steps and notes; formulas name the seed."""
    output = evaluation.line_of[id(evaluation.output)]
    seed = seed_of(output.tensor, upstream)
    events = backward_events(evaluation, None if upstream is None else seed)
    targets = {id(line.tensor.node): line for line in evaluation.lines if line.tensor.node is not None}
    gradients = {targets[id(event.node.edges[event.position])].name: event.total for event in events}
    name = unused("upstream", {line.name for line in evaluation.lines})
    enter = partial(seed_formula, output, seed, upstream is not None, name, is_named=True)
    leaves = leaves_of(evaluation, gradients, leaf_formulas(evaluation, events, targets, enter))
    parts = tuple(node(line, gradients.get(line.name), (), None) for line in evaluation.lines), (), leaves, ()
    return Explanation(evaluation.program, output.name, output.tensor.value, seed, *parts, is_seed_named=True)


def leaves_of(
    evaluation: Evaluation, gradients: Mapping[str, Any], formulas: Mapping[str, Expression | None]
) -> tuple[Leaf, ...]:
    return tuple(
        Leaf(line.name, line.name, gradients.get(line.name), formula, formula)
        for line in evaluation.lines
        if isinstance(line.tensor.node, AccumulateGrad)
        for formula in [formulas.get(line.name)]
    )


def seed_of(output: Tensor, upstream: Any) -> Any:
    """Return the gradient that enters at the output as an array or number of its dtype: ones where none is given."""
    seed = numbers(1 if upstream is None else upstream, "the upstream gradient").astype(output.dtype)[()]
    return np.ones_like(output.value)[()] if upstream is None else seed


def edges_of(line: Line, upstream_name: str) -> dict[int, Local]:
    """Return the local derivatives of a line by the position of the input."""
    edges = guarded("rule", partial(locals_of, line, upstream_name), None, line.name)
    return edges_without_rules(line) if edges is None else edges


def edges_without_rules(line: Line) -> dict[int, Local]:
    """Return the edges of a line without their rules."""
    edges = line.tensor.node.edges if isinstance(line.tensor.node, GraphNode) else ()
    return {
        position: Local(x.name, None, None, MISSING)
        for position, (edge, x) in enumerate(zip(edges, line.inputs, strict=False))
        if edge is not None
    }


def leaf_formulas(
    evaluation: Evaluation, events: Sequence[Contribution], targets: Mapping[int, Line], enter: Callable[[], Formula]
) -> dict[str, Expression | None]:
    """Return the gradient of each leaf as a formula, None where it is too long; `enter` makes the seed's formula."""
    derivation = Derivation(evaluation)
    output = evaluation.line_of[id(evaluation.output)]
    if output.tensor.node is not None:
        derivation.follow(output, enter(), events, targets)
    leaves = (line for line in evaluation.lines if isinstance(line.tensor.node, AccumulateGrad))
    return {line.name: derivation.gradient(line) for line in leaves}


def backward_events(evaluation: Evaluation, upstream: Any) -> list[Contribution]:
    """The contributions of the backward pass, in the order in which they ran; none for a constant output."""
    output = evaluation.line_of[id(evaluation.output)].tensor
    with refusals_explained(evaluation, upstream) as rites:
        events = () if output.node is None else trace([output], [upstream], rites)
        return [event for event in events if isinstance(event, Contribution)]


@contextmanager
def refusals_explained(evaluation: Evaluation, upstream: Any) -> Iterator[Rites]:
    """Add the line to errors of a backward pass by these rites, and help where the upstream gradient is missing."""
    rites = Rites()
    try:
        yield rites
    except FAILURES as error:
        if rites.place is not None:
            line = next(line for line in evaluation.lines if line.tensor.node is rites.place)
            raise failed(error).at(line.span, evaluation.program.source) from None
        if not isinstance(error, AutogradError):
            raise
        name, shape = next((x.name, x.tensor.shape) for x in evaluation.lines if x.tensor is evaluation.output)
        if upstream is None and shape:
            raise EvaluationError(
                "E213",
                f"the output {name} has shape {shape}, so it needs an upstream gradient",
                help=f"reduce it with sum() or mean(), or add --upstream 'ones({shape})'",
            ) from None
        if upstream is not None:
            error.help = f"the output {name} has shape {shape}, and so must --upstream"
        raise


def step(consumer: str, local: Local, event: Contribution) -> Step:
    axes = summed_axes(event.unsummed.shape, event.contribution.shape)
    return Step(consumer, local.input, event.upstream, local.rule, event.contribution, axes, event.total)


def node(line: Line, gradient: Any, locals: Iterable[Local], operation: Whole | None) -> Node:
    application, tensor = line.application, line.tensor
    return Node(
        id=line.name,
        name=line.name,
        kind="op" if application is not None else "leaf" if tensor.requires_grad else "constant",
        expression=line.written,
        span=line.span,
        op=None if application is None else application.primitive.name,
        grad_fn=tensor.node.short_name if isinstance(tensor.node, GraphNode) else None,
        inputs=tuple(x.name for x in line.inputs),
        shape=tensor.shape,
        dtype=name_of_dtype(tensor.dtype),
        value=tensor.value,
        requires_grad=tensor.requires_grad,
        is_leaf=tensor.is_leaf,
        grad=gradient,
        locals=tuple(locals),
        inserted=bool(line.part_of),
        part_of=line.part_of or None,
        whole=operation,
    )
