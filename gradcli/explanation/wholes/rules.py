"""The expression and the rules of an operation that took several lines, in terms of the inputs of all of them.

They are those of a product, or are declared, or are found by running the lines over formulas.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.engine.graph import Node as GraphNode
from gradcli.engine.recorder import Application
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.tensor import Tensor
from gradcli.explanation.formulas.derivation import input_formula
from gradcli.explanation.index.contractions import SAYS, contraction
from gradcli.explanation.index.formulas import Finder, picks, read_views, select_rule
from gradcli.explanation.lines import Line, in_line
from gradcli.explanation.model import Local, Whole
from gradcli.explanation.wholes.cross_entropy import SAYS as LOSS_SAYS
from gradcli.explanation.wholes.cross_entropy import cross_entropy
from gradcli.explanation.why import Reason, ReasonOfWhole, line_without_graphs, without_graph
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Expression, Name, Number

# Groups of applications of primitives that are one operation to the user.
#
# `x @ w` of a vector x is unsqueeze, mm and squeeze. Applications that change the layout alone belong to the one whose
# entries they arrange.


def is_layout(application: Application) -> bool:
    return "layout" in application.primitive.traits


def prepares(application: Application) -> bool:
    """Return whether it may stand in front of another one, in an operation that is named after that."""
    return is_layout(application) or "prelude" in application.primitive.traits


def ends(applications: Sequence[Application]) -> list[int]:
    """Return for each application of an operation the position of the last application of its group."""
    maker = {id(step.out): place for place, step in enumerate(applications)}
    sources = [{maker[id(x)] for x in step.inputs if id(x) in maker} for step in applications]
    uses: list[set[int]] = [set() for _ in applications]
    for place, places in enumerate(sources):
        for source in places:
            uses[source].add(place)
    group = list(range(len(applications)))
    for place, step in enumerate(applications):  # what follows a computation and is its only use
        if is_layout(step) and len(sources[place]) == 1:
            (source,) = sources[place]
            if uses[source] == {place} and not prepares(applications[group[source]]):
                group[place] = group[source]
    for place in reversed(range(len(applications))):  # what prepares one
        users = {group[user] for user in uses[place]}
        if prepares(applications[place]) and group[place] == place and len(users) == 1:
            group[place] = users.pop()
    last = {step: place for place, step in enumerate(group)}
    return [last[step] for step in group]


def together(applications: Sequence[Application], tree: Expression | None, values: Mapping[str, Any]) -> list[int]:
    """Return the result of `ends` where the operation is written as a `tree`, over names with `values`.

    Applications are one group if they are one product, one view of a tensor, or one function of each entry.
    """
    if tree is not None and (
        contraction(tree, {name: np.shape(value) for name, value in values.items()})
        or cross_entropy(tree, values)
        or is_view(applications)
        or is_pointwise(applications)
    ):
        return [len(applications) - 1] * len(applications)
    return ends(applications)


def is_view(applications: Sequence[Application]) -> bool:
    """Return whether each application is a view of the result of the one before."""
    followed = all(after.inputs[0] is x.out for x, after in pairwise(applications))
    return followed and all(picks(x.primitive) for x in applications)


def is_pointwise(applications: Sequence[Application]) -> bool:
    """Return whether together they take each entry of the result from the same entry of tensors of its shape."""
    inputs = {id(x) for step in applications for x in step.inputs}
    sizes = {x.shape for step in applications for x in (step.out, *step.inputs) if isinstance(x, Tensor) and x.shape}
    return (
        len(sizes) < 2
        and all(id(step.out) in inputs for step in applications[:-1])
        and not any(step.primitive.structured or is_layout(step) for step in applications)
    )


SLOPE = "Each entry gets its gradient times the slope of the function there."
STEPS = "The rules of the steps that torch takes, put into each other."
COPIES = "An entry of which copies are made gets the gradients of all its copies, added."
LONGEST = 12  # operators and calls of a rule; a longer one is clearer in steps


def wholes(lines: Iterable[Line], upstream_name: str, gradients: Mapping[str, Any]) -> dict[str, Whole]:
    """Return the operations that took several lines, by the name of their last line; `gradients` are by line."""
    groups: dict[str, list[Line]] = {}
    for line in lines:
        if line.part_of:
            groups.setdefault(line.part_of, []).append(line)
        elif line.name in groups:
            groups[line.name].append(line)
    operations = {name: Group(group, upstream_name, gradients.get(name)).whole() for name, group in groups.items()}
    return {name: x for name, x in operations.items() if x is not None}


class Group:
    """The lines of one operation, the last of which is its result, and the gradient that arrives there."""

    def __init__(self, lines: Sequence[Line], upstream_name: str, gradient: Any) -> None:
        self.lines, self.upstream_name, self.gradient = lines, upstream_name, gradient
        names = {line.name for line in lines}
        self.outer = {x.name: x for line in lines for x in line.inputs if x.name not in names}
        self.last = lines[-1]
        working = (line for line in reversed(lines) if line.application and not prepares(line.application))
        main = next(working, self.last)
        self.op = main.op
        first = [x for x in lines if x is not main and x.application and "prelude" in x.application.primitive.traits]
        nodes = [x.tensor.node for x in (*first, main) if isinstance(x.tensor.node, GraphNode)]
        self.grad_fn = ", ".join(node.short_name for node in nodes) or None

    def whole(self) -> Whole | None:
        """Return the operation; None where its rules would be long."""
        shapes = {name: x.tensor.shape for name, x in self.outer.items()}
        values = {name: x.tensor.value for name, x in self.outer.items()}
        # a part of what was written may be a product
        formula = self.last.whole or run_over_formulas(self.lines, self.upstream_name)[0]
        if product := contraction(formula, shapes):
            places = range(len(product.operands))
            text = product.text("out", [f"x{place}" for place in places])
            rules = [product.rule(place, self.upstream_name) for place in places]
            return self.with_rules(formula, [self.outer[name] for name in product.operands], rules, text, None, SAYS)
        if loss := cross_entropy(self.last.whole, values) if self.last.whole else None:
            operands = [x for tree in loss.operands for x in self.outer.values() if x.spelling == tree]
            if len(operands) == len(loss.operands):
                derived = loss.rules(self.upstream_name)
                return self.with_rules(formula, operands, derived, loss.formulas, loss.find, LOSS_SAYS)
        return self.composed()

    def with_rules(
        self,
        formula: Expression,
        operands: Sequence[Line],
        rules: Sequence[Expression | None],
        text: str,
        finder: Finder | None,
        says: str,
    ) -> Whole:
        """Return the operation with its rules and its index formulas."""
        from gradcli.explanation.formulas.checking import simplify_checked

        result = self.last.tensor.value
        values = {x.name: x.tensor.value for x in (*operands, self.last)} | {self.upstream_name: np.ones_like(result)}
        alone = result_without_graph(replace(self.last, whole=formula), operands)
        locals = (
            Local(
                x.name,
                None,
                None,
                simplify_checked(rule, values) if finder else rule,
                reason=ReasonOfWhole(alone, place, self.gradient, self.upstream_name, text, finder),
            )
            for place, (x, rule) in enumerate(zip(operands, rules, strict=True))
            if rule is not None and x.tensor.requires_grad
        )
        return Whole(formula, self.op, self.grad_fn, tuple(x.name for x in operands), tuple(locals), says)

    def composed(self) -> Whole | None:
        """Return the operation with the rules of its parts put together; None where the parts are clearer.

        That is where the rules would be long, infinite or without a reason.
        """
        from gradcli.language.simplify.trees import length  # most programs need none of it

        tree, rules = run_over_formulas(self.lines, self.upstream_name)
        applied = [line.application for line in self.lines if line.application]
        is_composed = sum(not prepares(x) for x in applied) > 1
        steep = [local.value for local in rules if local.value is not None and not np.isfinite(local.value).all()]
        if (steep and is_composed) or any(length(local.rule) > LONGEST for local in rules):
            return None
        names = tuple(self.outer)
        rules.sort(key=lambda local: names.index(local.input))
        uses = Counter(local.input for local in rules)
        inputs = tuple(name for name in names for _ in range(max(1, uses[name])))  # of `x @ x.T` twice, as of `x*x`
        says = next((x.primitive.says for x in applied[:-1] if "prelude" in x.primitive.traits), "")
        if all(picks(x.primitive) for x in applied):
            rules = self.of_views(rules, applied)
            says = COPIES if any(x.primitive.name == "expand" for x in applied) else says
        elif is_composed:
            says = STEPS if is_structured(self.lines) else SLOPE
            if any(local.formula is None for local in rules):
                return None  # the steps of torch have reasons
        elif origins := origins_of_copies(self.lines):
            alone = line_without_graphs(replace(self.last, inputs=origins))
            places = {x.name: place for place, x in enumerate(origins)}
            rules = [
                replace(x, reason=Reason(alone, places[x.input], self.gradient, self.upstream_name)) for x in rules
            ]
        return Whole(self.last.whole or tree, self.op, self.grad_fn, inputs, tuple(rules), says)

    def of_views(self, rules: Iterable[Local], applied: Iterable[Application]) -> list[Local]:
        """Return the edges of views that follow one another with the rule and the reason of one view."""
        views = [(x.primitive, x.options) for x in applied]
        shape = next(iter(self.outer.values())).tensor.shape
        entries, rule = read_views(shape, views), select_rule(self.upstream_name, shape, views)
        reason = None
        if entries is not None:
            text, given = entries
            alone = result_without_graph(self.last, self.outer.values())
            reason = ReasonOfWhole(alone, 0, self.gradient, self.upstream_name, text, lambda _: given)
        return [replace(local, rule=rule or local.rule, reason=reason) for local in rules]


def result_without_graph(last: Line, operands: Iterable[Line]) -> Line:
    """Return the result of an operation and its operands without graphs."""
    inputs = tuple(map(without_graph, operands))
    return Line(last.name, Tensor(last.tensor.value), last.whole or last.written, last.span, inputs=inputs)


def origins_of_copies(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return the inputs of the last line as they were before all other lines copied them; none where these do more."""
    *copying, last = lines
    if not copying or any(line.op != "expand" for line in copying) or not is_structured([last]):
        return ()
    origin_of = {line.name: line.inputs[0] for line in copying}
    return tuple(origin_of.get(x.name, x) for x in last.inputs)


