"""Operations that torch takes several nodes for, read as the one that the user wrote.

`x @ w` of a vector x is unsqueeze, mm and squeeze. Applications that change the layout alone belong to the one whose
entries they arrange; its expression and its rules in terms of the outer inputs are found by running both over formulas.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.engine.graph import Node as GraphNode
from gradcli.engine.recorder import Application
from gradcli.engine.symbolic.formula import Formula
from gradcli.explanation.formulas.derivation import named
from gradcli.explanation.lines import Line
from gradcli.explanation.model import Local, Whole
from gradcli.explanation.refusals import in_line
from gradcli.language.simplify.simplifier import simplify
from gradcli.language.simplify.trees import length
from gradcli.language.tree import Argument, Call, Expression, Literal, Name

LONGEST = 12  # operators and calls of a rule; a longer one is clearer in steps


def is_layout(application: Application) -> bool:
    return "layout" in application.primitive.traits


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
            if uses[source] == {place} and not is_layout(applications[group[source]]):
                group[place] = group[source]
    for place in reversed(range(len(applications))):  # what prepares one
        users = {group[user] for user in uses[place]}
        if is_layout(applications[place]) and group[place] == place and len(users) == 1:
            group[place] = users.pop()
    last = {one: place for place, one in enumerate(group)}
    return [last[one] for one in group]


def wholes(lines: Iterable[Line], upstream_name: str) -> dict[str, Whole]:
    """Return by name of the last line the operations that took several lines."""
    groups: dict[str, list[Line]] = {}
    for line in lines:
        if line.part_of:
            groups.setdefault(line.part_of, []).append(line)
        elif line.name in groups:
            groups[line.name].append(line)
    found = {name: whole(group, upstream_name) for name, group in groups.items()}
    return {name: one for name, one in found.items() if one is not None}


def whole(lines: Sequence[Line], upstream_name: str) -> Whole | None:
    """Return the operation of several lines, the last of which is its result; None where its rules would be long."""
    own = {line.name: line for line in lines}
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
                locals.append(Local(target.name, None, None, simplify(flow.tree, shapes)))
    if isinstance(last.whole, Call) and last.whole.function == "einsum":
        rules = einsum_rules(last.whole, upstream_name)
        locals = [replace(local, rule=rules.get(local.input, local.rule)) for local in locals]
    if any(length(local.rule) > LONGEST for local in locals):
        return None
    inputs = tuple(dict.fromkeys(x.name for line in lines for x in line.inputs if x.name not in own))
    locals.sort(key=lambda local: inputs.index(local.input))
    uses = Counter(local.input for local in locals)
    inputs = tuple(name for name in inputs for _ in range(max(1, uses[name])))  # of `x @ x.T` twice, as of `x*x`
    main = next((line for line in lines if line.application and not is_layout(line.application)), last)
    node = main.tensor.node
    return Whole(
        last.whole or simplify(written[last.name].tree, shapes),
        main.application.primitive.name if main.application else "",
        node.short_name if isinstance(node, GraphNode) else None,
        inputs,
        tuple(locals),
    )


def einsum_rules(tree: Call, upstream_name: str) -> dict[str, Expression]:
    """Return the rules of `einsum('ij,jk->ik', A, B)`, which are such sums too: by A `einsum('ik,jk->ij', g, B)`.

    Operands are left out that stand there twice, or that have an index that is in no other and not in the result.
    """
    equation, *operands = (argument.value for argument in tree.arguments)
    if not isinstance(equation, Literal) or "." in str(equation.value):
        return {}
    letters, arrow, result = str(equation.value).replace(" ", "").partition("->")
    terms = letters.split(",")
    if not arrow:
        result = "".join(sorted(x for x in set(letters) - {","} if letters.count(x) == 1))
    found: dict[str, Expression] = {}
    for place, (term, operand) in enumerate(zip(terms, operands, strict=False)):
        others = [*terms[:place], result, *terms[place + 1 :]]
        is_sum = len(set(term)) == len(term) and set(term) <= set("".join(others))
        if is_sum and isinstance(operand, Name) and operands.count(operand) == 1:
            with_g = [*operands[:place], Name(upstream_name), *operands[place + 1 :]]
            spelled = Literal(f"{','.join(others)}->{term}")
            found[operand.id] = Call("einsum", tuple(map(Argument, (spelled, *with_g))))
    return found


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
