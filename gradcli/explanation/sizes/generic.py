"""Explanations whose formulas hold at every size.

A program is explained at several assignments of numbers to the names of sizes. Where these disagree in more than
numbers that come from sizes, the formula depends on the sizes, and that is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gradcli.errors import EvaluationError, GradcliError
from gradcli.explanation.build import explain, gradients
from gradcli.explanation.derivatives.total import Derivative, formulas, ones_like_output
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation, Leaf, Local, Node
from gradcli.explanation.sizes.any_values import (
    failing_claim,
    failing_derivative,
    failing_gradient,
    first_that_holds,
    holds,
    turn_of_derivatives,
    values_in_turn,
)
from gradcli.explanation.sizes.dims import Dims, Sizes, arrays, assignments, even_assignments, with_size_names
from gradcli.explanation.sizes.merging import merged
from gradcli.explanation.sizes.reasons import merged_reason
from gradcli.explanation.values import value_of
from gradcli.explanation.variables import Variables, literal_values, placeholders
from gradcli.language.tree import Expression, Program, names


def explain_at_any_size(
    program: Program,
    dims: Mapping[str, Dims],
    values: Mapping[str, Any],
    *,
    wrt: Sequence[str] | None = None,
    of: str | None = None,
    is_raw: bool = False,
    is_traced: bool = True,
) -> Explanation:
    """Return the explanation in terms of the names of sizes; its values are those of one assignment, and made up.

    A size is also a number in the program. An output that is no number has an upstream gradient, by its name.
    Unless it `is_traced`, only the formulas of variables and intermediates are meant to be read.
    """
    runs = assignments(dims)

    def derive(turn: int) -> Explanation:
        explanations = []
        for sizes in runs:
            try:
                explanations.append(_at(program, dims, values, sizes, wrt, of, is_raw=is_raw, turn=turn))
            except GradcliError as error:
                raise with_size_names(error, sizes) from None
        return generalize(explanations, runs, is_traced=is_traced)

    def wrong_formula(general: Explanation, turn: int) -> str:
        point = made_up(program, dims, values, runs[0], turn)
        upstream = ones_like_output(program, point, of)
        names = wrt or differentiated(program, dims, runs[0])
        by_engine = gradients(program, point, wrt=names, of=of, upstream=upstream)
        return failing_gradient(general, by_engine.by, {**runs[0], **point})

    general = first_that_holds(derive, wrong_formula)
    for sizes in even_assignments(dims):
        try:
            at_even = _at(program, dims, values, sizes, wrt, of, is_raw=True)
        except GradcliError as error:
            raise with_size_names(error, sizes) from None
        if fault := failing_claim(general, at_even, sizes, is_traced=is_traced):
            raise _depends(fault)
    return replace(general, sizes={name: x.sizes for name, x in dims.items()})


def formulas_at_any_size(
    program: Program, dims: Mapping[str, Dims], values: Mapping[str, Any], order: int, *, mixed: bool, **options: Any
) -> tuple[Derivative, ...]:
    """Return the derivatives of some order as formulas in terms of the names of sizes."""
    runs = assignments(dims)

    def variables_and_output(sizes: Sizes) -> dict[str, Any]:
        return {"wrt": options["wrt"] or differentiated(program, dims, sizes), "of": options["of"]}

    def at(sizes: Sizes) -> tuple[Mapping[str, Any], tuple[Derivative, ...]]:
        point = made_up(program, dims, values, sizes, turn)
        try:
            return point, formulas(program, point, order, mixed=mixed, **{**options, **variables_and_output(sizes)})
        except GradcliError as error:
            raise with_size_names(error, sizes) from None

    try:
        turn, _ = turn_of_derivatives(
            program, lambda turn: made_up(program, dims, values, runs[0], turn), **variables_and_output(runs[0])
        )
    except GradcliError as error:
        raise with_size_names(error, runs[0]) from None
    alike = zip(*(at(sizes)[1] for sizes in runs), strict=True)
    merged_forms = tuple(replace(form[0], formula=merged([x.formula for x in form], runs)) for form in alike)
    for sizes in even_assignments(dims):
        point, derivatives = at(sizes)
        if order == 1 and failing_derivative(merged_forms, program, point, sizes, **variables_and_output(sizes)):
            raise _depends("a formula")
        for general, form in zip(merged_forms, derivatives, strict=True):
            if general.formula is None or form.formula is None or form.upstreams:  # a map of gradients without values
                continue
            if not holds(general.formula, value_of(form.formula, point), {**sizes, **point}):
                raise _depends("a formula")
    return merged_forms


def made_up(
    program: Program, dims: Mapping[str, Dims], values: Mapping[str, Any], sizes: Sizes, turn: int = 0
) -> dict[str, Any]:
    """Return values for all variables, others in each turn; a size is also a number in the program."""
    values = {**literal_values(program), **values}
    point = {**arrays(dims, sizes), **values}
    point |= {name: float(sizes[name]) for name in Variables.of(program).missing(point) if name in sizes}
    point |= placeholders(program, point)
    return point | values_in_turn(
        {name: x for name, x in point.items() if name not in {*values, *sizes} or name in dims}, turn
    )


def differentiated(program: Program, dims: Mapping[str, Dims], sizes: Sizes) -> list[str]:
    """Return the variables that are no sizes."""
    return [name for name in Variables.of(program).places if name not in sizes or name in dims]


def _at(
    program: Program,
    dims: Mapping[str, Dims],
    values: Mapping[str, Any],
    sizes: Sizes,
    wrt: Sequence[str] | None,
    of: str | None,
    *,
    is_raw: bool,
    turn: int = 0,
) -> Explanation:
    point = made_up(program, dims, values, sizes, turn)
    wrt = wrt or differentiated(program, dims, sizes)
    upstream = ones_like_output(program, point, of)
    explanation = explain(program, point, wrt=wrt, of=of, upstream=upstream, is_seed_named=True)
    return explanation if is_raw else simplified(explanation, at_any_point=True)


def generalize(explanations: Sequence[Explanation], runs: Sequence[Sizes], *, is_traced: bool) -> Explanation:
    """Return the explanation whose formulas hold at every size; its values are of the first run."""
    first = explanations[0]
    leaves = tuple(_leaf(same, runs) for same in zip(*(e.leaves for e in explanations), strict=True))
    names_used = {name for leaf in leaves if leaf.formula is not None for name in names(leaf.formula)}
    listed = [e.intermediates if names_used & {x.name for x in e.intermediates} else () for e in explanations]
    if len({(tuple(node.op for node in e.nodes), len(x)) for e, x in zip(explanations, listed, strict=True)}) > 1:
        raise _depends("the computation")
    merged_intermediates = tuple(
        replace(same[0], expression=_certain([x.expression for x in same], runs)) for same in zip(*listed, strict=True)
    )
    of_leaves = replace(first, leaves=leaves, intermediates=merged_intermediates)
    if not is_traced:
        return of_leaves
    nodes = tuple(_node(same, runs) for same in zip(*(e.nodes for e in explanations), strict=True))
    steps = tuple(
        replace(same[0], rule=_certain([step.rule for step in same], runs))
        for same in zip(*(e.steps for e in explanations), strict=True)
    )
    return replace(of_leaves, nodes=nodes, steps=steps)


def _node(nodes: Sequence[Node], runs: Sequence[Sizes]) -> Node:
    first = nodes[0]
    if first.kind != "op" or first.op is None:
        number = merged([node.expression for node in nodes], runs)
        return first if number is None else replace(first, expression=number)
    wholes = [node.whole for node in nodes if node.whole is not None]
    if len(wholes) not in (0, len(nodes)):
        raise _depends("the computation")
    return replace(
        first,
        expression=_certain([node.expression for node in nodes], runs),
        locals=_locals([node.locals for node in nodes], runs),
        whole=replace(
            wholes[0],
            expression=_certain([whole.expression for whole in wholes], runs),
            locals=_locals([whole.locals for whole in wholes], runs),
        )
        if wholes
        else None,
    )


def _locals(edges: Sequence[Sequence[Local]], runs: Sequence[Sizes]) -> tuple[Local, ...]:
    return tuple(
        replace(
            x[0],
            rule=_certain([local.rule for local in x], runs),
            formula=None if x[0].formula is None else _certain([local.formula for local in x], runs),
            reason=merged_reason([local.reason for local in x], runs),
        )
        for x in zip(*edges, strict=True)
    )


def _leaf(leaves: Sequence[Leaf], runs: Sequence[Sizes]) -> Leaf:
    """Return the leaf with the simplified formula, or the raw one where that alone is the same at every size."""
    raw = merged([leaf.formula_raw for leaf in leaves], runs)
    formula = merged([leaf.formula for leaf in leaves], runs)
    if raw is None and formula is None and leaves[0].formula is not None:
        raise _depends(f"the formula by {leaves[0].name}")
    return replace(leaves[0], formula=formula if formula is not None else raw, formula_raw=raw)


def _certain(trees: Sequence[Expression | None], runs: Sequence[Sizes]) -> Expression:
    tree = merged(trees, runs)
    if tree is None:
        raise _depends("a formula")
    return tree


def _depends(part: str) -> EvaluationError:
    return EvaluationError(
        "E215", f"{part} depends on the sizes in more than numbers", help="give the variables values, or sizes"
    )