def run_over_formulas(lines: Sequence[Line], upstream_name: str) -> tuple[Expression, list[Local]]:
    """Return several lines as one expression over the outer inputs, and the edges to these."""
    from gradcli.explanation.formulas.checking import simplify_checked

    names = {line.name for line in lines}
    last = lines[-1]
    formulas: dict[str, Formula] = {}
    for line in lines:
        formulas[line.name] = _formula_of(line, formulas)
    values = {x.name: x.tensor.value for line in lines for x in (*line.inputs, line)}
    values[upstream_name] = np.ones_like(last.tensor.value)
    shape = last.tensor.shape
    unit = last.tensor.dtype.type(1)
    g = Formula(Name(upstream_name), np.broadcast_to(unit, shape) if shape else unit)
    adjoints: dict[str, Any] = {last.name: g}
    arrived: list[tuple[Line, Any]] = []
    for line in reversed(lines):
        for target, flow in _flows(line, formulas, adjoints.get(line.name), Name(last.name) if line is last else None):
            if target.name in names:
                adjoints[target.name] = adjoints[target.name] + flow if target.name in adjoints else flow
            else:
                arrived.append((target, flow))
    if not is_structured(lines):  # of a function of each entry there is one slope
        flows = {target.name: [flow for line_met, flow in arrived if line_met is target] for target, _ in arrived}
        arrived = [(target, reduce(add, flows.pop(target.name))) for target, _ in arrived if target.name in flows]
    locals = [local(target, flow, lines, upstream_name, values) for target, flow in arrived]
    return simplify_checked(formulas[last.name].tree, values), locals


