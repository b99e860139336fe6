"""Operations that torch takes several nodes for, read as the one that the user wrote.

`x @ w` of a vector x is unsqueeze, mm and squeeze. Applications that change the layout alone belong to the one whose
entries they arrange; its expression and its rules in terms of the outer inputs are found by running both over formulas.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.engine.graph import Node as GraphNode
from gradcli.engine.recorder import Application
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.tensor import Tensor
from gradcli.explanation.formulas.derivation import named
from gradcli.explanation.index.contractions import SAYS, Contraction, contraction
from gradcli.explanation.lines import Line
from gradcli.explanation.model import Local, Whole
from gradcli.explanation.refusals import in_line
from gradcli.explanation.why import ReasonOfProduct, without_graph
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Expression, Name, Number

LONGEST = 12  # operators and calls of a rule; a longer one is clearer in steps


def is_layout(application: Application) -> bool:
    return "layout" in application.primitive.traits


def prepares(application: Application) -> bool:
    """Return whether it may stand in front of another one, in an operation that is named after that."""
    return is_layout(application) or "prelude" in application.primitive.traits


def ends(applications: Sequence[Application]) -> list[int]:
    """Return for each application of one operation the position of the last one that it belongs with."""
    made = {id(one.out): place for place, one in enumerate(applications)}
    sources = [{made[id(x)] for x in one.inputs if id(x) in made} for one in applications]
    uses: list[set[int]] = [set() for _ in applications]
    for place, found in enumerate(sources):
        for source in found:
            uses[source].add(place)
    group = list(range(len(applications)))
    for place, one in enumerate(applications):  # what follows a computation and is its only use
        if is_layout(one) and len(sources[place]) == 1:
            (source,) = sources[place]
            if uses[source] == {place} and not prepares(applications[group[source]]):
                group[place] = group[source]
    for place in reversed(range(len(applications))):  # what prepares one
        users = {group[user] for user in uses[place]}
        if prepares(applications[place]) and group[place] == place and len(users) == 1:
            group[place] = users.pop()
    last = {one: place for place, one in enumerate(group)}
    return [last[one] for one in group]


def wholes(lines: Iterable[Line], upstream_name: str, gradients: Mapping[str, Any]) -> dict[str, Whole]:
    """Return by name of the last line the operations that took several lines; `gradients` are those of the lines."""
    groups: dict[str, list[Line]] = {}
    for line in lines:
        if line.part_of:
            groups.setdefault(line.part_of, []).append(line)
        elif line.name in groups:
            groups[line.name].append(line)
    found = {name: whole(group, upstream_name, gradients.get(name)) for name, group in groups.items()}
    return {name: one for name, one in found.items() if one is not None}


def whole(lines: Sequence[Line], upstream_name: str, gradient: Any) -> Whole | None:
    """Return the operation of several lines, the last of which is its result; None where its rules would be long."""
    own = {line.name for line in lines}
    outer = {x.name: x for line in lines for x in line.inputs if x.name not in own}
    last = lines[-1]
    main = next((line for line in lines if line.application and not prepares(line.application)), last)
    node = main.tensor.node
    op = main.application.primitive.name if main.application else ""
    grad_fn = node.short_name if isinstance(node, GraphNode) else None
    product = last.whole and contraction(last.whole, {name: x.tensor.shape for name, x in outer.items()})
    if last.whole and product:
        return contracted(product, last, outer, op, grad_fn, upstream_name, gradient)
    from gradcli.language.simplify.trees import length  # most programs need none of it

    tree, rules = run_over_formulas(lines, upstream_name)
    if any(length(local.rule) > LONGEST for local in rules):
        return None
    names = tuple(outer)
    rules.sort(key=lambda local: names.index(local.input))
    uses = Counter(local.input for local in rules)
    inputs = tuple(name for name in names for _ in range(max(1, uses[name])))  # of `x @ x.T` twice, as of `x*x`
    applied = (line.application.primitive for line in lines[:-1] if line.application)
    says = next((primitive.says for primitive in applied if "prelude" in primitive.traits), "")
    return Whole(last.whole or tree, op, grad_fn, inputs, tuple(rules), says)


def contracted(
    product: Contraction,
    last: Line,
    outer: Mapping[str, Line],
    op: str,
    grad_fn: str | None,
    upstream_name: str,
    gradient: Any,
) -> Whole:
    """Return a product that is summed over shared indices."""
    assert last.whole is not None
    names = product.operands
    inputs = tuple(map(without_graph, (outer[name] for name in names)))
    alone = Line(last.name, Tensor(last.tensor.value), last.whole, last.span, inputs=inputs)
    rules = (
        Local(
            name,
            None,
            None,
            product.rule(place, upstream_name),
            reason=ReasonOfProduct(alone, place, gradient, upstream_name, product),
        )
        for place, name in enumerate(names)
        if outer[name].tensor.requires_grad
    )
    return Whole(last.whole, op, grad_fn, names, tuple(rules), SAYS)


def run_over_formulas(lines: Sequence[Line], upstream_name: str) -> tuple[Expression, list[Local]]:
    """Return several lines as one expression over the outer inputs, and the edges to these."""
    from gradcli.language.simplify.simplifier import simplify

    own = {line.name for line in lines}
    last = lines[-1]
    written: dict[str, Formula] = {}
    for line in lines:
        written[line.name] = _over(line, written)
    shapes = {x.name: x.tensor.shape for line in lines for x in line.inputs} | {upstream_name: last.tensor.shape}
    shape = last.tensor.shape
    one = last.tensor.dtype.type(1)
    g = Formula(Name(upstream_name), np.broadcast_to(one, shape) if shape else one)
    adjoints: dict[str, Any] = {last.name: g}
    locals: list[Local] = []
    for line in reversed(lines):
        for target, flow in _flows(line, written, adjoints.get(line.name), Name(last.name) if line is last else None):
            if target.name in own:
                adjoints[target.name] = adjoints[target.name] + flow if target.name in adjoints else flow
            else:
                locals.append(local(target, flow, lines, upstream_name, shapes))
    return simplify(written[last.name].tree, shapes), locals


def local(
    target: Line, flow: Formula, lines: Sequence[Line], upstream_name: str, shapes: Mapping[str, tuple[int, ...]]
) -> Local:
    """Return the edge to an input; of an operation that goes entry by entry it has the derivative, too."""
    from gradcli.language.simplify.simplifier import simplify

    rule = simplify(flow.tree, shapes)
    is_structured = any(line.application and line.application.primitive.structured for line in lines)
    if is_structured or target.tensor.shape != lines[-1].tensor.shape:
        return Local(target.name, None, None, rule)
    slope = simplify(substitute(flow.tree, {upstream_name: Number(1)}), shapes)
    return Local(target.name, slope, np.broadcast_to(flow.value, target.tensor.shape)[()], rule)


@in_line
def _over(line: Line, written: dict[str, Formula]) -> Formula:
    """Return a line in terms of the outer inputs."""
    assert line.application is not None
    return line.application.primitive.formula(tuple(_operands(line, written)), line.application.options)


def _operands(line: Line, written: dict[str, Formula]) -> list[Formula]:
    assert line.application is not None
    pairs = zip(line.inputs, line.application.inputs, strict=True)
    return [written[x.name] if x.name in written else named(x, value) for x, value in pairs]


@in_line
def _flows(line: Line, written: dict[str, Formula], g: Any, result: Expression | None) -> list[tuple[Line, Formula]]:
    """Return the contribution of a line to each input that requires grad."""
    node, application = line.tensor.node, line.application
    if g is None or application is None or not isinstance(node, GraphNode):
        return []
    operands = _operands(line, written)
    out = written[line.name] if result is None else Formula(result, line.tensor.value)
    rules = application.primitive.rules_for(node.edges)
    return [
        (line.inputs[position], fit(rule(g, out, *operands, **application.options), operands[position]))
        for position, (edge, rule) in enumerate(zip(node.edges, rules, strict=False))
        if edge is not None and rule is not None
    ]
