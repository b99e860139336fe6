"""From a tape and the events of a backward pass to the explanation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from warnings import warn

import numpy as np

from gradcli.engine.backward import Contribution, trace
from gradcli.engine.broadcast import summed_axes
from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.graph import Node as GraphNode
from gradcli.engine.rites import Rites
from gradcli.errors import AutogradError, EvaluationError, UsageError
from gradcli.explanation.chain.held import told_apart
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.formulas.derivation import Derivation, locals_of, seed_formula
from gradcli.explanation.lines import Evaluation, Line
from gradcli.explanation.model import Explanation, Leaf, Local, Node, Step, Whole
from gradcli.explanation.naming import unused
from gradcli.explanation.notes import notes
from gradcli.explanation.refusals import FAILURES, failed, numbers
from gradcli.explanation.variables import Variables, check_bindings
from gradcli.explanation.wholes.rules import wholes
from gradcli.explanation.why import name_apart, with_reasons
from gradcli.language.tree import Program
from gradcli.source import did_you_mean


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
    needed = Variables.of(program)
    if idle := check_bindings(needed, values):
        warn(f"the program does not use {', '.join(idle)}", stacklevel=2)
    check_wrt(needed, wrt)
    evaluation = evaluate(program, values, wrt=wrt, of=of, dtype=np.dtype(dtype), variables=needed)
    try:
        with np.errstate(all="ignore"):
            return build(evaluation, upstream, is_seed_named=is_seed_named)
    except EvaluationError as error:
        raise error.at(source=program.source) from None


def check_wrt(needed: Variables, wrt: Sequence[str] | None) -> None:
    known = needed.places
    for name in wrt or ():
        if name not in known:
            close = did_you_mean(name, known)
            hint = f"did you mean {close}?" if close else f"the variables are {', '.join(known)}"
            raise UsageError("E007", f"{name} is not a variable of the program", help=hint)


def build(
    evaluation: Evaluation,
    upstream: Any = None,
    events: Sequence[Contribution] | None = None,
    *,
    is_seed_named: bool = False,
) -> Explanation:
    """Return the explanation of an evaluated program, or of the backward pass whose events are given."""
    output = evaluation.line_of[id(evaluation.output)]
    seed = numbers(1 if upstream is None else upstream, "the upstream gradient").astype(output.tensor.dtype)[()]
    if events is None:
        events = backward_events(evaluation, None if upstream is None else seed)
    if upstream is None:
        seed = np.ones_like(output.tensor.value)[()]
    targets = {id(line.tensor.node): line for line in evaluation.lines if line.tensor.node is not None}
    gradients: dict[str, Any] = {output.name: seed} if output.tensor.node is not None else {}
    upstream_name = unused("g", {line.name for line in evaluation.lines})
    edges = told_apart({line.name: locals_of(line, upstream_name) for line in evaluation.lines})
    steps = []
    for event in events:
        line = targets[id(event.node.edges[event.position])]
        made = targets[id(event.node)]
        gradients[line.name] = event.total
        steps.append(step(made.name, edges[made.name][event.position], event))
    derivation = Derivation(evaluation)
    if output.tensor.node is not None:
        entering = seed_formula(output, seed, upstream is not None, unused("upstream", edges), is_seed_named)
        derivation.follow(output, entering, events, targets)
    whole = wholes(evaluation.lines, upstream_name, gradients)
    nodes = tuple(
        node(
            line,
            gradient,
            with_reasons(line, edges[line.name], gradient, upstream_name).values(),
            whole.get(line.name),
        )
        for line in evaluation.lines
        for gradient in [gradients.get(line.name)]
    )
    name_apart(nodes)
    leaves = tuple(
        Leaf(line.name, line.name, gradients.get(line.name), formula, formula)
        for line in evaluation.lines
        if isinstance(line.tensor.node, AccumulateGrad)
        for formula in [derivation.gradient(line)]
    )
    found = tuple(notes(evaluation, nodes, steps, leaves))
    value = output.tensor.value
    parts = nodes, tuple(steps), leaves, found
    return Explanation(evaluation.program, output.name, value, seed, *parts, is_seed_named=is_seed_named)


def backward_events(evaluation: Evaluation, upstream: Any) -> list[Contribution]:
    """The contributions of the backward pass, in the order in which they ran; none for a constant output."""
    output = evaluation.line_of[id(evaluation.output)]
    if output.tensor.node is None:
        return []
    rites = Rites()
    try:
        walked = list(trace([output.tensor], [upstream], rites))
    except FAILURES as error:
        if rites.place is not None:
            line = next(line for line in evaluation.lines if line.tensor.node is rites.place)
            raise failed(error).at(line.span, evaluation.program.source) from None
        if not isinstance(error, AutogradError):
            raise
        shape = output.tensor.shape
        if upstream is None and shape:
            raise EvaluationError(
                "E213",
                f"the output {output.name} has shape {shape}, so it needs an upstream gradient",
                help=f"reduce it with sum() or mean(), or add --upstream 'ones({shape})'",
            ) from None
        if upstream is not None:
            error.help = f"the output {output.name} has shape {shape}, and so must --upstream"
        raise
    return [event for event in walked if isinstance(event, Contribution)]


def step(made: str, local: Local, event: Contribution) -> Step:
    axes = summed_axes(event.unsummed.shape, event.contribution.shape)
    return Step(made, local.input, event.upstream, local.rule, event.contribution, axes, event.total)


def node(line: Line, gradient: Any, locals: Iterable[Local], whole: Whole | None) -> Node:
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
        dtype=str(tensor.dtype),
        value=tensor.value,
        requires_grad=tensor.requires_grad,
        is_leaf=tensor.is_leaf,
        grad=gradient,
        locals=tuple(locals),
        inserted=bool(line.part_of),
        part_of=line.part_of or None,
        whole=whole,
    )