def is_structured(lines: Sequence[Line]) -> bool:
    return any(line.application and line.application.primitive.structured for line in lines)


def local(target: Line, flow: Formula, lines: Sequence[Line], upstream_name: str, values: Mapping[str, Any]) -> Local:
    """Return the edge to an input; for an entrywise operation it also has the local derivative."""
    from gradcli.explanation.formulas.checking import simplify_checked

    rule = simplify_checked(flow.tree, values)
    if is_structured(lines) or target.tensor.shape != lines[-1].tensor.shape:
        return Local(target.name, None, None, rule)
    slope = simplify_checked(substitute(flow.tree, {upstream_name: Number(1)}), values)
    return Local(target.name, slope, np.broadcast_to(flow.value, target.tensor.shape)[()], rule)


@in_line
def _formula_of(line: Line, formulas: dict[str, Formula]) -> Formula:
    """Return a line in terms of the outer inputs."""
    assert line.application is not None
    return line.application.primitive.formula(tuple(_operands(line, formulas)), line.application.options)


def _operands(line: Line, formulas: dict[str, Formula]) -> list[Formula]:
    assert line.application is not None
    pairs = zip(line.inputs, line.application.inputs, strict=True)
    return [formulas[x.name] if x.name in formulas else input_formula(x, value) for x, value in pairs]


@in_line
def _flows(line: Line, formulas: dict[str, Formula], g: Any, result: Expression | None) -> list[tuple[Line, Formula]]:
    """Return the contribution of a line to each input that requires grad."""
    node, application = line.tensor.node, line.application
    if g is None or application is None or not isinstance(node, GraphNode):
        return []
    operands = _operands(line, formulas)
    value = formulas[line.name] if result is None else Formula(result, line.tensor.value)
    rules = application.primitive.rules_for(node.edges)
    return [
        (line.inputs[position], fit(rule(g, value, *operands, **application.options), operands[position]))
        for position, (edge, rule) in enumerate(zip(node.edges, rules, strict=False))
        if edge is not None and rule is not None
    ]
